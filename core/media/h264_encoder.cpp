#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <sys/prctl.h>
#include <unistd.h>

#include "core/base/trace.h"
#include "core/media/mp4_encoders.h"
#include "core/media/yuv.h"

namespace loquor::media {

namespace {

std::string threadFile(int id, const char* name)
{
    return "/proc/self/task/" + std::to_string(id) + "/" + name;
}

// Names the calling thread while it lives. A new thread inherits the name, so those that x264
// starts inside can be told from all others.
class ThreadNameMark
{
public:
    ThreadNameMark()
    {
        static std::atomic<unsigned> counter{0};
        ::prctl(PR_GET_NAME, m_before.data());
        char name[16];
        std::snprintf(name, sizeof name, "h264-%u", ++counter % 1'000'000u);
        m_name = name;
        ::prctl(PR_SET_NAME, name);
    }
    ~ThreadNameMark() { ::prctl(PR_SET_NAME, m_before.data()); }
    ThreadNameMark(const ThreadNameMark&) = delete;
    ThreadNameMark& operator=(const ThreadNameMark&) = delete;

    // Threads of this process that carry the mark, the caller left out.
    std::vector<int> others() const
    {
        std::vector<int> found;
        std::error_code code;
        const int self = static_cast<int>(::gettid());
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", code)) {
            const std::string number = entry.path().filename();
            int id = 0;
            std::from_chars(number.data(), number.data() + number.size(), id);
            std::string name;
            std::getline(std::ifstream(threadFile(id, "comm")), name);
            if (id != self && name == m_name)
                found.push_back(id);
        }
        return found;
    }

private:
    std::array<char, 16> m_before{};
    std::string m_name;
};

// Nanoseconds on a processor are the first number of this file.
double cpuSecondsOfThread(int id)
{
    double nanoseconds = 0;
    std::ifstream(threadFile(id, "schedstat")) >> nanoseconds;
    return nanoseconds * 1e-9;
}

void tagAsBt709(AVCodecContext& context)
{
    context.color_primaries = AVCOL_PRI_BT709;
    context.color_trc = AVCOL_TRC_BT709;
    context.colorspace = AVCOL_SPC_BT709;
    context.color_range = AVCOL_RANGE_MPEG;
    context.chroma_sample_location = AVCHROMA_LOC_LEFT;
}

// A caption that begins with a picture is on it, however its time was rounded.
double shownAt(std::int64_t frame, Rational fps)
{
    return secondsOf(frame, fps) + 1e-4;
}

} // namespace

void tagAsBt709(AVCodecParameters& parameters)
{
    parameters.color_primaries = AVCOL_PRI_BT709;
    parameters.color_trc = AVCOL_TRC_BT709;
    parameters.color_space = AVCOL_SPC_BT709;
    parameters.color_range = AVCOL_RANGE_MPEG;
    parameters.chroma_location = AVCHROMA_LOC_LEFT;
}

VideoCoding codingOf(const Mp4Options& options)
{
    VideoCoding coding{options.width, options.height, options.fps, options.quality, options.preset, options.threads};
    coding.keyInterval = std::max(1, static_cast<int>(std::lround(options.fps.toDouble() * options.keyFrameSeconds)));
    coding.label = options.label;
    coding.captionStyle = options.captionStyle;
    coding.captions = options.captions;
    return coding;
}

Result<> checkCoding(const VideoCoding& coding)
{
    const std::string size = std::to_string(coding.width) + "x" + std::to_string(coding.height);
    if (coding.width % 2 != 0 || coding.height % 2 != 0)
        return fail(ErrorCode::InvalidArgument, "A video of " + size +
                                                    " is not possible: H.264 needs an even width and height. Use " +
                                                    std::to_string(coding.width + coding.width % 2) + "x" +
                                                    std::to_string(coding.height + coding.height % 2) + ".");
    if (coding.width < 16 || coding.height < 16 || coding.width > 8192 || coding.height > 8192)
        return fail(ErrorCode::InvalidArgument,
                    "A video of " + size + " is not possible: each side must be 16 to 8192.");
    if (coding.fps.num <= 0 || coding.fps.den <= 0 || coding.fps.toDouble() < 1 || coding.fps.toDouble() > 240)
        return fail(ErrorCode::InvalidArgument,
                    "A frame rate of " + coding.fps.toString() + " is not possible: use 1 to 240.");
    if (coding.quality < 0 || coding.quality > 51 || coding.keyInterval <= 0 || coding.threads < 0)
        return fail(ErrorCode::InvalidArgument, "Quality must be 0 to 51 and key frames apart.");
    return {};
}

