#include "core/session/sound_look.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/media/flac_writer.h"
#include "core/platform/hash.h"
#include "core/session/recorded_line.h"

namespace loquor::session {

namespace {

constexpr SampleIndex kPiece = 1 << 15;
constexpr std::size_t kMostPeaks = 8192; // then two become one
constexpr int kPeaksPerSecond = 100;     // at first
constexpr std::chrono::milliseconds kTellEvery{400};

// The loudest of equal stretches, which grow with the sound.
class Peaks
{
public:
    explicit Peaks(int sampleRate) : m_rate(sampleRate), m_frames(std::max(1, sampleRate / kPeaksPerSecond)) {}

    void add(const AudioBlock& block)
    {
        const auto channels = static_cast<std::size_t>(block.channels);
        for (std::size_t at = 0; at < block.samples.size(); at += channels) {
            for (std::size_t c = 0; c < channels; ++c)
                m_loudest = std::max(m_loudest, std::abs(block.samples[at + c]));
            if (++m_count == m_frames)
                close();
        }
    }
    std::vector<float> list() const
    {
        std::vector<float> out = m_peaks;
        if (m_count > 0)
            out.push_back(std::min(1.f, m_loudest));
        return out;
    }
    double seconds() const { return static_cast<double>(m_frames) / m_rate; }

private:
    void close()
    {
        m_peaks.push_back(std::min(1.f, std::exchange(m_loudest, 0.f)));
        m_count = 0;
        if (m_peaks.size() < kMostPeaks)
            return;
        for (std::size_t i = 0; i < kMostPeaks / 2; ++i)
            m_peaks[i] = std::max(m_peaks[2 * i], m_peaks[2 * i + 1]);
        m_peaks.resize(kMostPeaks / 2);
        m_frames *= 2;
    }

    const int m_rate;
    SampleIndex m_frames, m_count = 0;
    float m_loudest = 0;
    std::vector<float> m_peaks;
};

} // namespace

Result<void> lookThrough(const std::filesystem::path& file, int stream, const CancelToken& cancel,
                         const std::function<void(SoundLook)>& tell)
{
    media::AudioReadOptions options;
    options.channels = 0;
    options.stream = stream;
    LQ_TRY(media::AudioReader reader, media::AudioReader::open(file, options, cancel));
    media::SoundInspector inspector(reader.sampleRate(), reader.channels());
    Peaks peaks(reader.sampleRate());
    const auto show = [&](bool finished) {
        tell({reader.info().streams, stream, inspector.report(), peaks.list(), peaks.seconds(), finished});
    };
    auto told = std::chrono::steady_clock::now();
    for (;;) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(const AudioBlock block, reader.read(kPiece));
        if (block.samples.empty())
            break;
        inspector.add(block.samples.data(), block.frames());
        peaks.add(block);
        if (const auto now = std::chrono::steady_clock::now(); now - told > kTellEvery) {
            show(false);
            told = now;
        }
    }
    show(true);
    return {};
}

Result<SampleIndex> lengthOf(const ImportedSound& sound, const CancelToken& cancel)
{
    LQ_TRY(media::AudioReader reader, media::AudioReader::open(sound.file, sound.reading(project::kRecordingRate, 1), cancel));
    for (;;) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(const AudioBlock block, reader.read(project::kRecordingRate));
        if (block.samples.empty())
            return reader.position();
    }
}

Result<project::Recording> copyPart(const project::Recording& part, const std::filesystem::path& target,
                                    std::shared_ptr<ImportShelf> imports, const CancelToken& cancel)
{
    RecordingCutter cutter(std::move(imports));
    LQ_TRY(const RecordingCut cut, cutter.cut(part, cancel));
    LQ_TRY(media::FlacWriter writer, media::FlacWriter::create(target, cut.audio.sampleRate, 1));
    auto written = writer.write(cut.audio.samples.data(), cut.audio.frames());
    if (written)
        written = writer.finish();
    if (!written) {
        writer.discard();
        return fail(std::move(written).error());
    }
    project::Recording out;
    out.file = target;
    LQ_TRY(out.sha256, platform::sha256File(target, cancel));
    out.first = cut.before;
    out.samples = cut.samples();
    return out;
}

} // namespace loquor::session
