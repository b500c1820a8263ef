// Is a packet of H.264 what was written? Private to core/media.
#pragma once

#include "core/media/ffmpeg_support.h"

namespace loquor::media {

// H.264 in MP4 is a chain of lengths and units: where the chain breaks, the data are not what was
// written. Costs nothing compared with decoding.
class H264ChainCheck
{
public:
    explicit H264ChainCheck(const AVCodecParameters& p)
    {
        // An extradata block that starts with 1 is the MP4 form; the fifth byte holds the field
        // size.
        if (p.codec_id == AV_CODEC_ID_H264 && p.extradata_size > 4 && p.extradata[0] == 1)
            m_lengthBytes = (p.extradata[4] & 3) + 1;
    }
    bool isWhole(const AVPacket& packet) const
    {
        if (m_lengthBytes == 0)
            return true;
        std::int64_t at = 0;
        while (at + m_lengthBytes < packet.size) {
            std::int64_t length = 0;
            for (int i = 0; i < m_lengthBytes; ++i)
                length = length << 8 | packet.data[at + i];
            if (length == 0)
                return false;
            at += m_lengthBytes + length;
        }
        return at == packet.size;
    }

private:
    int m_lengthBytes = 0; // 0 = another kind of stream
};

} // namespace loquor::media
