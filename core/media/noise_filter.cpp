#include "core/media/noise_filter.h"

#include <algorithm>
#include <array>
#include <cmath>

extern "C" {
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
}

#include "core/base/check.h"

namespace loquor::media {

namespace {

constexpr SampleIndex kPiece = 4096; // frames given to the graph at once
constexpr const char* kFilter = "denoise";
constexpr std::size_t kWindows = 8;   // of 50 ms: what is listened to at once
constexpr std::size_t kLevels = 121;  // decibels below full scale that are told apart
constexpr double kNothing = 1e-9;     // power of what is no noise but digital silence
constexpr double kLowestFloor = -80; // dBFS that the filter takes
constexpr double kAboveDb = 3;
constexpr double kPauseDb = 8;        // a pause is quieter than speech by so much, even in much noise

Error cannotFilter(int code)
{
    return Error(ErrorCode::Unsupported, avError(code, "The noise cannot be taken out of the sound").message());
}

// Where the filter draws the line, in dBFS: a little above the noise.
double floorOf(const std::vector<float>& noise)
{
    double power = 0;
    for (const float sample : noise)
        power += static_cast<double>(sample) * sample;
    if (power <= 0)
        return kLowestFloor;
    return std::clamp(10 * std::log10(power / static_cast<double>(noise.size())) + kAboveDb, kLowestFloor, -20.0);
}

// With a point in every country.
std::string decimal(double value)
{
    const long tenths = std::lround(value * 10);
    return std::string(tenths < 0 ? "-" : "") + std::to_string(std::abs(tenths) / 10) + '.' + std::to_string(std::abs(tenths) % 10);
}

} // namespace

NoiseListener::NoiseListener(int sampleRate, int channels)
    : m_channels(channels), m_window(static_cast<std::size_t>(std::max(1, sampleRate / 20) * channels)), m_levels(kLevels)
{
}

void NoiseListener::add(const float* samples, SampleIndex frames)
{
    m_last.insert(m_last.end(), samples, samples + frames * m_channels);
    while (m_last.size() >= (m_powers.size() + 1) * m_window)
        endWindow();
}

// The next window is there as a whole.
void NoiseListener::endWindow()
{
    double power = 0;
    const std::size_t first = m_powers.size() * m_window;
    for (std::size_t i = first; i < first + m_window; ++i)
        power += static_cast<double>(m_last[i]) * m_last[i];
    power /= static_cast<double>(m_window);
    const double decibels = power > 0 ? -10 * std::log10(power) : kLevels;
    ++m_levels[static_cast<std::size_t>(std::clamp(decibels, 0.0, kLevels - 1.0))];
    m_powers.push_back(power);
    if (m_powers.size() < kWindows)
        return;
    const double loudest = *std::max_element(m_powers.begin(), m_powers.end());
    const double quietest = *std::min_element(m_powers.begin(), m_powers.end());
    if (quietest > kNothing && (m_quietestPower <= 0 || loudest < m_quietestPower)) {
        m_quietestPower = loudest;
        m_quietest.assign(m_last.begin(), m_last.begin() + static_cast<std::ptrdiff_t>(kWindows * m_window));
    }
    m_powers.erase(m_powers.begin());
    m_last.erase(m_last.begin(), m_last.begin() + static_cast<std::ptrdiff_t>(m_window));
}

std::vector<float> NoiseListener::noise() const
{
    std::int64_t all = 0;
    for (const std::int64_t count : m_levels)
        all += count;
    std::int64_t louder = 0;
    std::size_t level = 0; // of a twentieth of all: speech
    while (level + 1 < m_levels.size() && (louder += m_levels[level]) < (all + 19) / 20)
        ++level;
    const double quietest = m_quietestPower > 0 ? -10 * std::log10(m_quietestPower) : 0;
    return quietest > static_cast<double>(level) + kPauseDb ? m_quietest : std::vector<float>();
}

Result<NoiseFilter> NoiseFilter::create(int sampleRate, int channels, const std::vector<float>& noise)
{
    LOQUOR_CHECK(sampleRate > 0 && channels > 0);
    routeFfmpegLog();
    NoiseFilter measured;
    LQ_CHECKED(measured.build(sampleRate, channels, kLowestFloor));
    LQ_CHECKED(measured.measureDelay());
    NoiseFilter out;
    LQ_CHECKED(out.build(sampleRate, channels, floorOf(noise)));
    out.m_delay = measured.m_delay;
    LQ_CHECKED(out.learn(noise));
    return out;
}

Result<> NoiseFilter::command(const char* name, const char* argument)
{
    const int code = avfilter_graph_send_command(m_graph.get(), kFilter, name, argument, nullptr, 0, 0);
    return code < 0 ? Result<>(fail(cannotFilter(code))) : Result<>();
}

// The noise goes through in front of the sound, and what comes out for it is dropped.
Result<> NoiseFilter::learn(const std::vector<float>& noise)
{
    const auto frames = static_cast<SampleIndex>(noise.size()) / m_channels;
    std::vector<float> out;
    LQ_CHECKED(command("sample_noise", "start"));
    LQ_CHECKED(run(noise.data(), frames, out));
    LQ_CHECKED(command("sample_noise", "stop"));
    m_delay += frames - static_cast<SampleIndex>(out.size()) / m_channels;
    return {};
}

Result<> NoiseFilter::build(int sampleRate, int channels, double floorDb)
{
    m_rate = sampleRate;
    m_channels = channels;
    m_graph.reset(avfilter_graph_alloc());
    if (!m_graph)
        throw std::bad_alloc();
    m_graph->nb_threads = 1;
    AVFilterContext *denoise = nullptr, *format = nullptr;
    AVChannelLayout layout{};
    av_channel_layout_default(&layout, channels);
    std::array<char, 64> layoutName{};
    av_channel_layout_describe(&layout, layoutName.data(), layoutName.size());
    const std::string input = "sample_fmt=flt:sample_rate=" + std::to_string(sampleRate) + ":channel_layout=" + layoutName.data() +
                              ":time_base=1/" + std::to_string(sampleRate);
    const std::string settings = "noise_reduction=20:noise_floor=" + decimal(floorDb);
    const auto add = [this](AVFilterContext** to, const char* filter, const char* name, const char* arguments) {
        const AVFilter* kind = avfilter_get_by_name(filter);
        return kind == nullptr ? AVERROR_FILTER_NOT_FOUND
                               : avfilter_graph_create_filter(to, kind, name, arguments, nullptr, m_graph.get());
    };
    int code = add(&m_source, "abuffer", "in", input.c_str());
    if (code >= 0)
        code = add(&denoise, "afftdn", kFilter, settings.c_str());
    if (code >= 0)
        code = add(&format, "aformat", "format", "sample_fmts=flt");
    if (code >= 0)
        code = add(&m_sink, "abuffersink", "out", nullptr);
    if (code >= 0)
        code = avfilter_link(m_source, 0, denoise, 0);
    if (code >= 0)
        code = avfilter_link(denoise, 0, format, 0);
    if (code >= 0)
        code = avfilter_link(format, 0, m_sink, 0);
    if (code >= 0)
        code = avfilter_graph_config(m_graph.get(), nullptr);
    return code < 0 ? Result<>(fail(cannotFilter(code))) : Result<>();
}

// What comes out for these frames, late as it is; null: silence.
Result<> NoiseFilter::run(const float* samples, SampleIndex frames, std::vector<float>& out)
{
    while (frames > 0) {
        const SampleIndex count = std::min(frames, kPiece);
        const AvFramePtr in = makeFrame();
        in->format = AV_SAMPLE_FMT_FLT;
        in->nb_samples = static_cast<int>(count);
        in->sample_rate = m_rate;
        av_channel_layout_default(&in->ch_layout, m_channels);
        in->pts = m_time;
        int code = av_frame_get_buffer(in.get(), 0);
        if (code < 0)
            return fail(cannotFilter(code));
        auto* to = reinterpret_cast<float*>(in->extended_data[0]);
        const auto values = static_cast<std::size_t>(count * m_channels);
        if (samples != nullptr)
            std::copy_n(samples, values, to);
        else
            std::fill_n(to, values, 0.0f);
        code = av_buffersrc_add_frame(m_source, in.get());
        while (code >= 0) {
            code = av_buffersink_get_frame(m_sink, m_frame.get());
            if (code < 0)
                break;
            const auto* from = reinterpret_cast<const float*>(m_frame->extended_data[0]);
            out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(m_frame->nb_samples) * m_channels);
            av_frame_unref(m_frame.get());
        }
        if (code != AVERROR(EAGAIN))
            return fail(cannotFilter(code));
        m_time += count;
        frames -= count;
        samples = samples != nullptr ? samples + values : nullptr;
    }
    return {};
}

