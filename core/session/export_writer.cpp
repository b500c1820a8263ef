#include "core/session/export_writer.h"

#include <algorithm>
#include <optional>

#include "core/media/audio_reader.h"
#include "core/media/caption_painter.h"
#include "core/media/segments.h"
#include "core/platform/atomic_file.h"
#include "core/project/exported_settings.h"
#include "core/session/export_captions.h"
#include "core/session/output_file.h"

namespace loquor::session {

namespace {

// The sound of the run, file after file; each is cut or filled to its place on the run's grid.
class SoundTrack
{
public:
    explicit SoundTrack(const std::vector<HeardSound>& sounds) : m_sounds(sounds) {}

    Result<AudioBlock> next(SampleIndex atMost)
    {
        AudioBlock out{kProjectRate, 1, {}};
        while (out.samples.empty() && m_index < m_sounds.size()) {
            const HeardSound& sound = m_sounds[m_index];
            const SampleIndex wanted = std::min(atMost, sound.samples - m_given);
            const SampleIndex readable = std::min(wanted, sound.available - m_given);
            if (wanted <= 0) {
                ++m_index;
                m_given = 0;
                m_reader.reset();
                continue;
            }
            if (!m_reader)
                LQ_CHECKED(open(sound));
            if (readable > 0) {
                LQ_TRY(AudioBlock block, m_reader->read(readable));
                out.samples = std::move(block.samples);
            }
            if (out.samples.empty()) // the pause is a sample short on this grid
                out.samples.assign(static_cast<std::size_t>(wanted), 0.f);
            m_given += out.frames();
        }
        return out;
    }

private:
    Result<void> open(const HeardSound& sound)
    {
        LQ_TRY(m_reader, media::AudioReader::open(sound.file));
        while (m_reader->position() < sound.skip) {
            LQ_TRY(const AudioBlock skipped, m_reader->read(sound.skip - m_reader->position()));
            if (skipped.samples.empty())
                break;
        }
        return {};
    }

    const std::vector<HeardSound>& m_sounds;
    std::optional<media::AudioReader> m_reader;
    std::size_t m_index = 0;
    SampleIndex m_given = 0; // of the present sound
};

Result<std::string> settingsTag(const ExportRequest& request, const Assembly& assembly)
{
    const SceneFacts& first = assembly.scenes.front();
    project::ExportFacts facts;
    facts.packLabel = first.pack.label();
    for (const packs::ModuleSpec& module : first.pack.modules)
        facts.weights[module.name] = module.sha256;
    facts.seed = first.runSeed;
    for (const SceneFacts& scene : assembly.scenes)
        facts.fileHashes[scene.reference] = scene.referenceHash;
    for (const project::Scene& scene : request.document.scenes) {
        for (const project::Line& line : scene.lines) {
            if (line.recording)
                facts.fileHashes[line.recording->file] = line.recording->sha256;
        }
    }
    return project::exportedSettings(request.document, facts);
}

Result<void> addCaptions(const ExportRequest& request, const Assembly& assembly, media::ExportOptions& out,
                         std::vector<std::string>& warnings)
{
    if (request.captions == Captions::Track) {
        for (speech::CaptionCue& cue : captionsOf(assembly.texts, nullptr))
            out.captions.push_back({cue.start, cue.end, std::move(cue.text)});
    }
    if (request.captions == Captions::Burn) {
        const media::CaptionRoom room = media::captionRoom(request.captionStyle, out.video.width, out.video.height);
        out.video.captionStyle = request.captionStyle;
        out.video.captions = burntCaptions(captionsOf(assembly.texts, &room));
        LQ_TRY(std::string leftOut, media::leaveOutLetters(out.video.captions));
        if (!leftOut.empty())
            warnings.push_back(std::move(leftOut));
    }
    return {};
}

Result<media::ExportOptions> optionsOf(const ExportRequest& request, const Assembly& assembly, std::vector<std::string>& warnings)
{
    const pipeline::RenderSettings& settings = assembly.scenes.front().settings;
    media::ExportOptions out;
    out.video.width = request.width > 0 ? request.width : settings.width;
    out.video.height = request.height > 0 ? request.height : settings.height;
    out.video.fps = settings.fps;
    out.video.audioRate = kProjectRate;
    out.video.audioChannels = 1;
    if (request.quality > 0)
        out.video.quality = request.quality;
    out.video.label = request.label;
    out.video.tags["comment"] = "AI generated. Made with Loquor, pack " + assembly.scenes.front().pack.label() +
                                ", seed " + std::to_string(assembly.scenes.front().runSeed);
    LQ_TRY(out.video.tags[project::kSettingsTag], settingsTag(request, assembly));
    LQ_CHECKED(addCaptions(request, assembly, out, warnings));
    return out;
}

bool isCopy(const ExportRequest& request, const pipeline::RenderSettings& settings)
{
    return request.quality == 0 && !request.label.isShown() && request.captions != Captions::Burn && (request.width == 0 || request.width == settings.width) &&
           (request.height == 0 || request.height == settings.height);
}

Result<void> writeCaptions(const ExportRequest& request, const Assembly& assembly)
{
    if (!hasCaptionFile(request.captions))
        return {};
    return writeCaptionFile(captionFile(request), request.captions, captionsOf(assembly.texts, nullptr));
}

} // namespace

Result<RenderReport> writeExport(const ExportRequest& request, const Assembly& assembly,
                                 const std::function<void(std::int64_t)>& progress, Trace& trace,
                                 const CancelToken& cancel)
{
    RenderReport report;
    if (request.captions != Captions::None)
        report.warnings = assembly.warnings;
    LQ_TRY(media::ExportOptions options, optionsOf(request, assembly, report.warnings));
    options.onProgress = progress;
    options.trace = &trace;
    std::vector<media::SegmentPart> parts;
    for (const ShownSegment& segment : assembly.picture)
        parts.push_back({segment.file, segment.skip, segment.frames, segment.of});
    SoundTrack track(assembly.sound);
    const media::SoundSource sound = [&track](SampleIndex atMost) { return track.next(atMost); };
    const auto ifExists = request.overwrite ? platform::IfExists::Replace : platform::IfExists::Refuse;
    const pipeline::RenderSettings& settings = assembly.scenes.front().settings;
    const bool copy = isCopy(request, settings);
    LQ_TRY(const media::Mp4Summary summary,
           copy ? media::copySegments(request.output, parts, options, sound, ifExists, cancel)
                : media::encodeSegments(request.output, parts, options, sound, ifExists, cancel));
    LQ_CHECKED(writeCaptions(request, assembly));
    report.frames = summary.frames;
    report.fps = settings.fps;
    report.durationSeconds = summary.videoSeconds;
    report.audioSeconds = summary.audioSeconds;
    report.encoderCpuSeconds = summary.encoderCpuSeconds;
    report.seed = assembly.scenes.front().runSeed;
    report.width = options.video.width;
    report.height = options.video.height;
    report.chunks = assembly.chunks;
    report.pack = assembly.scenes.front().pack.label();
    report.output = request.output.string();
    report.streamCopied = copy;
    for (const auto& [name, cost] : trace.totals())
        report.stages[name] = {cost.wallSeconds, cost.cpuSeconds, cost.count};
    return report;
}

} // namespace loquor::session
