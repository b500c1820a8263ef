#include "core/media/ffmpeg_support.h"

#include <array>
#include <cerrno>
#include <cstdarg>
#include <mutex>
#include <new>

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"

namespace loquor::media {

namespace {

constexpr int kIoBuffer = 64 << 10;

void logLine(void* source, int level, const char* format, va_list arguments)
{
    if (level > AV_LOG_WARNING)
        return;
    std::array<char, 512> line{};
    int printPrefix = 1;
    av_log_format_line2(source, level, format, arguments, line.data(),
                        static_cast<int>(line.size()), &printPrefix);
    std::string text = line.data();
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    log(LogLevel::Debug, "media", text);
}

} // namespace

void routeFfmpegLog()
{
    static std::once_flag once;
    std::call_once(once, [] { av_log_set_callback(logLine); });
}

AvFramePtr makeFrame()
{
    AvFramePtr frame(av_frame_alloc());
    if (!frame)
        throw std::bad_alloc();
    return frame;
}

PacketPtr makePacket()
{
    PacketPtr packet(av_packet_alloc());
    if (!packet)
        throw std::bad_alloc();
    return packet;
}

Error avError(int code, const std::string& what, std::source_location where)
{
    switch (code) {
    case AVERROR_INVALIDDATA:
        return Error(ErrorCode::Unreadable, what + ": the data are damaged or of an unknown kind.",
                     where);
    case AVERROR_EOF:
        return Error(ErrorCode::Unreadable, what + ": the file ends too early.", where);
    case AVERROR_DECODER_NOT_FOUND:
    case AVERROR_ENCODER_NOT_FOUND:
    case AVERROR_DEMUXER_NOT_FOUND:
    case AVERROR_MUXER_NOT_FOUND:
    case AVERROR_PATCHWELCOME:
        return Error(ErrorCode::Unsupported, what + ": this kind of file is not supported.", where);
    case AVERROR_EXIT:
        return Error(ErrorCode::Cancelled, "Cancelled.", where);
    default:
        break;
    }
    // Other negative values are errno; FFmpeg's own four-letter codes are far below.
    if (code < 0 && code > -4096)
        return errorFromErrno(-code, what, where);
    std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
    av_strerror(code, text.data(), text.size());
    return Error(ErrorCode::Unreadable, what + ": " + text.data(), where);
}

Result<std::unique_ptr<Demuxer>> Demuxer::open(const std::filesystem::path& file, Look look)
{
    std::unique_ptr<Demuxer> demuxer(new Demuxer);
    LQ_TRY(demuxer->m_fd, platform::openForReading(file));
    demuxer->m_shownName = platform::quotedPath(file);
    struct stat info{};
    if (::fstat(demuxer->m_fd.get(), &info) == 0 && info.st_size == 0)
        return fail(ErrorCode::EmptyInput,
                    "The file " + demuxer->m_shownName + " is empty (0 bytes).");
    LQ_CHECKED(demuxer->start(look));
    return demuxer;
}

Result<std::unique_ptr<Demuxer>> Demuxer::open(std::FILE* file, const std::string& shownName)
{
    std::unique_ptr<Demuxer> demuxer(new Demuxer);
    demuxer->m_file = file;
    demuxer->m_shownName = shownName;
    LQ_CHECKED(demuxer->start(Look::Inside));
    return demuxer;
}

Result<> Demuxer::start(Look look)
{
    routeFfmpegLog();
    auto* buffer = static_cast<unsigned char*>(av_malloc(kIoBuffer));
    m_io = avio_alloc_context(buffer, kIoBuffer, 0, this, readBytes, nullptr, seekTo);
    m_context = avformat_alloc_context();
    if (m_io == nullptr || m_context == nullptr)
        throw std::bad_alloc();
    m_context->pb = m_io;
    // Playlists and reference movies would like to open more; nothing may.
    m_context->io_open = [](AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
        return AVERROR(EPERM);
    };
    const int code = avformat_open_input(&m_context, nullptr, nullptr, nullptr);
    if (code < 0) {
        if (m_readErrno != 0)
            return fail(errorFromErrno(m_readErrno, "Cannot read " + m_shownName));
        return fail(avError(code, "Cannot read " + m_shownName));
    }
    if (look == Look::HeaderOnly)
        return {};
    if (const int found = avformat_find_stream_info(m_context, nullptr); found < 0)
        return fail(avError(found, "Cannot read " + m_shownName));
    return {};
}

Demuxer::~Demuxer()
{
    avformat_close_input(&m_context); // leaves a caller's own io alone
    if (m_io != nullptr)
        av_freep(static_cast<void*>(&m_io->buffer));
    avio_context_free(&m_io);
}

int Demuxer::readBytes(void* opaque, std::uint8_t* to, int bytes)
{
    auto* self = static_cast<Demuxer*>(opaque);
    if (self->m_file != nullptr) {
        const std::size_t n = std::fread(to, 1, static_cast<std::size_t>(bytes), self->m_file);
        return n > 0 ? static_cast<int>(n) : AVERROR_EOF;
    }
    for (;;) {
        const ssize_t n = ::read(self->m_fd.get(), to, static_cast<std::size_t>(bytes));
        if (n > 0)
            return static_cast<int>(n);
        if (n == 0)
            return AVERROR_EOF;
        if (errno == EINTR)
            continue;
        self->m_readErrno = errno;
        return AVERROR(errno);
    }
}

std::int64_t Demuxer::seekTo(void* opaque, std::int64_t offset, int whence)
{
    auto* self = static_cast<Demuxer*>(opaque);
    if (self->m_file != nullptr) {
        if (whence == AVSEEK_SIZE) {
            const off_t here = ::ftello(self->m_file);
            ::fseeko(self->m_file, 0, SEEK_END);
            const off_t size = ::ftello(self->m_file);
            ::fseeko(self->m_file, here, SEEK_SET);
            return size;
        }
        return ::fseeko(self->m_file, offset, whence & ~AVSEEK_FORCE) == 0
                   ? static_cast<std::int64_t>(::ftello(self->m_file))
                   : AVERROR(errno);
    }
    if (whence == AVSEEK_SIZE) {
        struct stat info{};
        return ::fstat(self->m_fd.get(), &info) == 0 ? static_cast<std::int64_t>(info.st_size)
                                                     : AVERROR(errno);
    }
    const off_t at = ::lseek(self->m_fd.get(), offset, whence & ~AVSEEK_FORCE);
    return at >= 0 ? static_cast<std::int64_t>(at) : AVERROR(errno);
}

Result<bool> Demuxer::readPacket(AVPacket& packet)
{
    const int code = av_read_frame(m_context, &packet);
    if (code >= 0)
        return true;
    if (m_readErrno != 0)
        return fail(errorFromErrno(m_readErrno, "Cannot read " + m_shownName));
    if (code == AVERROR_EOF)
        return false;
    return fail(avError(code, "Cannot read " + m_shownName));
}

Result<CodecPtr> openDecoder(const AVStream& stream, int threads, const std::string& shownName)
{
    const AVCodecID id = stream.codecpar->codec_id;
    const AVCodec* codec = avcodec_find_decoder(id);
    // FFmpeg's own VP8 and VP9 decoders leave the alpha plane out.
    if (id == AV_CODEC_ID_VP8 || id == AV_CODEC_ID_VP9) {
        const AVDictionaryEntry* alpha = av_dict_get(stream.metadata, "alpha_mode", nullptr, 0);
        if (alpha != nullptr && std::string(alpha->value) == "1")
            if (const AVCodec* other =
                    avcodec_find_decoder_by_name(id == AV_CODEC_ID_VP8 ? "libvpx" : "libvpx-vp9"))
                codec = other;
    }
    const std::string what =
        "Cannot decode the " + std::string(avcodec_get_name(id)) + " data in " + shownName;
    if (codec == nullptr)
        return fail(ErrorCode::Unsupported, what + ": no decoder for it is installed.");
    CodecPtr context(avcodec_alloc_context3(codec));
    if (!context)
        throw std::bad_alloc();
    if (const int code = avcodec_parameters_to_context(context.get(), stream.codecpar); code < 0)
        return fail(avError(code, what));
    context->pkt_timebase = stream.time_base;
    context->thread_count = threads;
    if (const int code = avcodec_open2(context.get(), codec, nullptr); code < 0)
        return fail(avError(code, what));
    return context;
}

} // namespace loquor::media