Result<H264Encoder> H264Encoder::create(const VideoCoding& coding, bool globalHeader)
{
    const std::string what = "Cannot start the H.264 encoder for " + std::to_string(coding.width) +
                             "x" + std::to_string(coding.height);
    const AVCodec* codec = avcodec_find_encoder_by_name("libx264");
    if (codec == nullptr)
        return fail(ErrorCode::Unsupported, what + ": this FFmpeg has no libx264.");
    H264Encoder self;
    if (coding.label.isShown()) {
        LQ_TRY(self.m_label, LabelArt::draw(coding.label, coding.width, coding.height));
    }
    self.m_fps = coding.fps;
    if (coding.captionStyle) {
        LQ_TRY(self.m_captions, CaptionPainter::create(*coding.captionStyle, coding.width, coding.height, self.rowsOfLabel(coding)));
        self.m_captions->add(coding.captions);
    }
    self.m_context.reset(avcodec_alloc_context3(codec));
    self.m_frame = makeFrame();
    self.m_packet = makePacket();
    AVCodecContext& context = *self.m_context;
    context.width = coding.width;
    context.height = coding.height;
    context.pix_fmt = AV_PIX_FMT_YUV420P;
    context.framerate = toAv(coding.fps);
    context.time_base = av_inv_q(context.framerate);
    context.sample_aspect_ratio = {1, 1};
    context.gop_size = coding.keyInterval;
    context.thread_count = coding.isSegment ? 1 : coding.threads;
    context.flags |= AV_CODEC_FLAG_CLOSED_GOP;
    if (globalHeader)
        context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    tagAsBt709(context);
    Dictionary settings;
    settings.set("preset", coding.preset);
    settings.set("crf", std::to_string(coding.quality));
    if (coding.isSegment) {
        context.max_b_frames = 0;
        settings.set("sc_threshold", "0");
        settings.set("forced-idr", "1");
        // Without mbtree a key frame is no better than the frames around it, and the smaller dead zone keeps rounding
        // from having a direction: where a join begins with a key frame, brightness and colour do not jump (the finer
        // colour quantiser is what x264 sets by itself beside trellis). Without
        // CABAC pictures are decoded in two thirds of the time. Early skipping shows small movements behind a key
        // frame as a repeated picture; the narrower search pays for doing without.
        settings.set("x264-params", "mbtree=0:trellis=0:deadzone-inter=16:chroma-qp-offset=-2:cabac=0:fast-pskip=0:"
                                    "partitions=i4x4,i8x8:me=dia:ipratio=1.0");
        self.m_keyInterval = coding.keyInterval;
    }
    {
        const ThreadNameMark mark;
        const int code = avcodec_open2(&context, codec, settings.get());
        if (code < 0)
            return fail(avError(code, what));
        for (const int id : mark.others())
            self.m_threads.push_back({id, 0.0});
    }
    AVFrame& frame = *self.m_frame;
    frame.format = context.pix_fmt;
    frame.width = context.width;
    frame.height = context.height;
    frame.color_range = context.color_range;
    frame.colorspace = context.colorspace;
    if (const int code = av_frame_get_buffer(&frame, 0); code < 0)
        return fail(avError(code, what));
    return self;
}

Result<> H264Encoder::encode(const Image* rgb, const PacketSink& sink, bool asKey)
{
    if (rgb == nullptr) {
        for (WorkerThread& thread : m_threads)
            thread.cpuSeconds = cpuSecondsOfThread(thread.id);
        return send(nullptr, sink);
    }
    const double start = threadCpuSeconds();
    AVFrame* frame = m_frame.get();
    if (const int code = av_frame_make_writable(frame); code < 0)
        return fail(avError(code, "Cannot encode the picture"));
    rgbToYuv420(rgb->data.data(), static_cast<std::ptrdiff_t>(rgb->stride()), rgb->width, rgb->height,
                {frame->data[0], frame->data[1], frame->data[2], frame->linesize[0], frame->linesize[1],
                 frame->linesize[2]});
    drawArt(*frame);
    frame->pts = m_in++;
    frame->pict_type = asKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    if (m_keyInterval > 0)
        weigh(*frame, asKey);
    m_conversionCpu += threadCpuSeconds() - start;
    return send(frame, sink);
}

