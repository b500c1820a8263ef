#include "core/media/segment_export.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/media/mp4_check.h"
#include "core/platform/paths.h"

namespace loquor::media {

namespace {

constexpr AVRational kMilliseconds{1, 1000};
constexpr SampleIndex kSoundPiece = 1 << 16;
constexpr double kRunSeconds = .3; // of sound, between pictures

// The sample description of a tx3g track: white, centred, at the bottom, one font.
constexpr std::array<std::uint8_t, 48> kCaptionStyle{
    0, 0, 0, 0, 1, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,       // flags, justification, colour, box
    0, 0, 0, 0, 0, 1, 0, 16, 0xFF, 0xFF, 0xFF, 0xFF,              // style: font 1, 16 points
    0, 0, 0, 18, 'f', 't', 'a', 'b', 0, 1, 0, 1, 5, 'A', 'r', 'i', 'a', 'l'};

Result<> checkCaptions(const std::vector<Caption>& captions)
{
    double before = 0;
    for (const Caption& caption : captions) {
        if (!(caption.start >= before - 1e-6) || !(caption.end > caption.start) || caption.text.size() > 0xFFFF)
            return fail(ErrorCode::InvalidArgument, "The caption '" + caption.text.substr(0, 40) +
                                                        "' is out of order or has no length.");
        before = caption.end;
    }
    return {};
}

} // namespace

Result<std::unique_ptr<SegmentExport>> SegmentExport::create(const std::filesystem::path& file,
                                                             const ExportOptions& options, SoundSource sound,
                                                             platform::IfExists ifExists)
{
    LQ_CHECKED(checkOptions(options.video));
    LQ_CHECKED(checkCaptions(options.captions));
    if (options.video.audioRate > 0 && !sound)
        return fail(ErrorCode::InvalidArgument, "A video with sound needs sound.");
    LQ_TRY(platform::AtomicFile target, platform::AtomicFile::create(file, ifExists));
    std::unique_ptr<SegmentExport> out(new SegmentExport);
    out->m_options = options;
    out->m_sound = std::move(sound);
    LQ_TRY(out->m_muxer, Mp4Muxer::create(std::move(target)));
    return out;
}

Result<> SegmentExport::start(const std::vector<SegmentPart>& parts)
{
    const Mp4Options& video = m_options.video;
    if (video.audioRate > 0) {
        LQ_TRY(AacSpans spans, AacSpans::create({video.audioRate, video.audioChannels, video.audioBitrate},
                                                m_options.soundThreads));
        m_spans.emplace(std::move(spans));
        LQ_TRY(m_audioStream, m_muxer->addStream(m_spans->context()));
    } else {
        m_soundEnded = true;
    }
    if (!m_options.captions.empty())
        LQ_CHECKED(addCaptionStream());
    m_muxer->setTags(video.tags);
    return m_muxer->writeHeader({.inFront = true, .room = roomForIndex(parts)});
}

// Room for the index in front spares moving the whole file when it is known at the end. A frame takes at
// most 21 bytes of it (size, key frame, order of display, dependency), a sound packet 4, a run of samples
// in the file 20; the rest is small.
std::int64_t SegmentExport::roomForIndex(const std::vector<SegmentPart>& parts) const
{
    std::int64_t frames = 0;
    for (const SegmentPart& part : parts)
        frames += std::max<FrameIndex>(part.frames, 0);
    const double seconds = secondsOf(frames, m_options.video.fps);
    const auto packets = m_spans ? static_cast<std::int64_t>(seconds * aacRate(m_options.video.audioRate) / 1024) : 0;
    std::int64_t text = 0;
    for (const auto& [name, value] : m_options.video.tags)
        text += static_cast<std::int64_t>(2 * (name.size() + value.size()) + 200);
    const auto runs = 3 * static_cast<std::int64_t>(seconds / kRunSeconds + 1) + frames / 4;
    return frames * 24 + packets * 6 + runs * 20 + text +
           static_cast<std::int64_t>(m_options.captions.size()) * 100 + (64 << 10);
}

Result<> SegmentExport::addCaptionStream()
{
    AVCodecParameters* parameters = avcodec_parameters_alloc();
    if (parameters == nullptr)
        throw std::bad_alloc();
    parameters->codec_type = AVMEDIA_TYPE_SUBTITLE;
    parameters->codec_id = AV_CODEC_ID_MOV_TEXT;
    parameters->extradata = static_cast<std::uint8_t*>(av_mallocz(kCaptionStyle.size() + AV_INPUT_BUFFER_PADDING_SIZE));
    if (parameters->extradata != nullptr) {
        std::copy(kCaptionStyle.begin(), kCaptionStyle.end(), parameters->extradata);
        parameters->extradata_size = static_cast<int>(kCaptionStyle.size());
    }
    auto stream = m_muxer->addStream(*parameters, kMilliseconds);
    avcodec_parameters_free(&parameters);
    if (!stream)
        return fail(std::move(stream).error());
    m_captionStream = *stream;
    if (!m_options.captionLanguage.empty())
        av_dict_set(&m_captionStream->metadata, "language", m_options.captionLanguage.c_str(), 0);
    return {};
}

Result<> SegmentExport::pullSound()
{
    LQ_TRY(const AudioBlock block, m_sound(kSoundPiece));
    if (block.samples.empty()) {
        m_soundEnded = true;
        return m_spans->finish();
    }
    if (block.sampleRate != m_options.video.audioRate || block.channels != m_options.video.audioChannels)
        return fail(ErrorCode::InvalidArgument, "The sound has another shape than the video was started with.");
    return m_spans->add(block.samples.data(), block.frames());
}

Result<> SegmentExport::writeSound(double until)
{
    while (m_spans) {
        if (!m_held) {
            LQ_TRY(m_held, m_spans->next());
            if (!m_held && m_soundEnded)
                return {};
            if (!m_held) {
                LQ_CHECKED(pullSound());
                continue;
            }
        }
        const AVRational timeBase = m_spans->context().time_base;
        if (static_cast<double>(m_held->pts) * av_q2d(timeBase) >= until)
            return {};
        LQ_CHECKED(m_muxer->writeNow(*m_held, *m_audioStream, timeBase));
        m_held.reset();
    }
    return {};
}

// A sample of a caption track: its length, its text; nothing is a sample too.
Result<> SegmentExport::writeCaption(double start, double end, const std::string& text)
{
    const auto from = static_cast<std::int64_t>(std::llround(start * 1000));
    const auto to = static_cast<std::int64_t>(std::llround(end * 1000));
    if (to <= from)
        return {};
    PacketPtr packet = makePacket();
    if (av_new_packet(packet.get(), static_cast<int>(text.size()) + 2) < 0)
        throw std::bad_alloc();
    packet->data[0] = static_cast<std::uint8_t>(text.size() >> 8);
    packet->data[1] = static_cast<std::uint8_t>(text.size() & 0xFF);
    std::copy(text.begin(), text.end(), packet->data + 2);
    packet->pts = packet->dts = from;
    packet->duration = to - from;
    packet->flags |= AV_PKT_FLAG_KEY;
    return m_muxer->writeNow(*packet, *m_captionStream, kMilliseconds);
}

Result<> SegmentExport::writeCaptions(double until)
{
    const auto& captions = m_options.captions;
    for (; m_captionStream != nullptr && m_nextCaption < captions.size(); ++m_nextCaption) {
        const Caption& caption = captions[m_nextCaption];
        if (caption.start >= until)
            break;
        LQ_CHECKED(writeCaption(m_captionEnd, caption.start, {}));
        LQ_CHECKED(writeCaption(caption.start, caption.end, caption.text));
        m_captionEnd = caption.end;
    }
    return {};
}

Result<> SegmentExport::beforePicture(FrameIndex frame)
{
    if (frame < m_soundUntil)
        return {};
    const auto step = static_cast<FrameIndex>(kRunSeconds * m_options.video.fps.toDouble());
    m_soundUntil = frame + std::max<FrameIndex>(step, 1);
    const double seconds = secondsOf(m_soundUntil, m_options.video.fps);
    LQ_CHECKED(writeSound(seconds));
    return writeCaptions(seconds);
}

Result<> SegmentExport::checkLengths(FrameIndex frames) const
{
    const std::string name = platform::quotedPath(m_muxer->file().path());
    if (frames == 0)
        return fail(ErrorCode::EmptyInput, "There are no pictures to write to " + name + ".");
    if (!m_spans)
        return {};
    const double picture = secondsOf(frames, m_options.video.fps);
    const double sound = static_cast<double>(m_spans->framesIn()) / m_options.video.audioRate;
    if (std::abs(picture - sound) * m_options.video.fps.toDouble() >= 1.0)
        return fail(ErrorCode::Corrupt, "Picture and sound of " + name + " differ in length: " +
                                            std::to_string(picture) + " and " + std::to_string(sound) + " seconds.");
    return {};
}

Result<Mp4Summary> SegmentExport::finish(FrameIndex frames, const H264Encoder* encoder)
{
    LQ_CHECKED(writeSound(std::numeric_limits<double>::infinity()));
    LQ_CHECKED(checkLengths(frames));
    const double end = secondsOf(frames, m_options.video.fps);
    LQ_CHECKED(writeCaptions(end));
    if (m_captionStream != nullptr)
        LQ_CHECKED(writeCaption(m_captionEnd, end, {}));
    LQ_CHECKED(m_muxer->writeTrailer());
    const Mp4Options& video = m_options.video;
    LQ_CHECKED(verifyMp4(m_muxer->file(), {video.width, video.height, video.fps, frames, m_spans.has_value()}));
    Mp4Summary out;
    out.frames = frames;
    out.videoSeconds = end;
    if (encoder != nullptr) {
        out.encoderCpuSeconds = encoder->cpuSeconds();
        out.conversionCpuSeconds = encoder->conversionCpuSeconds();
    }
    if (m_spans) {
        out.audioFrames = m_spans->framesIn();
        out.audioSeconds = static_cast<double>(out.audioFrames) / video.audioRate;
        out.encoderCpuSeconds += m_spans->cpuSeconds();
        out.conversionCpuSeconds += m_spans->conversionCpuSeconds();
    }
    LQ_TRY(out.bytes, m_muxer->commit());
    return out;
}

} // namespace loquor::media
