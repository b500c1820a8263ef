// The two encoders and the muxer behind Mp4Writer. Private to core/media.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/media/caption_painter.h"
#include "core/media/ffmpeg_support.h"
#include "core/media/label_art.h"
#include "core/media/mp4_writer.h"
#include "core/media/swr_converter.h"
#include "core/platform/atomic_file.h"

namespace loquor::media {

// MP4 into an AtomicFile through a descriptor of its own; remembers the first write error.
class Mp4Muxer
{
public:
    static Result<std::unique_ptr<Mp4Muxer>> create(platform::AtomicFile file);
    ~Mp4Muxer();
    Mp4Muxer(const Mp4Muxer&) = delete;
    Mp4Muxer& operator=(const Mp4Muxer&) = delete;

    bool needsGlobalHeader() const;
    Result<AVStream*> addStream(const AVCodecContext& encoder);
    // A stream whose packets come from elsewhere. Times in `timeBase`.
    Result<AVStream*> addStream(const AVCodecParameters& parameters, AVRational timeBase);
    // A name with a dot, such as com.loquor.project, needs the form of tags that QuickTime has; then all
    // tags are written so, the well-known ones under QuickTime's names too.
    void setTags(const std::map<std::string, std::string>& tags);
    // Where the index goes: in front by moving everything at the end, in front into room of so many bytes
    // that is kept for it (more than enough: it fails otherwise), or behind.
    struct Index
    {
        bool inFront = true;
        std::int64_t room = 0;
    };
    Result<> writeHeader(Index index);
    // Takes the packet's data; times in the encoder's time base.
    Result<> write(AVPacket& packet, const AVStream& stream, AVRational timeBase);
    // The same at once, for callers that write in order of time themselves.
    Result<> writeNow(AVPacket& packet, const AVStream& stream, AVRational timeBase);
    Result<> writeTrailer();
    // The file gets its name. Its size.
    Result<std::uint64_t> commit();
    platform::AtomicFile& file() { return m_file; }

private:
    explicit Mp4Muxer(platform::AtomicFile file) : m_file(std::move(file)) {}
    static int writeBytes(void* opaque, std::uint8_t* data, int bytes);
    static std::int64_t seekTo(void* opaque, std::int64_t offset, int whence);
    Error writeError(int code) const;
    int soundRate() const; // 48000 without sound

    platform::AtomicFile m_file;
    AVIOContext* m_io = nullptr;
    AVFormatContext* m_context = nullptr;
    int m_writeErrno = 0;
    bool m_hasOwnTags = false;
};

// How pictures are encoded.
struct VideoCoding
{
    int width = 0, height = 0;
    Rational fps{25, 1};
    int quality = 18;
    std::string preset = "veryfast";
    int threads = 0;
    int keyInterval = 125; // frames
    // A segment: no B frames, no key frames but those of the interval and those asked for, and one thread,
    // so that the same pictures always give the same bytes.
    bool isSegment = false;
    PictureLabel label{}; // on every picture
    std::optional<CaptionStyle> captionStyle{};
    std::vector<BurntCaption> captions{};
};
VideoCoding codingOf(const Mp4Options& options);
// Sizes, rates and quality: InvalidArgument.
Result<> checkCoding(const VideoCoding& coding);
// BT.709, limited, chroma left: what all our videos are.
void tagAsBt709(AVCodecParameters& parameters);

// Takes each packet as it comes, with times in the encoder's time base; may move it away.
using PacketSink = std::function<Result<>(AVPacket&)>;

// H.264. Measures the processor time of its own threads and of the calls into it.
class H264Encoder
{
public:
    static Result<H264Encoder> create(const VideoCoding& coding, bool globalHeader);
    const AVCodecContext& context() const { return *m_context; }
    // Converts and encodes; empty image: drains.
    Result<> encode(const Image* rgb, const PacketSink& sink, bool asKey = false);
    // A picture that is yuv420p of the right size already; it is changed when there is a label or a caption.
    Result<> encodeYuv(AVFrame& frame, const PacketSink& sink);
    void addCaptions(std::vector<BurntCaption> captions);
    std::int64_t framesIn() const { return m_in; }
    std::int64_t framesOut() const { return m_out; }
    double cpuSeconds() const;
    double conversionCpuSeconds() const { return m_conversionCpu; }

private:
    Result<> send(AVFrame* frame, const PacketSink& sink);
    void weigh(AVFrame& frame, bool asKey);
    bool hasArt() const;            // something is to be drawn on the next picture
    void drawArt(AVFrame& frame);
    int rowsOfLabel(const VideoCoding& coding) const;

    CodecPtr m_context;
    int m_keyInterval = 0, m_sinceKey = 0; // of a segment, else 0
    std::optional<LabelArt> m_label;
    std::optional<CaptionPainter> m_captions;
    Rational m_fps;
    AvFramePtr m_frame;
    PacketPtr m_packet;
    struct WorkerThread
    {
        int id = 0;            // kernel thread id
        double cpuSeconds = 0; // when it was last looked at: x264 ends one before the last picture
    };
    std::vector<WorkerThread> m_threads; // that x264 started
    std::int64_t m_in = 0, m_out = 0;
    double m_callCpu = 0, m_conversionCpu = 0;
};

// How sound is encoded.
struct AacCoding
{
    int rate = 48'000; // of the samples given
    int channels = 1;
    int bitrate = 128'000;
};

// AAC. Cuts the sound into the encoder's frames; packets' times are in samples, from -initial_padding on.
class AacEncoder
{
public:
    static Result<AacEncoder> create(const AacCoding& coding, bool globalHeader);
    const AVCodecContext& context() const { return *m_context; }
    CodecPtr takeContext() { return std::move(m_context); }
    Result<> encode(const float* samples, SampleIndex frames, const PacketSink& sink);
    Result<> finish(const PacketSink& sink);
    SampleIndex framesIn() const { return m_in; }
    double cpuSeconds() const { return m_cpu; }
    double conversionCpuSeconds() const { return m_conversionCpu; }

private:
    Result<> sendPending(const PacketSink& sink, bool isLast);
    Result<> receive(const PacketSink& sink);

    CodecPtr m_context;
    std::unique_ptr<SwrConverter> m_converter; // null when the rate is the encoder's
    AvFramePtr m_frame;
    PacketPtr m_packet;
    std::vector<float> m_pending; // interleaved, at the encoder's rate
    SampleIndex m_in = 0, m_sent = 0;
    double m_cpu = 0, m_conversionCpu = 0;
};
// The rate that sound of another rate is converted to.
int aacRate(int audioRate);

} // namespace loquor::media
