// One stream of a file, decoded. Private to core/media.
#pragma once

#include <string>

#include "core/media/ffmpeg_support.h"

namespace loquor::media {

// Packets in, frames out; damage is counted and passed over. One thread at a time.
class StreamDecoder
{
public:
    StreamDecoder() = default;
    // `what` is decoded, for messages: "sound". The demuxer and its stream must outlive the decoder. threads 0 =
    // as many as there are cores.
    Result<> open(Demuxer& demuxer, AVStream& stream, int threads, const char* what);

    // The next frame; false at the end. Errors are those of reading the file.
    Result<bool> next(AVFrame& frame);
    // After the demuxer has been moved to another place.
    void restart();

    // How often something could not be decoded, and what went wrong the last time.
    int damaged() const { return m_damaged; }
    const Error& lastError() const { return m_lastError; }

private:
    Result<> feed();
    void noteDamage(int code);

    Demuxer* m_demuxer = nullptr;
    AVStream* m_stream = nullptr;
    std::string m_what;
    CodecPtr m_decoder;
    PacketPtr m_packet = makePacket();
    bool m_isDraining = false;
    int m_damaged = 0;
    Error m_lastError{ErrorCode::Unreadable, "nothing could be decoded"};
};

} // namespace loquor::media
