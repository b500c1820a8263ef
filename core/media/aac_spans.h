// AAC of a long sound by several threads. Private to core/media.
#pragma once

#include <deque>
#include <future>
#include <optional>

#include "core/media/mp4_encoders.h"

namespace loquor::media {

// Cuts the sound at quiet places into spans of about 16 s that are encoded beside each other. Neighbouring
// spans overlap by some frames, and one takes over from the other where both chose the same kind of
// window, so that the decoder's overlap fits as if there were one encoder. Where the cuts are depends on
// the sound alone, not on the number of threads. One thread at a time; bounded memory.
class AacSpans
{
public:
    static Result<AacSpans> create(const AacCoding& coding, int threads);
    ~AacSpans();
    AacSpans(AacSpans&&) noexcept = default;

    // Of the stream: parameters, delay, time base.
    const AVCodecContext& context() const { return *m_model->m_context; }
    // Wants more sound before the next packet can be given.
    bool isHungry() const { return !m_finished && m_running.size() < m_threads + 1; }
    Result<> add(const float* samples, SampleIndex frames);
    Result<> finish();
    // The next packet in order, waiting for its span; null when more sound is needed, or at the end.
    Result<PacketPtr> next();
    SampleIndex framesIn() const { return m_in; }
    double cpuSeconds() const { return m_cpu; }
    double conversionCpuSeconds() const { return m_conversionCpu; }

private:
    struct Packet
    {
        std::int64_t number = 0; // of the whole sound
        PacketPtr data;
    };
    struct Span
    {
        std::vector<Packet> packets;
        std::int64_t takeOver = 0; // from this packet on at the earliest
        double cpuSeconds = 0;
    };
    struct Model // what all spans have in common
    {
        AacCoding coding;
        CodecPtr m_context;
    };

    AacSpans() = default;
    void cut();
    void launch(std::int64_t frames);
    Result<> takeSpan();
    std::int64_t quietFrame(std::int64_t from, std::int64_t to) const;
    std::int64_t pendingFrames() const;
    static Result<Span> encodeSpan(const AacCoding& coding, std::vector<float> samples, std::int64_t first, bool isLast);

    std::unique_ptr<Model> m_model;
    std::unique_ptr<SwrConverter> m_converter; // null when the rate is the encoder's
    std::size_t m_threads = 1;
    std::vector<float> m_pending;  // at the encoder's rate, from AAC frame m_first on
    std::int64_t m_first = 0;      // where the next span's samples begin
    std::int64_t m_takeOver = 0;   // where its packets are taken from
    std::deque<std::pair<std::int64_t, std::future<Result<Span>>>> m_running; // with its takeOver
    std::deque<Packet> m_ready;    // decided
    std::vector<Packet> m_tail;    // of the last span: until the next one takes over
    bool m_finished = false;
    SampleIndex m_in = 0;
    double m_cpu = 0, m_conversionCpu = 0;
};

} // namespace loquor::media
