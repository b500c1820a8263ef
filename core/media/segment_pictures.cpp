#include "core/media/segment_pictures.h"

#include <algorithm>
#include <functional>

#include "core/base/guarded_thread.h"
#include "core/media/segment_file.h"

namespace loquor::media {

namespace {

constexpr QueueLimits kAhead{8, 24u << 20, std::chrono::microseconds{0}}; // of each thread
constexpr int kEncoderPerDecoder = 4; // cores that encode while one decodes

using Give = std::function<bool(AvFramePtr)>; // false: nobody wants more

// Decodes parts one after the other. One thread.
class PartDecoder
{
public:
    PartDecoder(int width, int height) : m_width(width), m_height(height) {}

    Result<> decode(const SegmentPart& part, const Give& give, const CancelToken& cancel)
    {
        LQ_TRY(SegmentFile file, SegmentFile::open(part.file));
        LQ_CHECKED(file.checkPart(part));
        LQ_CHECKED(prepareDecoder(file));
        const FrameIndex end = part.fromFrame + part.frames;
        for (FrameIndex number = 0; number < end; ++number) {
            if (cancel.isCancelled())
                return cancelled();
            av_packet_unref(m_packet.get());
            LQ_TRY(const bool more, file.next(*m_packet));
            if (!more)
                return fail(file.damage("has " + std::to_string(number) + " of " + std::to_string(end) + " frames"));
            AvFramePtr picture = makeFrame();
            const int sent = avcodec_send_packet(m_decoder.get(), m_packet.get());
            if (sent < 0 || avcodec_receive_frame(m_decoder.get(), picture.get()) < 0)
                return fail(file.damage("cannot be decoded at frame " + std::to_string(number)));
            if (number < part.fromFrame)
                continue;
            LQ_TRY(picture, scaled(std::move(picture)));
            if (!give(std::move(picture)))
                return cancelled();
        }
        return {};
    }

private:
    // One decoder for all parts with the same parameter sets: it keeps its memory.
    Result<> prepareDecoder(const SegmentFile& file)
    {
        const AVCodecParameters& p = *file.stream().codecpar;
        std::vector<std::uint8_t> sets(p.extradata, p.extradata + p.extradata_size);
        if (m_decoder && sets == m_sets) {
            avcodec_flush_buffers(m_decoder.get());
            return {};
        }
        m_sets = std::move(sets);
        LQ_TRY(m_decoder, openDecoder(file.stream(), 1, file.shownName()));
        return {};
    }

    Result<AvFramePtr> scaled(AvFramePtr picture)
    {
        if (picture->width == m_width && picture->height == m_height)
            return picture;
        if (!m_scaler || m_fromWidth != picture->width || m_fromHeight != picture->height) {
            // Smaller: every pixel counts by its area. Rounding to the last bit would cost a quarter more time.
            const int how = m_width <= picture->width && m_height <= picture->height ? SWS_AREA : SWS_BICUBIC;
            m_scaler.reset(sws_getContext(picture->width, picture->height, AV_PIX_FMT_YUV420P, m_width, m_height,
                                          AV_PIX_FMT_YUV420P, how, nullptr, nullptr, nullptr));
            if (!m_scaler)
                return fail(ErrorCode::Unsupported, "The pictures cannot be scaled to " + std::to_string(m_width) +
                                                        "x" + std::to_string(m_height) + ".");
            m_fromWidth = picture->width;
            m_fromHeight = picture->height;
        }
        AvFramePtr out = makeFrame();
        out->format = AV_PIX_FMT_YUV420P;
        out->width = m_width;
        out->height = m_height;
        if (const int code = av_frame_get_buffer(out.get(), 0); code < 0)
            return fail(avError(code, "Cannot scale the picture"));
        sws_scale(m_scaler.get(), picture->data, picture->linesize, 0, picture->height, out->data, out->linesize);
        return out;
    }

    const int m_width, m_height;
    CodecPtr m_decoder;
    std::vector<std::uint8_t> m_sets; // SPS and PPS that it was opened with
    PacketPtr m_packet = makePacket();
    SwsPtr m_scaler;
    int m_fromWidth = 0, m_fromHeight = 0;
};

ItemCost costOf(const AVFrame& picture)
{
    return {static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height) * 3 / 2,
            std::chrono::microseconds{0}};
}

std::size_t usefulThreads(int wanted, std::size_t parts)
{
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    const int threads = wanted > 0 ? wanted : std::clamp(cores / kEncoderPerDecoder, 1, 4);
    return std::clamp<std::size_t>(static_cast<std::size_t>(threads), 1, std::max<std::size_t>(parts, 1));
}

} // namespace

SegmentPictures::SegmentPictures(const std::vector<SegmentPart>& parts, int width, int height, int threads,
                                 Trace* trace, CancelToken cancel)
    : m_parts(parts), m_width(width), m_height(height), m_trace(trace), m_cancel(std::move(cancel))
{
    const std::size_t count = usefulThreads(threads, parts.size());
    for (std::size_t i = 0; i < count; ++i)
        m_queues.push_back(std::make_unique<Queue>(kAhead));
    for (std::size_t i = 0; i < count; ++i)
        m_threads.push_back(guardedThread("decoding chunks", [this, i] { work(i); }, [this, i](const Error& error) { end(i, fail(error)); }));
}

SegmentPictures::~SegmentPictures()
{
    for (const auto& queue : m_queues)
        queue->abort();
    for (std::thread& thread : m_threads)
        thread.join();
}

void SegmentPictures::work(std::size_t worker)
{
    PartDecoder decoder(m_width, m_height);
    const Give give = [&queue = *m_queues[worker]](AvFramePtr picture) {
        const ItemCost cost = costOf(*picture);
        return queue.push(std::move(picture), cost);
    };
    Result<> result;
    for (std::size_t i = worker; i < m_parts.size() && result; i += m_queues.size()) {
        const TraceScope scope(m_trace, "decode", m_parts[i].of);
        result = decoder.decode(m_parts[i], give, m_cancel);
    }
    end(worker, std::move(result));
}

void SegmentPictures::end(std::size_t worker, Result<> result)
{
    if (!result)
        m_queues[worker]->push(fail(std::move(result).error()));
    m_queues[worker]->close();
}

Result<AvFramePtr> SegmentPictures::next(std::size_t part)
{
    auto picture = m_queues[part % m_queues.size()]->pop();
    if (!picture)
        return fail(ErrorCode::Internal, "A chunk gave fewer pictures than it has.");
    return std::move(*picture);
}

} // namespace loquor::media