// Behind a key frame little is left to be coded where little moves, and the picture would stand still: two pictures
// are coded more finely. All of them a step finer than `quality` says, which makes up for key frames that are nearly as
// coarse as the others (ipratio), key frames another, which keeps their colours; the parameter sets stay those of
// older segments.
void H264Encoder::weigh(AVFrame& frame, bool asKey)
{
    constexpr std::array<int, 3> kTenthSteps{-20, -70, -45}; // of the quantiser: key frame, the next, the one after
    m_sinceKey = asKey || m_in == 1 || m_sinceKey + 1 >= m_keyInterval ? 0 : m_sinceKey + 1;
    const int tenths = m_sinceKey < 3 ? kTenthSteps[static_cast<std::size_t>(m_sinceKey)] : -10;
    av_frame_remove_side_data(&frame, AV_FRAME_DATA_REGIONS_OF_INTEREST);
    AVFrameSideData* side =
        av_frame_new_side_data(&frame, AV_FRAME_DATA_REGIONS_OF_INTEREST, sizeof(AVRegionOfInterest));
    if (side == nullptr)
        throw std::bad_alloc();
    auto* region = reinterpret_cast<AVRegionOfInterest*>(side->data);
    *region = {};
    region->self_size = sizeof(AVRegionOfInterest);
    region->bottom = frame.height;
    region->right = frame.width;
    region->qoffset = {tenths, 510}; // 1 = all 51 steps
}

// Rows at the edge of the captions that the label takes.
int H264Encoder::rowsOfLabel(const VideoCoding& coding) const
{
    if (!m_label)
        return 0;
    const bool isTop = coding.label.corner == Corner::TopLeft || coding.label.corner == Corner::TopRight;
    if (isTop != (coding.captionStyle->place == CaptionPlace::Top))
        return 0;
    return isTop ? m_label->bottom() : coding.height - m_label->top();
}

void H264Encoder::addCaptions(std::vector<BurntCaption> captions)
{
    if (m_captions)
        m_captions->add(std::move(captions));
}

bool H264Encoder::hasArt() const
{
    return m_label || (m_captions && m_captions->shows(shownAt(m_in, m_fps)));
}

void H264Encoder::drawArt(AVFrame& frame)
{
    if (m_label)
        m_label->lay(frame);
    if (m_captions)
        m_captions->paint(shownAt(m_in, m_fps), {frame.data[0], frame.data[1], frame.data[2], frame.linesize[0],
                                                 frame.linesize[1], frame.linesize[2]});
}

Result<> H264Encoder::encodeYuv(AVFrame& frame, const PacketSink& sink)
{
    if (hasArt()) {
        if (const int code = av_frame_make_writable(&frame); code < 0) // a decoder may still refer to it
            return fail(avError(code, "Cannot encode the picture"));
        drawArt(frame);
    }
    frame.pts = m_in++;
    frame.pict_type = AV_PICTURE_TYPE_NONE;
    return send(&frame, sink);
}

Result<> H264Encoder::send(AVFrame* frame, const PacketSink& sink)
{
    const double start = threadCpuSeconds();
    int code = avcodec_send_frame(m_context.get(), frame);
    if (code < 0)
        return fail(avError(code, "Cannot encode the picture"));
    m_callCpu += threadCpuSeconds() - start;
    for (;;) {
        const double before = threadCpuSeconds();
        code = avcodec_receive_packet(m_context.get(), m_packet.get());
        m_callCpu += threadCpuSeconds() - before;
        if (code == AVERROR(EAGAIN) || code == AVERROR_EOF)
            return {};
        if (code < 0)
            return fail(avError(code, "Cannot encode the picture"));
        ++m_out;
        m_packet->duration = 1; // one frame, in the encoder's time base
        LQ_CHECKED(sink(*m_packet));
    }
}

double H264Encoder::cpuSeconds() const
{
    double sum = m_callCpu;
    for (const WorkerThread& thread : m_threads)
        sum += std::max(thread.cpuSeconds, cpuSecondsOfThread(thread.id));
    return sum;
}

} // namespace loquor::media
