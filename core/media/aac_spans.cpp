#include "core/media/aac_spans.h"

#include <algorithm>
#include <limits>
#include <thread>

#include "core/base/trace.h"

namespace loquor::media {

namespace {

// All in frames of 1024 samples.
constexpr std::int64_t kFrame = 1024;
constexpr std::int64_t kSpan = 768, kSearch = 64; // length, and how far a quiet place may be from it
constexpr std::int64_t kZone = 8;                 // where the next span may take over
constexpr std::int64_t kWarm = 8;                 // an encoder needs to settle
constexpr std::int64_t kBehind = 2;               // what it looks ahead

// Kind and shape of the window of a packet's first channel (ISO 14496-3, 4.4.2: ics_info), which decide how
// it overlaps with the next.
unsigned windowOf(const AVPacket& packet)
{
    if (packet.size < 4)
        return 0;
    const std::uint8_t* b = packet.data;
    const unsigned bits = (unsigned{b[0]} << 24) | (unsigned{b[1]} << 16) | (unsigned{b[2]} << 8) | b[3];
    const auto field = [bits](int at, int count) { return (bits >> (32 - at - count)) & ((1u << count) - 1); };
    // element kind (3), its number (4); then for one channel its gain (8), for a pair whether they share
    const bool isPair = field(0, 3) == 1;
    const bool shares = isPair && field(7, 1) == 1;
    const int info = isPair ? (shares ? 8 : 16) : 15;
    return field(info + 1, 3);
}

} // namespace

Result<AacSpans> AacSpans::create(const AacCoding& coding, int threads)
{
    AacSpans self;
    self.m_model = std::make_unique<Model>();
    self.m_model->coding = coding;
    self.m_model->coding.rate = aacRate(coding.rate);
    LQ_TRY(AacEncoder encoder, AacEncoder::create(self.m_model->coding, true));
    self.m_model->m_context = encoder.takeContext();
    if (self.m_model->coding.rate != coding.rate) {
        SwrConverter::Input input;
        input.sampleRate = coding.rate;
        av_channel_layout_default(&input.layout, coding.channels);
        LQ_TRY(SwrConverter converter, SwrConverter::create(input, self.m_model->coding.rate, coding.channels));
        self.m_converter = std::make_unique<SwrConverter>(std::move(converter));
    }
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    self.m_threads = threads > 0 ? static_cast<std::size_t>(threads) : std::min(cores, 8u);
    return self;
}

AacSpans::~AacSpans() = default; // futures of std::async wait for their threads

std::int64_t AacSpans::pendingFrames() const
{
    return static_cast<std::int64_t>(m_pending.size()) / m_model->coding.channels / kFrame;
}

Result<> AacSpans::add(const float* samples, SampleIndex frames)
{
    const double start = threadCpuSeconds();
    const int channels = m_model->coding.channels;
    constexpr SampleIndex kPiece = 1 << 15;
    for (SampleIndex done = 0; done < frames; done += kPiece) {
        const SampleIndex count = std::min(frames - done, kPiece);
        const float* from = samples + done * channels;
        if (m_converter) {
            const auto* data = reinterpret_cast<const std::uint8_t*>(from);
            LQ_CHECKED(m_converter->push(&data, static_cast<int>(count), m_pending));
        } else {
            m_pending.insert(m_pending.end(), from, from + count * channels);
        }
    }
    m_in += frames;
    m_conversionCpu += threadCpuSeconds() - start;
    while (pendingFrames() >= m_takeOver - m_first + kSpan + kSearch + kZone + kBehind)
        cut();
    return {};
}

// The frame around which it is quietest.
std::int64_t AacSpans::quietFrame(std::int64_t from, std::int64_t to) const
{
    const auto size = static_cast<std::size_t>(kFrame * m_model->coding.channels);
    std::vector<double> energy;
    for (std::int64_t f = from; f < to + kZone; ++f) {
        double sum = 0;
        const float* at = m_pending.data() + static_cast<std::size_t>(f - m_first) * size;
        for (std::size_t i = 0; i < size; ++i)
            sum += double{at[i]} * double{at[i]};
        energy.push_back(sum);
    }
    std::int64_t best = from;
    double least = std::numeric_limits<double>::max();
    for (std::size_t f = 0; f + kZone < energy.size(); ++f) {
        double sum = 0;
        for (std::size_t z = 0; z < kZone; ++z)
            sum += energy[f + z];
        if (sum < least) {
            least = sum;
            best = from + static_cast<std::int64_t>(f);
        }
    }
    return best;
}

// Starts the span in front of the next quiet place.
void AacSpans::cut()
{
    const std::int64_t end = quietFrame(m_takeOver + kSpan - kSearch, m_takeOver + kSpan + kSearch);
    launch(end + kZone + kBehind - m_first);
    const std::int64_t next = end - 1 - kWarm;
    m_pending.erase(m_pending.begin(),
                    m_pending.begin() + (next - m_first) * kFrame * m_model->coding.channels);
    m_first = next;
    m_takeOver = end;
}

void AacSpans::launch(std::int64_t frames)
{
    const bool isLast = m_finished;
    const auto count = static_cast<std::ptrdiff_t>(frames * kFrame * m_model->coding.channels);
    std::vector<float> samples(m_pending.begin(), isLast ? m_pending.end() : m_pending.begin() + count);
    m_running.emplace_back(m_takeOver, std::async(std::launch::async, encodeSpan, m_model->coding, std::move(samples),
                                                  m_first, isLast));
}

Result<> AacSpans::finish()
{
    if (m_converter)
        LQ_CHECKED(m_converter->finish(m_pending));
    while (pendingFrames() >= m_takeOver - m_first + kSpan + kSearch + kZone + kBehind)
        cut();
    m_finished = true;
    launch(0);
    return {};
}

Result<AacSpans::Span> AacSpans::encodeSpan(const AacCoding& coding, std::vector<float> samples, std::int64_t first,
                                            bool isLast)
{
    LQ_TRY(AacEncoder encoder, AacEncoder::create(coding, true));
    Span out;
    const PacketSink keep = [&](AVPacket& packet) -> Result<> {
        Packet one;
        one.data = makePacket();
        av_packet_move_ref(one.data.get(), &packet);
        one.data->pts += first * kFrame;
        one.data->dts = one.data->pts;
        one.number = (one.data->pts + kFrame) / kFrame;
        out.packets.push_back(std::move(one));
        return {};
    };
    LQ_CHECKED(encoder.encode(samples.data(), static_cast<SampleIndex>(samples.size()) / coding.channels, keep));
    LQ_CHECKED(encoder.finish(keep));
    // Behind the end of an inner span the encoder heard silence that is not there.
    const std::int64_t known = first + static_cast<std::int64_t>(samples.size()) / coding.channels / kFrame;
    if (!isLast)
        std::erase_if(out.packets, [&](const Packet& packet) { return packet.number > known - kBehind; });
    out.cpuSeconds = encoder.cpuSeconds();
    return out;
}

// Lets the next span take over from the one before it.
Result<> AacSpans::takeSpan()
{
    const std::int64_t earliest = m_running.front().first;
    auto result = m_running.front().second.get();
    m_running.pop_front();
    if (!result)
        return fail(std::move(result).error());
    Span span = std::move(*result);
    m_cpu += span.cpuSeconds;
    const auto find = [](const std::vector<Packet>& packets, std::int64_t number) -> const AVPacket* {
        const auto at = std::ranges::find(packets, number, &Packet::number);
        return at == packets.end() ? nullptr : at->data.get();
    };
    std::int64_t border = earliest;
    for (std::int64_t n = earliest; n < earliest + kZone && !m_tail.empty(); ++n) {
        const AVPacket *before = find(m_tail, n - 1), *same = find(span.packets, n - 1);
        if (before != nullptr && same != nullptr && windowOf(*before) == windowOf(*same)) {
            border = n;
            break;
        }
    }
    for (Packet& packet : m_tail)
        if (packet.number < border)
            m_ready.push_back(std::move(packet));
    m_tail.clear();
    for (Packet& packet : span.packets)
        if (packet.number >= border)
            m_tail.push_back(std::move(packet));
    return {};
}

Result<PacketPtr> AacSpans::next()
{
    while (m_ready.empty()) {
        if (m_running.empty() || isHungry())
            break; // more sound first: all threads shall have work
        LQ_CHECKED(takeSpan());
    }
    if (m_ready.empty() && m_finished && m_running.empty()) {
        for (Packet& packet : m_tail)
            m_ready.push_back(std::move(packet));
        m_tail.clear();
    }
    if (m_ready.empty())
        return PacketPtr();
    PacketPtr out = std::move(m_ready.front().data);
    m_ready.pop_front();
    return out;
}

} // namespace loquor::media
