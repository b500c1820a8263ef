#include <algorithm>
#include <array>
#include <cerrno>
#include <new>

#include <sys/stat.h>
#include <unistd.h>

#include "core/media/mp4_encoders.h"
#include "core/platform/paths.h"

namespace loquor::media {

namespace {

constexpr int kIoBuffer = 256 << 10;

} // namespace

Result<std::unique_ptr<Mp4Muxer>> Mp4Muxer::create(platform::AtomicFile file)
{
    routeFfmpegLog();
    std::unique_ptr<Mp4Muxer> muxer(new Mp4Muxer(std::move(file)));
    if (const int code = avformat_alloc_output_context2(&muxer->m_context, nullptr, "mp4", nullptr);
        code < 0)
        return fail(avError(code, "Cannot make an MP4 file"));
    auto* buffer = static_cast<unsigned char*>(av_malloc(kIoBuffer));
    muxer->m_io =
        avio_alloc_context(buffer, kIoBuffer, 1, muxer.get(), nullptr, writeBytes, seekTo);
    if (buffer == nullptr || muxer->m_io == nullptr)
        throw std::bad_alloc();
    muxer->m_context->pb = muxer->m_io;
    // To put the index in front, the muxer reads its own file once more, by this name.
    muxer->m_context->url =
        av_strdup(("file:/proc/self/fd/" + std::to_string(muxer->m_file.fd())).c_str());
    return muxer;
}

Mp4Muxer::~Mp4Muxer()
{
    avformat_free_context(m_context);
    if (m_io != nullptr)
        av_freep(static_cast<void*>(&m_io->buffer));
    avio_context_free(&m_io);
}

int Mp4Muxer::writeBytes(void* opaque, std::uint8_t* data, int bytes)
{
    auto* self = static_cast<Mp4Muxer*>(opaque);
    int done = 0;
    while (done < bytes) {
        const ssize_t n =
            ::write(self->m_file.fd(), data + done, static_cast<std::size_t>(bytes - done));
        if (n < 0) {
            if (errno == EINTR)
                continue;
            if (self->m_writeErrno == 0)
                self->m_writeErrno = errno;
            return AVERROR(errno);
        }
        done += static_cast<int>(n);
    }
    return bytes;
}

std::int64_t Mp4Muxer::seekTo(void* opaque, std::int64_t offset, int whence)
{
    auto* self = static_cast<Mp4Muxer*>(opaque);
    if (whence == AVSEEK_SIZE) {
        struct stat info{};
        return ::fstat(self->m_file.fd(), &info) == 0 ? static_cast<std::int64_t>(info.st_size)
                                                      : AVERROR(errno);
    }
    const off_t at = ::lseek(self->m_file.fd(), offset, whence & ~AVSEEK_FORCE);
    return at >= 0 ? static_cast<std::int64_t>(at) : AVERROR(errno);
}

Error Mp4Muxer::writeError(int code) const
{
    const std::string what = "Cannot write " + platform::quotedPath(m_file.path());
    if (m_writeErrno != 0)
        return errorFromErrno(m_writeErrno, what);
    return avError(code, what);
}

bool Mp4Muxer::needsGlobalHeader() const
{
    return (m_context->oformat->flags & AVFMT_GLOBALHEADER) != 0;
}

Result<AVStream*> Mp4Muxer::addStream(const AVCodecContext& encoder)
{
    AVStream* stream = avformat_new_stream(m_context, nullptr);
    if (stream == nullptr)
        throw std::bad_alloc();
    if (const int code = avcodec_parameters_from_context(stream->codecpar, &encoder); code < 0)
        return fail(writeError(code));
    stream->time_base = encoder.time_base;
    stream->avg_frame_rate = encoder.framerate;
    return stream;
}

Result<AVStream*> Mp4Muxer::addStream(const AVCodecParameters& parameters, AVRational timeBase)
{
    AVStream* stream = avformat_new_stream(m_context, nullptr);
    if (stream == nullptr)
        throw std::bad_alloc();
    if (const int code = avcodec_parameters_copy(stream->codecpar, &parameters); code < 0)
        return fail(writeError(code));
    stream->time_base = timeBase;
    return stream;
}

void Mp4Muxer::setTags(const std::map<std::string, std::string>& tags)
{
    static constexpr std::array<std::pair<const char*, const char*>, 6> kQuickTime{
        {{"title", "com.apple.quicktime.title"},
         {"comment", "com.apple.quicktime.comment"},
         {"description", "com.apple.quicktime.description"},
         {"artist", "com.apple.quicktime.artist"},
         {"copyright", "com.apple.quicktime.copyright"},
         {"encoding_tool", "com.apple.quicktime.software"}}};
    m_hasOwnTags = std::any_of(tags.begin(), tags.end(),
                               [](const auto& tag) { return tag.first.find('.') != std::string::npos; });
    for (const auto& [name, value] : tags) {
        av_dict_set(&m_context->metadata, name.c_str(), value.c_str(), 0);
        if (!m_hasOwnTags)
            continue;
        for (const auto& [plain, quickTime] : kQuickTime)
            if (name == plain)
                av_dict_set(&m_context->metadata, quickTime, value.c_str(), 0);
        if (name == "encoding_tool")
            av_dict_set(&m_context->metadata, "encoder", value.c_str(), 0);
    }
}

int Mp4Muxer::soundRate() const
{
    for (unsigned i = 0; i < m_context->nb_streams; ++i)
        if (m_context->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO)
            return m_context->streams[i]->codecpar->sample_rate;
    return 48000;
}

Result<> Mp4Muxer::writeHeader(Index index)
{
    Dictionary options;
    std::string flags = index.inFront && index.room == 0 ? "+faststart" : "";
    if (index.inFront && index.room > 0)
        options.set("moov_size", std::to_string(index.room));
    if (m_hasOwnTags)
        flags += "+use_metadata_tags";
    if (!flags.empty())
        options.set("movflags", flags);
    // Lengths are told in this unit. A thousandth of a second, the default, cuts off sound that reaches less than that
    // into its last picture, and the picture then has no sound at all.
    options.set("movie_timescale", std::to_string(soundRate()));
    if (const int code = avformat_write_header(m_context, options.get()); code < 0)
        return fail(writeError(code));
    return {};
}

Result<> Mp4Muxer::write(AVPacket& packet, const AVStream& stream, AVRational timeBase)
{
    packet.stream_index = stream.index;
    av_packet_rescale_ts(&packet, timeBase, stream.time_base);
    const int code = av_interleaved_write_frame(m_context, &packet);
    // The muxer may go on after a failed write and only say so at the end.
    if (code < 0 || m_writeErrno != 0)
        return fail(writeError(code));
    return {};
}

Result<> Mp4Muxer::writeNow(AVPacket& packet, const AVStream& stream, AVRational timeBase)
{
    packet.stream_index = stream.index;
    av_packet_rescale_ts(&packet, timeBase, stream.time_base);
    const int code = av_write_frame(m_context, &packet);
    if (code < 0 || m_writeErrno != 0)
        return fail(writeError(code));
    return {};
}

Result<> Mp4Muxer::writeTrailer()
{
    const int code = av_write_trailer(m_context);
    avio_flush(m_io);
    if (code < 0 || m_writeErrno != 0 || m_io->error < 0)
        return fail(writeError(code < 0 ? code : m_io->error));
    return {};
}

Result<std::uint64_t> Mp4Muxer::commit()
{
    struct stat info{};
    if (::fstat(m_file.fd(), &info) != 0)
        return fail(errorFromErrno(errno, "Cannot write " + platform::quotedPath(m_file.path())));
    LQ_CHECKED(m_file.commit());
    return static_cast<std::uint64_t>(info.st_size);
}

} // namespace loquor::media
