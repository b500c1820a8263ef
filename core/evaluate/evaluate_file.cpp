#include "core/evaluate/evaluate_file.h"

#include <algorithm>
#include <cmath>

#include "core/evaluate/measure.h"
#include "core/evaluate/speech_signal.h"
#include "core/evaluate/tracker.h"
#include "core/media/audio_reader.h"
#include "core/media/image_loader.h"
#include "core/media/probe.h"
#include "core/media/video_reader.h"
#include "core/speech/timing_json.h"

namespace loquor::evaluate {

namespace {

ContainerFacts factsOf(const media::MediaFacts& file)
{
    const media::VideoFacts& video = *file.video;
    ContainerFacts facts;
    facts.width = video.width;
    facts.height = video.height;
    facts.videoCodec = video.codec;
    facts.pixelFormat = video.pixelFormat;
    const bool known = video.frameRate.num > 0;
    facts.averageRate = std::to_string(video.frameRate.num) + "/" + std::to_string(video.frameRate.den);
    facts.realRate = std::to_string(video.baseRate.num) + "/" + std::to_string(video.baseRate.den);
    facts.fps = known ? video.frameRate.toDouble() : 25;
    facts.headerFrames = video.packets;
    if (file.audio) {
        facts.hasAudio = true;
        facts.audioCodec = file.audio->codec;
        facts.sampleRate = file.audio->sampleRate;
        facts.channels = file.audio->channels;
    }
    return facts;
}

// Mono, 16 kHz, in steps of 16 bits: what lies below them is silence in the bands of real people too.
Result<void> readSound(const std::filesystem::path& video, Clip& clip, const CancelToken& cancel)
{
    LQ_TRY(auto reader, media::AudioReader::open(video, {kSpeechRate, 1}));
    clip.facts.audioStart = reader.info().startSeconds;
    for (;;) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(const AudioBlock block, reader.read(kSpeechRate));
        if (block.samples.empty())
            return {};
        for (const float v : block.samples)
            clip.mono16k.push_back(std::clamp(std::nearbyint(v * 32768.0f), -32768.0f, 32767.0f) / 32768.0f);
    }
}

Result<void> readPictures(const std::filesystem::path& video, const FileOptions& options, Tracker& tracker, Clip& clip,
                          const CancelToken& cancel)
{
    media::VideoReadOptions reading;
    reading.conversion = media::RgbConversion::Fast;
    LQ_TRY(auto reader, media::VideoReader::open(video, reading));
    const auto limit = options.maxSeconds ? static_cast<std::size_t>(*options.maxSeconds * clip.facts.fps) : SIZE_MAX;
    const auto expected = static_cast<double>(std::max<std::int64_t>(1, clip.facts.headerFrames.value_or(1)));
    for (std::size_t i = 0;; ++i) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(const auto frame, reader.next());
        if (!frame)
            return {};
        clip.facts.times.push_back(frame->seconds());
        if (i < limit)
            LQ_CHECKED(tracker.add(frame->image));
        if (options.progress && i % 5 == 0)
            options.progress(std::min(1.0, static_cast<double>(i) / expected));
    }
}

} // namespace

Result<Evaluation> evaluateFile(const std::filesystem::path& video, const FileOptions& options, const CancelToken& cancel)
{
    LQ_TRY(const auto file, media::probeMedia(video, media::ProbeDepth::Packets, cancel));
    if (!file.video)
        return fail(ErrorCode::Unsupported, video.string() + " holds no moving picture, so there is nothing to measure");
    Clip clip;
    clip.name = video.filename().string();
    clip.facts = factsOf(file);
    if (options.timing) {
        LQ_TRY(auto document, speech::readTimingFile(*options.timing));
        clip.timing = std::move(document.timing);
        if (document.gap)
            clip.wantedGap = WantedGap{document.gap->rate, {document.gap->values.begin(), document.gap->values.end()}};
    }
    TrackerOptions tracking;
    tracking.faceModels = options.models / "portrait";
    tracking.identityModels = options.models / "identity";
    tracking.fps = clip.facts.fps;
    tracking.expectedFrames = static_cast<std::size_t>(std::max<std::int64_t>(0, clip.facts.headerFrames.value_or(0)));
    tracking.region = options.region;
    LQ_TRY(const auto tracker, Tracker::create(tracking));
    if (options.reference) {
        LQ_TRY(const auto photo, media::loadImage(*options.reference));
        LQ_TRY(clip.reference, tracker->measureReference(photo.image));
    }
    std::optional<Error> noSound;
    if (clip.facts.hasAudio) {
        if (auto read = readSound(video, clip, cancel); !read) {
            if (read.error().isCancelled())
                return fail(std::move(read).error());
            noSound = std::move(read).error();
        }
    }
    LQ_CHECKED(readPictures(video, options, *tracker, clip, cancel));
    clip.track = tracker->take();
    auto evaluation = measure(clip);
    if (evaluation && noSound)
        evaluation->flags.push_back({"AUDIO_UNREADABLE", true, noSound->message(), std::nullopt});
    return evaluation;
}

} // namespace loquor::evaluate