Result<> NoiseFilter::measureDelay()
{
    const SampleIndex at = m_rate;
    std::vector<float> click(static_cast<std::size_t>(3 * at * m_channels), 0.0f), heard;
    std::fill_n(click.begin() + at * m_channels, m_channels, 0.9f);
    LQ_CHECKED(run(click.data(), 3 * at, heard));
    const auto loudest = std::max_element(heard.begin(), heard.end(), [](float a, float b) { return std::abs(a) < std::abs(b); });
    if (loudest == heard.end() || std::abs(*loudest) < 0.1f)
        return fail(Error(ErrorCode::Unsupported, "The noise filter of this FFmpeg does not let a click through."));
    m_delay = (loudest - heard.begin()) / m_channels - at;
    if (m_delay < 0)
        return fail(Error(ErrorCode::Unsupported, "The noise filter of this FFmpeg changes times."));
    return {};
}

Result<> NoiseFilter::push(const float* samples, SampleIndex frames, std::vector<float>& out)
{
    const std::size_t before = out.size();
    LQ_CHECKED(run(samples, frames, out));
    m_in += frames;
    const auto channels = static_cast<SampleIndex>(m_channels);
    auto came = static_cast<SampleIndex>(out.size() - before) / channels;
    const SampleIndex late = std::min(came, m_delay - m_dropped);
    const auto first = out.begin() + static_cast<std::ptrdiff_t>(before);
    out.erase(first, first + late * channels);
    m_dropped += late;
    came -= late;
    m_out += came;
    return {};
}

Result<> NoiseFilter::finish(std::vector<float>& out)
{
    std::vector<float> rest;
    const SampleIndex in = m_in;
    const SampleIndex missing = in - m_out;
    while (static_cast<SampleIndex>(rest.size()) < missing * m_channels) {
        const std::size_t before = rest.size();
        LQ_CHECKED(push(nullptr, kPiece, rest));
        if (rest.size() == before && m_in - in > 10LL * m_rate)
            return fail(Error(ErrorCode::Unsupported, "The noise filter of this FFmpeg keeps sound for itself."));
    }
    rest.resize(static_cast<std::size_t>(missing * m_channels));
    out.insert(out.end(), rest.begin(), rest.end());
    return {};
}

} // namespace loquor::media
