#include "core/media/audio_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/base/check.h"
#include "core/media/stream_decoder.h"
#include "core/media/swr_converter.h"

namespace loquor::media {

namespace {

// Smaller steps in timestamps are rounding of the container.
constexpr double kGapSeconds = 0.1;
// Larger ones are broken timestamps, not silence.
constexpr double kMostGapSeconds = 3600;
constexpr std::int64_t kMicroseconds = 1'000'000; // of a second

std::string layoutName(const AVChannelLayout& layout)
{
    std::array<char, 128> text{};
    av_channel_layout_describe(&layout, text.data(), text.size());
    if (std::string_view(text.data()) == "1 channels") // of one whose place nobody wrote down
        return "1 channel";
    return text.data();
}

std::string tagOf(const AVDictionary* tags, const char* name)
{
    const AVDictionaryEntry* entry = av_dict_get(tags, name, nullptr, 0);
    return entry != nullptr ? entry->value : "";
}

AudioFileInfo describe(const AVFormatContext& context)
{
    AudioFileInfo info;
    info.container = context.iformat->name;
    if (context.duration > 0)
        info.estimatedSeconds = static_cast<double>(context.duration) / AV_TIME_BASE;
    for (unsigned int i = 0; i < context.nb_streams; ++i) {
        const AVStream& stream = *context.streams[i];
        const AVCodecParameters& parameters = *stream.codecpar;
        if (parameters.codec_type == AVMEDIA_TYPE_VIDEO &&
            (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) == 0)
            info.hasVideo = true;
        if (parameters.codec_type != AVMEDIA_TYPE_AUDIO)
            continue;
        AudioStreamInfo audio;
        audio.number = static_cast<int>(info.streams.size()) + 1;
        audio.index = static_cast<int>(i);
        audio.codec = avcodec_get_name(parameters.codec_id);
        audio.layout = layoutName(parameters.ch_layout);
        audio.language = tagOf(stream.metadata, "language");
        if (audio.language == "und") // nobody said
            audio.language.clear();
        audio.sampleRate = parameters.sample_rate;
        audio.channels = parameters.ch_layout.nb_channels;
        info.streams.push_back(std::move(audio));
    }
    const AVDictionaryEntry* tag = nullptr;
    while ((tag = av_dict_get(context.metadata, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr)
        info.tags.push_back(std::string(tag->key) + "=" + tag->value);
    return info;
}

// "1: aac, stereo, 48000 Hz, deu; 2: ..."
std::string listedStreams(const std::vector<AudioStreamInfo>& streams)
{
    std::string out;
    for (const AudioStreamInfo& stream : streams)
        out += (out.empty() ? "" : "; ") + std::to_string(stream.number) + ": " + stream.codec + ", " + stream.layout +
               ", " + std::to_string(stream.sampleRate) + " Hz" + (stream.language.empty() ? "" : ", " + stream.language);
    return out;
}

} // namespace

struct AudioReader::Impl
{
    AudioReadOptions options;
    CancelToken cancel; // while it is being opened
    std::unique_ptr<Demuxer> demuxer;
    AudioFileInfo info;
    StreamDecoder decoder;
    AVStream* stream = nullptr;
    AvFramePtr frame = makeFrame();
    std::optional<SwrConverter> converter;
    std::vector<std::string> warnings;

    int rate = 0, channels = 0, fileRate = 0;
    std::vector<float> pending; // decoded, not yet delivered, from `taken` on
    std::size_t taken = 0;
    SampleIndex delivered = 0;
    std::int64_t decoded = 0;  // sample frames at the file's rate, silence included
    double firstSeconds = NAN; // timestamp of the first frame
    int gaps = 0;
    bool isEnd = false;

    Result<> chooseStream()
    {
        const std::string& name = demuxer->shownName();
        if (info.streams.empty())
            return fail(ErrorCode::Unsupported,
                        "There is no sound in " + name +
                            (info.hasVideo ? ": it is a picture or a video without sound."
                                           : ": it is not a sound file."));
        const auto count = static_cast<int>(info.streams.size());
        if (options.stream < 0 || options.stream > count)
            return fail(ErrorCode::InvalidArgument, "There is no sound stream " + std::to_string(options.stream) + " in " + name + ", which has " +
                                                        (count == 1 ? "one" : std::to_string(count)) + " (" +
                                                        listedStreams(info.streams) + ").");
        const auto hasSound = [](const AudioStreamInfo& audio) { return audio.channels > 0 && audio.sampleRate > 0; };
        auto chosen = std::find_if(info.streams.begin(), info.streams.end(), hasSound);
        if (options.stream > 0)
            chosen = info.streams.begin() + (options.stream - 1);
        const int index = chosen != info.streams.end() ? chosen->index : info.streams.front().index;
        AVFormatContext* context = demuxer->context();
        for (unsigned int i = 0; i < context->nb_streams; ++i)
            context->streams[i]->discard =
                static_cast<int>(i) == index ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
        stream = context->streams[index];
        return decoder.open(*demuxer, *stream, 1, "sound");
    }

    // Length of the silence that the timestamps ask for before this frame, in samples.
    std::int64_t gapBefore(int sampleRate)
    {
        const std::int64_t stamp = frame->best_effort_timestamp;
        if (stamp == AV_NOPTS_VALUE)
            return 0;
        const double at = static_cast<double>(stamp) * av_q2d(stream->time_base);
        if (std::isnan(firstSeconds)) {
            firstSeconds = at - static_cast<double>(decoded) / sampleRate;
            return 0;
        }
        const double gap = at - firstSeconds - static_cast<double>(decoded) / sampleRate;
        if (gap < kGapSeconds || gap > kMostGapSeconds)
            return 0;
        ++gaps;
        return std::llround(gap * sampleRate);
    }

    Result<> takeFrame()
    {
        SwrConverter::Input input;
        input.format = static_cast<AVSampleFormat>(frame->format);
        input.layout = frame->ch_layout;
        input.sampleRate = frame->sample_rate;
        if (rate == 0) {
            fileRate = input.sampleRate;
            rate = options.sampleRate > 0 ? options.sampleRate : input.sampleRate;
            channels = options.channels > 0 ? options.channels : input.layout.nb_channels;
        }
        if (converter && !converter->isFor(input)) {
            LQ_CHECKED(converter->finish(pending)); // the stream changes its format on the way
            converter.reset();
        }
        if (!converter) {
            LQ_TRY(converter, SwrConverter::create(input, rate, channels));
        }
        LQ_CHECKED(converter->pushSilence(takeNext(gapBefore(input.sampleRate)).frames, pending));
        const Span used = takeNext(frame->nb_samples);
        if (used.frames == 0)
            return {};
        std::vector<const std::uint8_t*> data(static_cast<std::size_t>(
            av_sample_fmt_is_planar(input.format) != 0 ? input.layout.nb_channels : 1));
        const auto step = av_get_bytes_per_sample(input.format) *
                          (data.size() > 1 || input.layout.nb_channels == 1 ? 1 : input.layout.nb_channels);
        for (std::size_t i = 0; i < data.size(); ++i)
            data[i] = frame->extended_data[i] + used.first * step;
        return converter->push(data.data(), static_cast<int>(used.frames), pending);
    }

    // What of the next `frames` lies in the part that is read.
    struct Span
    {
        std::int64_t first = 0, frames = 0;
    };
    Span takeNext(std::int64_t frames)
    {
        const std::int64_t begin = std::clamp<std::int64_t>(partFirst() - decoded, 0, frames);
        const std::int64_t end = hasEnd() ? std::clamp<std::int64_t>(partEnd() - decoded, begin, frames) : frames;
        decoded += frames;
        return {begin, end - begin};
    }
    bool hasEnd() const { return options.to.count() > 0; }
    std::int64_t partFirst() const { return mulDivRound(options.from.count(), fileRate, kMicroseconds); }
    std::int64_t partEnd() const
    {
        return partFirst() + mulDivRound((options.to - options.from).count(), fileRate, kMicroseconds);
    }

    // At the end of the file: the part must lie within it.
    Result<> checkPart() const
    {
        if (fileRate == 0 || (options.from.count() == 0 && !hasEnd()))
            return {};
        const std::chrono::microseconds length(mulDivFloor(decoded, kMicroseconds, fileRate));
        const std::string lasts = "The sound in " + demuxer->shownName() + " lasts " + clockText(length);
        if (decoded <= partFirst())
            return fail(ErrorCode::InvalidArgument, lasts + ": it has no part that begins at " + clockText(options.from) + ".");
        if (hasEnd() && options.to > length + AudioReadOptions::kSlack)
            return fail(ErrorCode::InvalidArgument, lasts + ": it has no part that ends at " + clockText(options.to) + ".");
        return {};
    }

    // Decodes until at least one sample is pending or the end is reached.
    Result<> fill()
    {
        while (taken >= pending.size() && !isEnd) {
            pending.clear();
            taken = 0;
            if (cancel.isCancelled())
                return cancelled();
            const bool isPartOver = hasEnd() && fileRate > 0 && decoded >= partEnd();
            bool more = false;
            if (!isPartOver) {
                LQ_TRY(more, decoder.next(*frame));
            }
            if (more) {
                LQ_CHECKED(takeFrame());
                av_frame_unref(frame.get());
                continue;
            }
            if (!isPartOver)
                LQ_CHECKED(checkPart());
            isEnd = true;
            if (converter)
                LQ_CHECKED(converter->finish(pending));
            if (decoder.damaged() > 0)
                warnings.push_back(std::to_string(decoder.damaged()) +
                                   " damaged parts of the sound were left out.");
            if (gaps > 0)
                warnings.push_back(std::to_string(gaps) +
                                   " gaps in the sound were filled with silence.");
        }
        return {};
    }
};

AudioReader::AudioReader(std::unique_ptr<Impl> impl) : m(std::move(impl))
{
}
AudioReader::~AudioReader() = default;
AudioReader::AudioReader(AudioReader&&) noexcept = default;
AudioReader& AudioReader::operator=(AudioReader&&) noexcept = default;

Result<AudioReader> AudioReader::open(const std::filesystem::path& file,
                                      const AudioReadOptions& options, const CancelToken& cancel)
{
    if (options.sampleRate < 0 || options.channels < 0)
        return fail(ErrorCode::InvalidArgument, "A sample rate or channel count is negative.");
    if (options.from.count() < 0 || options.to.count() < 0 || (options.to.count() > 0 && options.to <= options.from))
        return fail(ErrorCode::InvalidArgument, "The part from " + clockText(options.from) + " to " + clockText(options.to) +
                                                    " has no length: it must end behind its beginning.");
    auto impl = std::make_unique<Impl>();
    impl->options = options;
    impl->cancel = cancel;
    LQ_TRY(impl->demuxer, Demuxer::open(file));
    impl->info = describe(*impl->demuxer->context());
    LQ_CHECKED(impl->chooseStream());
    const AVFormatContext& context = *impl->demuxer->context();
    if (impl->stream->start_time != AV_NOPTS_VALUE && context.start_time != AV_NOPTS_VALUE)
        impl->info.startSeconds =
            static_cast<double>(impl->stream->start_time) * av_q2d(impl->stream->time_base) -
            static_cast<double>(context.start_time) / AV_TIME_BASE;
    LQ_CHECKED(impl->fill());
    if (impl->pending.empty()) {
        if (impl->decoder.damaged() > 0)
            return fail(impl->decoder.lastError());
        return fail(ErrorCode::EmptyInput,
                    "The sound in " + impl->demuxer->shownName() + " has no length (0 samples).");
    }
    impl->cancel = {};
    return AudioReader(std::move(impl));
}

const AudioFileInfo& AudioReader::info() const
{
    return m->info;
}

int AudioReader::sampleRate() const
{
    return m->rate;
}

int AudioReader::channels() const
{
    return m->channels;
}

int AudioReader::fileSampleRate() const
{
    return m->fileRate;
}

SampleIndex AudioReader::position() const
{
    return m->delivered;
}

const std::vector<std::string>& AudioReader::warnings() const
{
    return m->warnings;
}

Result<AudioBlock> AudioReader::read(SampleIndex maxFrames)
{
    LOQUOR_CHECK(maxFrames > 0);
    AudioBlock block;
    block.sampleRate = m->rate;
    block.channels = m->channels;
    const auto want = static_cast<std::size_t>(maxFrames * m->channels);
    while (block.samples.size() < want) {
        LQ_CHECKED(m->fill());
        const std::size_t have = m->pending.size() - m->taken;
        if (have == 0)
            break;
        const std::size_t count = std::min(have, want - block.samples.size());
        const auto from = m->pending.begin() + static_cast<std::ptrdiff_t>(m->taken);
        block.samples.insert(block.samples.end(), from, from + static_cast<std::ptrdiff_t>(count));
        m->taken += count;
    }
    m->delivered += block.frames();
    return block;
}

Result<AudioBlock> readAudio(const std::filesystem::path& file, const AudioReadOptions& options,
                             double maxSeconds, const CancelToken& cancel)
{
    LQ_TRY(AudioReader reader, AudioReader::open(file, options, cancel));
    AudioBlock all;
    all.sampleRate = reader.sampleRate();
    all.channels = reader.channels();
    for (;;) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(const AudioBlock block, reader.read(1 << 16));
        if (block.samples.empty())
            return all;
        all.samples.insert(all.samples.end(), block.samples.begin(), block.samples.end());
        if (all.seconds() > maxSeconds)
            return fail(ErrorCode::InvalidArgument,
                        "The sound is longer than " +
                            std::to_string(static_cast<long>(maxSeconds)) + " seconds.");
    }
}

Result<AudioLength> measureLength(const std::filesystem::path& file, const CancelToken& cancel)
{
    AudioReadOptions options;
    options.channels = 0;
    LQ_TRY(AudioReader reader, AudioReader::open(file, options));
    AudioLength length;
    length.sampleRate = reader.sampleRate();
    for (;;) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(const AudioBlock block, reader.read(1 << 16));
        if (block.samples.empty())
            break;
        for (const float sample : block.samples)
            length.peak = std::max(length.peak, std::abs(sample));
    }
    length.frames = reader.position();
    return length;
}

} // namespace loquor::media
