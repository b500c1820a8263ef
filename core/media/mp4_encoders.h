// The two encoders and the muxer behind Mp4Writer. Private to core/media.
#pragma once

#include <string>
#include <vector>

#include "core/media/ffmpeg_support.h"
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
    void setTag(const std::string& name, const std::string& value);
    Result<> writeHeader();
    // Takes the packet's data; times in the encoder's time base.
    Result<> write(AVPacket& packet, const AVStream& stream, AVRational timeBase);
    Result<> writeTrailer();
    platform::AtomicFile& file() { return m_file; }

private:
    explicit Mp4Muxer(platform::AtomicFile file) : m_file(std::move(file)) {}
    static int writeBytes(void* opaque, std::uint8_t* data, int bytes);
    static std::int64_t seekTo(void* opaque, std::int64_t offset, int whence);
    Error writeError(int code) const;

    platform::AtomicFile m_file;
    AVIOContext* m_io = nullptr;
    AVFormatContext* m_context = nullptr;
    int m_writeErrno = 0;
};

// H.264. Measures the processor time of its own threads and of the calls into it.
class H264Encoder
{
public:
    static Result<H264Encoder> create(const Mp4Options& options, bool globalHeader);
    const AVCodecContext& context() const { return *m_context; }
    // Converts and encodes; empty image: drains. Packets go to the muxer.
    Result<> encode(const Image* rgb, Mp4Muxer& muxer, const AVStream& stream);
    std::int64_t framesIn() const { return m_in; }
    std::int64_t framesOut() const { return m_out; }
    double cpuSeconds() const;
    double conversionCpuSeconds() const { return m_conversionCpu; }

private:
    CodecPtr m_context;
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

// AAC. Cuts the sound into the encoder's frames.
class AacEncoder
{
public:
    static Result<AacEncoder> create(const Mp4Options& options, bool globalHeader);
    const AVCodecContext& context() const { return *m_context; }
    Result<> encode(const float* samples, SampleIndex frames, Mp4Muxer& muxer,
                    const AVStream& stream);
    Result<> finish(Mp4Muxer& muxer, const AVStream& stream);
    SampleIndex framesIn() const { return m_in; }
    double cpuSeconds() const { return m_cpu; }
    double conversionCpuSeconds() const { return m_conversionCpu; }

private:
    Result<> sendPending(Mp4Muxer& muxer, const AVStream& stream, bool isLast);
    Result<> receive(Mp4Muxer& muxer, const AVStream& stream);

    CodecPtr m_context;
    std::unique_ptr<SwrConverter> m_converter; // null when the rate is the encoder's
    AvFramePtr m_frame;
    PacketPtr m_packet;
    std::vector<float> m_pending; // interleaved, at the encoder's rate
    SampleIndex m_in = 0, m_sent = 0;
    double m_cpu = 0, m_conversionCpu = 0;
};

} // namespace loquor::media
