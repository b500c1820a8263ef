#include "core/media/probe.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/media/display_shape.h"
#include "core/media/ffmpeg_support.h"
#include "core/media/h264_chain.h"

namespace loquor::media {

namespace {

std::string named(const char* name)
{
    return name != nullptr ? name : "unknown";
}

VideoFacts videoHeaders(AVFormatContext& context, AVStream& stream)
{
    const AVCodecParameters& p = *stream.codecpar;
    VideoFacts facts;
    facts.codec = avcodec_get_name(p.codec_id);
    const auto format = static_cast<AVPixelFormat>(p.format);
    facts.pixelFormat = named(av_get_pix_fmt_name(format));
    const DisplayShape shape = displayShape(context, stream);
    facts.width = shape.width;
    facts.height = shape.height;
    facts.rotationDegrees = shape.rotationDegrees();
    facts.codedWidth = p.width;
    facts.codedHeight = p.height;
    facts.frameRate = fromAv(stream.avg_frame_rate);
    facts.baseRate = fromAv(stream.r_frame_rate);
    facts.hasAlpha = hasAlpha(stream);
    facts.isHdr = p.color_trc == AVCOL_TRC_SMPTE2084 || p.color_trc == AVCOL_TRC_ARIB_STD_B67;
    facts.primaries = named(av_color_primaries_name(p.color_primaries));
    facts.transfer = named(av_color_transfer_name(p.color_trc));
    facts.matrix = named(av_color_space_name(p.color_space));
    facts.range = named(av_color_range_name(p.color_range));
    return facts;
}

AudioFacts audioHeaders(const AVStream& stream)
{
    AudioFacts facts;
    facts.codec = avcodec_get_name(stream.codecpar->codec_id);
    facts.sampleRate = stream.codecpar->sample_rate;
    facts.channels = stream.codecpar->ch_layout.nb_channels;
    return facts;
}

// Times of one stream, gathered from its packets.
class PacketTimes
{
public:
    explicit PacketTimes(const AVStream* stream) : m_stream(stream) {}

    void add(const AVPacket& packet)
    {
        ++m_count;
        if ((packet.flags & AV_PKT_FLAG_KEY) != 0)
            ++m_keys;
        const std::int64_t at = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
        if (at == AV_NOPTS_VALUE)
            return;
        m_first = std::min(m_first, at);
        m_end = std::max(m_end, at + std::max<std::int64_t>(packet.duration, 0));
        m_points.push_back(at);
    }

    std::int64_t count() const { return m_count; }
    std::int64_t keys() const { return m_keys; }
    double unit() const { return av_q2d(m_stream->time_base); }
    double start() const { return m_points.empty() ? 0 : static_cast<double>(m_first) * unit(); }
    double duration() const
    {
        return m_points.empty() ? 0 : static_cast<double>(m_end - m_first) * unit();
    }
    // Distances that differ by more than the rounding to the container's clock.
    bool isVariable()
    {
        if (m_points.size() < 3)
            return false;
        std::sort(m_points.begin(), m_points.end());
        std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
        for (std::size_t i = 1; i < m_points.size(); ++i) {
            least = std::min(least, m_points[i] - m_points[i - 1]);
            most = std::max(most, m_points[i] - m_points[i - 1]);
        }
        const double rounding = std::max(2.1, 0.02 * static_cast<double>(least));
        return static_cast<double>(most - least) > rounding &&
               static_cast<double>(most - least) * unit() > 0.0021;
    }

private:
    const AVStream* m_stream;
    std::int64_t m_count = 0, m_keys = 0;
    std::int64_t m_first = std::numeric_limits<std::int64_t>::max();
    std::int64_t m_end = std::numeric_limits<std::int64_t>::min();
    std::vector<std::int64_t> m_points;
};

// Counts what a decoder delivers.
class DecodeCounter
{
public:
    static Result<DecodeCounter> create(const AVStream& stream, const std::string& shownName)
    {
        DecodeCounter counter;
        LQ_TRY(counter.m_decoder, openDecoder(stream, 0, shownName));
        return counter;
    }
    // No packet: drains.
    void add(const AVPacket* packet)
    {
        if (avcodec_send_packet(m_decoder.get(), packet) < 0 && packet != nullptr)
            ++m_damaged;
        for (;;) {
            const int code = avcodec_receive_frame(m_decoder.get(), m_frame.get());
            if (code == AVERROR(EAGAIN) || code == AVERROR_EOF)
                return;
            if (code < 0) {
                ++m_damaged;
                return;
            }
            ++m_frames;
            m_samples += m_frame->nb_samples;
            if (m_frame->decode_error_flags != 0 || (m_frame->flags & AV_FRAME_FLAG_CORRUPT) != 0)
                ++m_damaged;
        }
    }
    std::int64_t frames() const { return m_frames; }
    SampleIndex samples() const { return m_samples; }
    int damaged() const { return m_damaged; }

private:
    CodecPtr m_decoder;
    AvFramePtr m_frame = makeFrame();
    std::int64_t m_frames = 0;
    SampleIndex m_samples = 0;
    int m_damaged = 0;
};

// One stream that is looked at: its packet times and, if wanted, its decoder.
struct Track
{
    int index = -1;
    std::optional<PacketTimes> times;
    std::optional<H264ChainCheck> chain;
    std::optional<DecodeCounter> counter;
    int damaged = 0;

