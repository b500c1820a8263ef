#include "core/media/flac_writer.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/check.h"
#include "core/media/ffmpeg_support.h"
#include "core/platform/paths.h"

namespace loquor::media {

namespace fs = std::filesystem;

namespace {

constexpr int kIoBytes = 1 << 15;
constexpr int kMostChannels = 8;
constexpr double kFullScale = 8388608; // 2^23

// 24 bits in the upper part of 32, as FFmpeg wants them.
std::int32_t sampleOf(float value)
{
    const double scaled = std::nearbyint(static_cast<double>(value) * kFullScale);
    return static_cast<std::int32_t>(std::clamp(scaled, -kFullScale, kFullScale - 1)) * 256;
}

} // namespace

struct FlacWriter::Impl
{
    fs::path file, part;
    int channels = 0;
    platform::FileDescriptor fd;
    int ioErrno = 0;
    CodecPtr encoder;
    AvFramePtr frame = makeFrame();
    PacketPtr packet = makePacket();
    AVIOContext* io = nullptr;
    AVFormatContext* muxer = nullptr;
    std::vector<float> pending;
    SampleIndex taken = 0, sent = 0;

    ~Impl()
    {
        avformat_free_context(muxer);
        if (io != nullptr) {
            av_freep(static_cast<void*>(&io->buffer));
            avio_context_free(&io);
        }
    }

    static int writeBytes(void* opaque, std::uint8_t* from, int bytes)
    {
        auto* self = static_cast<Impl*>(opaque);
        for (int done = 0; done < bytes;) {
            const ssize_t count = ::write(self->fd.get(), from + done, static_cast<std::size_t>(bytes - done));
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0) {
                self->ioErrno = errno;
                return AVERROR(errno);
            }
            done += static_cast<int>(count);
        }
        return bytes;
    }
    static std::int64_t seekTo(void* opaque, std::int64_t offset, int whence)
    {
        auto* self = static_cast<Impl*>(opaque);
        if ((whence & AVSEEK_SIZE) != 0)
            return AVERROR(ENOSYS);
        const off_t at = ::lseek(self->fd.get(), offset, whence & ~AVSEEK_FORCE);
        return at < 0 ? AVERROR(errno) : at;
    }

    std::string shownName() const { return platform::quotedPath(file); }
    Error error(int code) const
    {
        if (ioErrno != 0)
            return errorFromErrno(ioErrno, "Cannot record to " + shownName());
        return avError(code, "Cannot record to " + shownName());
    }

    Result<> openPart()
    {
        std::error_code ec;
        if (fs::exists(file, ec))
            return fail(ErrorCode::AlreadyExists, "There is a recording " + shownName() + " already.");
        if (file.has_parent_path())
            fs::create_directories(file.parent_path(), ec); // if that failed, opening says why
        fd.reset(::open(part.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
        if (!fd.isOpen())
            return fail(errorFromErrno(errno, "Cannot record to " + shownName()));
        if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0)
            return fail(ErrorCode::AlreadyExists, shownName() + " is being recorded already.");
        if (::ftruncate(fd.get(), 0) != 0)
            return fail(errorFromErrno(errno, "Cannot record to " + shownName()));
        return {};
    }

    Result<> openEncoder(int sampleRate)
    {
        const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_FLAC);
        if (codec == nullptr)
            return fail(ErrorCode::Unsupported, "This FFmpeg has no FLAC encoder.");
        encoder.reset(avcodec_alloc_context3(codec));
        encoder->sample_rate = sampleRate;
        encoder->sample_fmt = AV_SAMPLE_FMT_S32;
        encoder->bits_per_raw_sample = 24;
        encoder->compression_level = 5;
        encoder->thread_count = 1;
        encoder->time_base = {1, sampleRate};
        av_channel_layout_default(&encoder->ch_layout, channels);
        if (const int code = avcodec_open2(encoder.get(), codec, nullptr); code < 0)
            return fail(avError(code, "Cannot record " + std::to_string(channels) + " channels at " +
                                          std::to_string(sampleRate) + " Hz"));
        return {};
    }

    Result<> openMuxer()
    {
        auto* buffer = static_cast<std::uint8_t*>(av_malloc(kIoBytes));
        LOQUOR_CHECK(buffer != nullptr);
        io = avio_alloc_context(buffer, kIoBytes, 1, this, nullptr, &Impl::writeBytes, &Impl::seekTo);
        if (const int code = avformat_alloc_output_context2(&muxer, nullptr, "flac", nullptr); code < 0)
            return fail(error(code));
        muxer->pb = io;
        muxer->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
        AVStream* stream = avformat_new_stream(muxer, nullptr);
        LOQUOR_CHECK(stream != nullptr);
        avcodec_parameters_from_context(stream->codecpar, encoder.get());
        stream->time_base = encoder->time_base;
        if (const int code = avformat_write_header(muxer, nullptr); code < 0)
            return fail(error(code));
        avio_flush(io);
        return ioErrno != 0 ? fail(error(0)) : Result<>();
    }

