#include "core/media/segment_file.h"

namespace loquor::media {

Error SegmentFile::damage(const std::string& what) const
{
    return Error(ErrorCode::Corrupt, "The chunk video " + shownName() + " " + what + "; make the chunk again.");
}

Result<> SegmentFile::checkPart(const SegmentPart& part) const
{
    if (part.frames <= 0 || part.fromFrame < 0)
        return fail(ErrorCode::InvalidArgument, "A part of " + shownName() + " has no frames.");
    return {};
}

Result<SegmentFile> SegmentFile::open(const std::filesystem::path& file)
{
    SegmentFile out;
    LQ_TRY(out.m_demuxer, Demuxer::open(file, Demuxer::Look::HeaderOnly));
    AVFormatContext& context = *out.m_demuxer->context();
    const bool isOurs = context.nb_streams == 1 && context.streams[0]->codecpar->codec_id == AV_CODEC_ID_H264 &&
                        context.streams[0]->codecpar->extradata_size > 0;
    if (!isOurs)
        return fail(out.damage("is not one of this program"));
    out.m_stream = context.streams[0];
    out.m_chain.emplace(*out.m_stream->codecpar);
    return out;
}

Result<bool> SegmentFile::next(AVPacket& packet)
{
    auto more = m_demuxer->readPacket(packet);
    if (!more && m_demuxer->readErrno() != 0)
        return fail(std::move(more).error());
    if (!more)
        return fail(damage("is damaged"));
    if (*more && (packet.size == 0 || (packet.flags & AV_PKT_FLAG_CORRUPT) != 0 || !m_chain->isWhole(packet)))
        return fail(damage("is damaged"));
    return *more;
}

} // namespace loquor::media