    Result<> open(AVFormatContext& context, int stream, bool decode, const std::string& shownName)
    {
        index = stream;
        if (index < 0)
            return {};
        times.emplace(context.streams[index]);
        chain.emplace(*context.streams[index]->codecpar);
        if (decode) {
            LQ_TRY(counter, DecodeCounter::create(*context.streams[index], shownName));
        }
        return {};
    }
    void add(const AVPacket& packet)
    {
        if (packet.stream_index != index)
            return;
        times->add(packet);
        if (!chain->isWhole(packet))
            ++damaged;
        if (counter)
            counter->add(&packet);
    }
    void drain()
    {
        if (counter)
            counter->add(nullptr);
    }
};

int firstStream(const AVFormatContext& context, AVMediaType type)
{
    for (unsigned int i = 0; i < context.nb_streams; ++i) {
        const AVStream& stream = *context.streams[i];
        if (stream.codecpar->codec_type == type &&
            (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) == 0)
            return static_cast<int>(i);
    }
    return -1;
}

void headerTimes(const AVFormatContext& context, const AVStream& stream, double& start,
                 double& duration)
{
    const double unit = av_q2d(stream.time_base);
    if (stream.start_time != AV_NOPTS_VALUE)
        start = static_cast<double>(stream.start_time) * unit;
    if (stream.duration > 0)
        duration = static_cast<double>(stream.duration) * unit;
    else if (context.duration > 0)
        duration = static_cast<double>(context.duration) / AV_TIME_BASE;
}

Result<> readAll(Demuxer& demuxer, Track& video, Track& audio, MediaFacts& facts,
                 const CancelToken& cancel)
{
    PacketPtr packet = makePacket();
    for (;;) {
        if (cancel.isCancelled())
            return cancelled();
        auto more = demuxer.readPacket(*packet);
        if (!more && demuxer.readErrno() != 0)
            return fail(std::move(more).error());
        if (!more)
            ++facts.damagedParts;
        if (!more || !*more)
            break;
        video.add(*packet);
        audio.add(*packet);
        av_packet_unref(packet.get());
    }
    video.drain();
    audio.drain();
    if (video.times) {
        facts.video->packets = video.times->count();
        facts.video->keyFrames = video.times->keys();
        facts.video->startSeconds = video.times->start();
        facts.video->durationSeconds = video.times->duration();
        facts.video->isVariableRate = video.times->isVariable();
    }
    if (audio.times) {
        facts.audio->packets = audio.times->count();
        // Encoder delay is in the packets before zero; players and the header leave it out.
        if (facts.audio->durationSeconds <= 0) {
            facts.audio->startSeconds = audio.times->start();
            facts.audio->durationSeconds = audio.times->duration();
        }
    }
    facts.damagedParts += video.damaged + audio.damaged;
    if (video.counter) {
        facts.video->decodedFrames = video.counter->frames();
        facts.damagedParts += video.counter->damaged();
    }
    if (audio.counter) {
        facts.audio->decodedFrames = audio.counter->samples();
        facts.damagedParts += audio.counter->damaged();
    }
    return {};
}

} // namespace

Result<MediaFacts> probeMedia(const std::filesystem::path& file, ProbeDepth depth,
                              const CancelToken& cancel)
{
    LQ_TRY(const std::unique_ptr<Demuxer> demuxer, Demuxer::open(file));
    AVFormatContext& context = *demuxer->context();
    MediaFacts facts;
    facts.container = context.iformat->name;
    if (context.duration > 0)
        facts.durationSeconds = static_cast<double>(context.duration) / AV_TIME_BASE;
    const AVDictionaryEntry* tag = nullptr;
    while ((tag = av_dict_get(context.metadata, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr)
        facts.tags[tag->key] = tag->value;

    const int videoIndex = firstStream(context, AVMEDIA_TYPE_VIDEO);
    const int audioIndex = firstStream(context, AVMEDIA_TYPE_AUDIO);
    if (videoIndex < 0 && audioIndex < 0)
        return fail(ErrorCode::Unsupported,
                    "There is neither picture nor sound in " + demuxer->shownName() + ".");
    if (videoIndex >= 0) {
        AVStream& stream = *context.streams[videoIndex];
        facts.video = videoHeaders(context, stream);
        headerTimes(context, stream, facts.video->startSeconds, facts.video->durationSeconds);
    }
    if (audioIndex >= 0) {
        const AVStream& stream = *context.streams[audioIndex];
        facts.audio = audioHeaders(stream);
        headerTimes(context, stream, facts.audio->startSeconds, facts.audio->durationSeconds);
    }
    if (depth == ProbeDepth::Headers)
        return facts;
    Track video, audio;
    const bool decode = depth == ProbeDepth::Decode;
    LQ_CHECKED(video.open(context, videoIndex, decode, demuxer->shownName()));
    LQ_CHECKED(audio.open(context, audioIndex, decode, demuxer->shownName()));
    LQ_CHECKED(readAll(*demuxer, video, audio, facts, cancel));
    return facts;
}

} // namespace loquor::media
