// FFmpeg's objects with owners, its errors as ours, and files without its URL syntax. Private to
// core/media; the only header that shows FFmpeg.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/platform/file_descriptor.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
}

namespace loquor::media {

struct AvFree
{
    void operator()(AVFrame* frame) const { av_frame_free(&frame); }
    void operator()(AVPacket* packet) const { av_packet_free(&packet); }
    void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
    void operator()(SwrContext* context) const { swr_free(&context); }
    void operator()(SwsContext* context) const { sws_freeContext(context); }
};
using AvFramePtr = std::unique_ptr<AVFrame, AvFree>;
using PacketPtr = std::unique_ptr<AVPacket, AvFree>;
using CodecPtr = std::unique_ptr<AVCodecContext, AvFree>;
using SwrPtr = std::unique_ptr<SwrContext, AvFree>;
using SwsPtr = std::unique_ptr<SwsContext, AvFree>;

AvFramePtr makeFrame();
PacketPtr makePacket();

// Options by name; frees what FFmpeg did not take.
class Dictionary
{
public:
    Dictionary() = default;
    ~Dictionary() { av_dict_free(&m_dictionary); }
    Dictionary(const Dictionary&) = delete;
    Dictionary& operator=(const Dictionary&) = delete;
    void set(const char* name, const std::string& value)
    {
        av_dict_set(&m_dictionary, name, value.c_str(), 0);
    }
    AVDictionary** get() { return &m_dictionary; }

private:
    AVDictionary* m_dictionary = nullptr;
};

// "<what>: <FFmpeg's words>" with a code that fits (file errors keep their errno).
Error avError(int code, const std::string& what,
              std::source_location where = std::source_location::current());

// Sends FFmpeg's own log lines to ours (as debug). Cheap; call before using FFmpeg.
void routeFfmpegLog();

// A demuxer over a file of this machine. FFmpeg never sees the name, so no name is taken for a URL,
// and nothing in the file (a playlist) can make it open other files or the network.
class Demuxer
{
public:
    enum class Look { Inside = 1,
                      HeaderOnly }; // HeaderOnly: of our own files the header says it all
    static Result<std::unique_ptr<Demuxer>> open(const std::filesystem::path& file, Look look = Look::Inside);
    // `shownName` is used in messages, in quotes already.
    static Result<std::unique_ptr<Demuxer>> open(std::FILE* file, const std::string& shownName);
    ~Demuxer();
    Demuxer(const Demuxer&) = delete;
    Demuxer& operator=(const Demuxer&) = delete;

    AVFormatContext* context() { return m_context; }
    const std::string& shownName() const { return m_shownName; }
    // Next packet: true; end of file: false. Damaged data give an error.
    Result<bool> readPacket(AVPacket& packet);
    // Errors of reading itself (a disk that fails), else nothing.
    int readErrno() const { return m_readErrno; }

private:
    Demuxer() = default;
    Result<> start(Look look);
    static int readBytes(void* opaque, std::uint8_t* to, int bytes);
    static std::int64_t seekTo(void* opaque, std::int64_t offset, int whence);

    platform::FileDescriptor m_fd;
    std::FILE* m_file = nullptr; // not owned
    std::string m_shownName;
    AVIOContext* m_io = nullptr;
    AVFormatContext* m_context = nullptr;
    int m_readErrno = 0;
};

// Decoder of one stream, opened. threads 0 = as many as there are cores.
Result<CodecPtr> openDecoder(const AVStream& stream, int threads, const std::string& shownName);

inline AVRational toAv(Rational r)
{
    return {static_cast<int>(r.num), static_cast<int>(r.den)};
}
inline Rational fromAv(AVRational r)
{
    return r.num > 0 && r.den > 0 ? Rational::make(r.num, r.den) : Rational{0, 1};
}

} // namespace loquor::media
