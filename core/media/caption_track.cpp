#include "core/media/caption_track.h"

#include <limits>
#include <map>
#include <memory>
#include <string>

#include "core/media/caption_stream.h"
#include "core/media/ffmpeg_support.h"
#include "core/media/mp4_encoders.h"

namespace loquor::media {

namespace {

std::map<std::string, std::string> tagsOf(const AVDictionary* from)
{
    std::map<std::string, std::string> out;
    const AVDictionaryEntry* entry = nullptr;
    while ((entry = av_dict_get(from, "", entry, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
        const std::string name = entry->key;
        if (name != "major_brand" && name != "minor_version" && name != "compatible_brands")
            out[name] = entry->value;
    }
    return out;
}

class TrackCopier
{
public:
    TrackCopier(Demuxer& source, Mp4Muxer& target, const std::vector<Caption>& captions)
        : m_source(source), m_target(target), m_captions(captions)
    {
    }

    Result<> copy(const CancelToken& cancel)
    {
        LQ_CHECKED(start());
        PacketPtr packet = makePacket();
        double end = 0;
        for (;;) {
            if (cancel.isCancelled())
                return cancelled();
            av_packet_unref(packet.get());
            LQ_TRY(const bool more, m_source.readPacket(*packet));
            if (!more)
                break;
            const auto index = static_cast<std::size_t>(packet->stream_index);
            if (index >= m_streams.size() || m_streams[index] == nullptr)
                continue;
            const AVRational timeBase = m_source.context()->streams[index]->time_base;
            const double at = static_cast<double>(packet->dts) * av_q2d(timeBase);
            LQ_CHECKED(m_stream->writeUntil(at, m_target));
            end = std::max(end, static_cast<double>(packet->pts + packet->duration) * av_q2d(timeBase));
            packet->pos = -1;
            LQ_CHECKED(m_target.writeNow(*packet, *m_streams[index], timeBase));
        }
        LQ_CHECKED(m_stream->finish(end, m_target));
        return m_target.writeTrailer();
    }

private:
    Result<> start()
    {
        AVFormatContext& from = *m_source.context();
        for (unsigned int i = 0; i < from.nb_streams; ++i) {
            AVStream& stream = *from.streams[i];
            const AVMediaType type = stream.codecpar->codec_type;
            m_streams.push_back(nullptr);
            if (type != AVMEDIA_TYPE_VIDEO && type != AVMEDIA_TYPE_AUDIO)
                continue;
            LQ_TRY(m_streams.back(), m_target.addStream(*stream.codecpar, stream.time_base));
            m_streams.back()->codecpar->codec_tag = 0;
            m_streams.back()->avg_frame_rate = stream.avg_frame_rate;
        }
        LQ_TRY(CaptionStream captions, CaptionStream::add(m_target, m_captions));
        m_stream = std::make_unique<CaptionStream>(std::move(captions));
        m_target.setTags(tagsOf(from.metadata));
        return m_target.writeHeader({});
    }

    Demuxer& m_source;
    Mp4Muxer& m_target;
    const std::vector<Caption>& m_captions;
    std::vector<AVStream*> m_streams; // of the target, by those of the source; null: not copied
    std::unique_ptr<CaptionStream> m_stream;
};

} // namespace

Result<> copyWithCaptions(const std::filesystem::path& video, const std::vector<Caption>& captions,
                          const std::filesystem::path& target, platform::IfExists ifExists, const CancelToken& cancel)
{
    LQ_CHECKED(checkCaptions(captions));
    LQ_TRY(const std::unique_ptr<Demuxer> source, Demuxer::open(video));
    LQ_TRY(platform::AtomicFile file, platform::AtomicFile::create(target, ifExists));
    LQ_TRY(const std::unique_ptr<Mp4Muxer> muxer, Mp4Muxer::create(std::move(file)));
    auto copied = TrackCopier(*source, *muxer, captions).copy(cancel);
    if (copied) {
        if (const auto size = muxer->commit(); !size)
            copied = fail(size.error());
    }
    if (!copied)
        muxer->file().discard();
    return copied;
}

} // namespace loquor::media