    Result<> send(SampleIndex count)
    {
        av_frame_unref(frame.get());
        frame->format = encoder->sample_fmt;
        frame->nb_samples = static_cast<int>(count);
        frame->sample_rate = encoder->sample_rate;
        av_channel_layout_copy(&frame->ch_layout, &encoder->ch_layout);
        if (const int code = av_frame_get_buffer(frame.get(), 0); code < 0)
            return fail(error(code));
        auto* to = reinterpret_cast<std::int32_t*>(frame->extended_data[0]);
        const auto values = static_cast<std::size_t>(count * channels);
        std::transform(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(values), to, sampleOf);
        pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(values));
        frame->pts = sent;
        sent += count;
        return encode(frame.get());
    }

    Result<> encode(const AVFrame* in)
    {
        int code = avcodec_send_frame(encoder.get(), in);
        while (code >= 0) {
            code = avcodec_receive_packet(encoder.get(), packet.get());
            if (code >= 0)
                code = av_write_frame(muxer, packet.get());
            av_packet_unref(packet.get());
        }
        if (code != AVERROR(EAGAIN) && code != AVERROR_EOF)
            return fail(error(code));
        avio_flush(io); // to the system: what is there survives the program
        return ioErrno != 0 ? fail(error(0)) : Result<>();
    }
};

FlacWriter::FlacWriter(std::unique_ptr<Impl> impl) : m(std::move(impl))
{
}
FlacWriter::~FlacWriter() = default;
FlacWriter::FlacWriter(FlacWriter&&) noexcept = default;
FlacWriter& FlacWriter::operator=(FlacWriter&&) noexcept = default;

fs::path FlacWriter::partOf(const fs::path& file)
{
    fs::path part = file;
    part += ".part";
    return part;
}

Result<FlacWriter> FlacWriter::create(const fs::path& file, int sampleRate, int channels)
{
    if (sampleRate <= 0 || channels < 1 || channels > kMostChannels)
        return fail(ErrorCode::Unsupported, "Recordings have 1 to 8 channels; this device has " +
                                                std::to_string(channels) + " at " + std::to_string(sampleRate) + " Hz.");
    routeFfmpegLog();
    auto impl = std::make_unique<Impl>();
    impl->file = file;
    impl->part = partOf(file);
    impl->channels = channels;
    LQ_CHECKED(impl->openPart());
    LQ_CHECKED(impl->openEncoder(sampleRate));
    LQ_CHECKED(impl->openMuxer());
    return FlacWriter(std::move(impl));
}

Result<> FlacWriter::write(const float* samples, SampleIndex frames)
{
    LOQUOR_CHECK(m && m->muxer != nullptr);
    m->pending.insert(m->pending.end(), samples, samples + frames * m->channels);
    m->taken += frames;
    const SampleIndex size = m->encoder->frame_size;
    while (static_cast<SampleIndex>(m->pending.size()) >= size * m->channels)
        LQ_CHECKED(m->send(size));
    return {};
}

Result<> FlacWriter::finish()
{
    if (!m->pending.empty())
        LQ_CHECKED(m->send(static_cast<SampleIndex>(m->pending.size()) / m->channels));
    LQ_CHECKED(m->encode(nullptr));
    if (const int code = av_write_trailer(m->muxer); code < 0)
        return fail(m->error(code));
    avio_flush(m->io);
    if (m->ioErrno != 0)
        return fail(m->error(0));
    if (::fdatasync(m->fd.get()) != 0)
        return fail(errorFromErrno(errno, "Cannot record to " + m->shownName()));
    // link() refuses an existing name; file systems without hard links get the plain rename.
    if (::link(m->part.c_str(), m->file.c_str()) == 0)
        ::unlink(m->part.c_str());
    else if (errno == EEXIST || ::rename(m->part.c_str(), m->file.c_str()) != 0)
        return fail(errorFromErrno(errno, "Cannot give the recording its name " + m->shownName()));
    m->fd.reset();
    return {};
}

void FlacWriter::discard()
{
    if (m->fd.isOpen())
        ::unlink(m->part.c_str());
    m->fd.reset();
}

SampleIndex FlacWriter::frames() const
{
    return m->taken;
}

bool isBeingWritten(const fs::path& part)
{
    const platform::FileDescriptor fd(::open(part.c_str(), O_RDONLY | O_CLOEXEC));
    return fd.isOpen() && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0;
}

} // namespace loquor::media
