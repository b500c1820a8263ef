#include "core/media/mp4_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/media/mp4_check.h"
#include "core/media/video_track.h"
#include "core/platform/paths.h"

namespace loquor::media {

struct Mp4Writer::Impl
{
    Mp4Options options;
    std::unique_ptr<Mp4Muxer> muxer;
    std::optional<VideoTrack> video;
    std::optional<AacEncoder> audio;
    AVStream* audioStream = nullptr;
    bool isBroken = false;

    std::string name() const { return platform::quotedPath(muxer->file().path()); }

    Result<> start(platform::AtomicFile file)
    {
        LQ_TRY(muxer, Mp4Muxer::create(std::move(file)));
        LQ_TRY(video, VideoTrack::create(*muxer, codingOf(options), VideoTrack::Order::Sorted));
        if (options.audioRate > 0) {
            LQ_TRY(audio, AacEncoder::create({options.audioRate, options.audioChannels, options.audioBitrate},
                                             muxer->needsGlobalHeader()));
            LQ_TRY(audioStream, muxer->addStream(audio->context()));
        }
        muxer->setTags(options.tags);
        return muxer->writeHeader({});
    }

    // After an error the part file is of no use: it goes at once, not when the owner gets around to
    // it.
    Result<> guarded(Result<> result)
    {
        if (!result) {
            isBroken = true;
            muxer->file().discard();
        }
        return result;
    }

    Result<> usable() const
    {
        if (isBroken)
            return fail(ErrorCode::Internal, "The video file was given up after an error.");
        return {};
    }

    PacketSink soundSink()
    {
        return [this](AVPacket& packet) { return muxer->write(packet, *audioStream, audio->context().time_base); };
    }

    double videoSeconds() const
    {
        return static_cast<double>(video->encoder().framesIn()) / options.fps.toDouble();
    }
    double audioSeconds() const
    {
        return audio ? static_cast<double>(audio->framesIn()) / options.audioRate : 0;
    }

    Result<> checkLengths() const
    {
        if (audio && std::abs(videoSeconds() - audioSeconds()) * options.fps.toDouble() >= 1.0)
            return fail(ErrorCode::Corrupt,
                        "Picture and sound of " + name() +
                            " differ in length: " + std::to_string(videoSeconds()) + " and " +
                            std::to_string(audioSeconds()) + " seconds.");
        return {};
    }

    Result<Mp4Summary> finish()
    {
        LQ_CHECKED(video->finish());
        LQ_CHECKED(checkLengths());
        if (audio)
            LQ_CHECKED(audio->finish(soundSink()));
        LQ_CHECKED(muxer->writeTrailer());
        LQ_CHECKED(verifyMp4(muxer->file(), {options.width, options.height, options.fps, video->encoder().framesIn(), audio.has_value()}));
        Mp4Summary summary;
        summary.frames = video->encoder().framesIn();
        summary.audioFrames = audio ? audio->framesIn() : 0;
        summary.videoSeconds = videoSeconds();
        summary.audioSeconds = audioSeconds();
        summary.encoderCpuSeconds = encoderCpu();
        summary.conversionCpuSeconds = conversionCpu();
        LQ_TRY(summary.bytes, muxer->commit());
        return summary;
    }

    double encoderCpu() const { return video->encoder().cpuSeconds() + (audio ? audio->cpuSeconds() : 0); }
    double conversionCpu() const
    {
        return video->encoder().conversionCpuSeconds() + (audio ? audio->conversionCpuSeconds() : 0);
    }
};

Result<> checkOptions(const Mp4Options& o)
{
    LQ_CHECKED(checkCoding(codingOf(o)));
    if (o.audioRate < 0 || (o.audioRate > 0 && (o.audioRate < 1000 || o.audioRate > 768'000)) ||
        o.audioChannels < 1 || o.audioChannels > 8)
        return fail(ErrorCode::InvalidArgument, "Sound of " + std::to_string(o.audioRate) +
                                                    " Hz and " + std::to_string(o.audioChannels) +
                                                    " channels is not possible.");
    if (o.keyFrameSeconds <= 0)
        return fail(ErrorCode::InvalidArgument, "Quality must be 0 to 51 and key frames apart.");
    static constexpr std::array<std::string_view, 7> kTags{
        "title", "comment", "description", "artist", "copyright", "date", "encoding_tool"};
    for (const auto& [tag, value] : o.tags)
        if (std::find(kTags.begin(), kTags.end(), tag) == kTags.end() && !tag.starts_with("com.loquor."))
            return fail(ErrorCode::InvalidArgument, "MP4 files have no tag '" + tag + "'.");
    return {};
}

Mp4Writer::Mp4Writer(std::unique_ptr<Impl> impl) : m(std::move(impl))
{
}
Mp4Writer::~Mp4Writer() = default;
Mp4Writer::Mp4Writer(Mp4Writer&&) noexcept = default;
Mp4Writer& Mp4Writer::operator=(Mp4Writer&&) noexcept = default;

Result<Mp4Writer> Mp4Writer::create(const std::filesystem::path& file, const Mp4Options& options,
                                    platform::IfExists ifExists)
{
    LQ_CHECKED(checkOptions(options));
    LQ_TRY(platform::AtomicFile target, platform::AtomicFile::create(file, ifExists));
    auto impl = std::make_unique<Impl>();
    impl->options = options;
    LQ_CHECKED(impl->start(std::move(target)));
    return Mp4Writer(std::move(impl));
}

Result<> Mp4Writer::addFrame(const Image& rgb)
{
    LQ_CHECKED(m->usable());
    LQ_CHECKED(m->video->checkFits(rgb));
    return m->guarded(m->video->add(rgb));
}

Result<> Mp4Writer::addAudio(const float* samples, SampleIndex frames)
{
    LQ_CHECKED(m->usable());
    if (!m->audio)
        return fail(ErrorCode::InvalidArgument, "The video was started without sound.");
    return m->guarded(m->audio->encode(samples, frames, m->soundSink()));
}

void Mp4Writer::addCaptions(std::vector<BurntCaption> captions)
{
    m->video->addCaptions(std::move(captions));
}

std::int64_t Mp4Writer::framesAdded() const
{
    return m->video->encoder().framesIn();
}

std::int64_t Mp4Writer::framesEncoded() const
{
    return m->video->encoder().framesOut();
}

double Mp4Writer::encoderCpuSeconds() const
{
    return m->encoderCpu();
}

double Mp4Writer::conversionCpuSeconds() const
{
    return m->conversionCpu();
}

Result<Mp4Summary> Mp4Writer::finish()
{
    LQ_CHECKED(m->usable());
    auto summary = m->finish();
    m->isBroken = true; // nothing more can be added, whatever came of it
    if (!summary)
        m->muxer->file().discard();
    return summary;
}

} // namespace loquor::media
