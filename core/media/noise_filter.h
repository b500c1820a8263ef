// Takes steady noise out of a sound for those who listen (FFmpeg's afftdn), and hears first what the noise is. Private to
// core/media.
#pragma once

#include <vector>

#include "core/media/ffmpeg_support.h"

extern "C" {
#include <libavfilter/avfilter.h>
}

namespace loquor::media {

// The noise of a recording: the quietest 0.4 s in which something is heard. Fed piece by piece, in constant memory.
class NoiseListener
{
public:
    NoiseListener(int sampleRate, int channels);
    void add(const float* samples, SampleIndex frames);
    // Interleaved; empty when nobody ever pauses (or in digital silence): then nothing is known of the noise alone.
    std::vector<float> noise() const;

private:
    void endWindow();

    const int m_channels;
    const std::size_t m_window; // values
    std::vector<float> m_last;  // of the last windows
    std::vector<double> m_powers;
    std::vector<float> m_quietest;
    double m_quietestPower = 0;          // of its loudest window; 0 = none yet
    std::vector<std::int64_t> m_levels;  // all windows by decibels, the loudest first
};

// As many frames come out as went in, at the same places. One thread at a time.
class NoiseFilter
{
public:
    // `noise`: what the noise sounds like alone. Unsupported: this FFmpeg has no such filter.
    static Result<NoiseFilter> create(int sampleRate, int channels, const std::vector<float>& noise);

    // Interleaved; appends what is known by now to `out`.
    Result<> push(const float* samples, SampleIndex frames, std::vector<float>& out);
    // Appends the rest. Nothing may be pushed after it.
    Result<> finish(std::vector<float>& out);

private:
    struct GraphFree
    {
        void operator()(AVFilterGraph* graph) const { avfilter_graph_free(&graph); }
    };
    NoiseFilter() = default;
    Result<> build(int sampleRate, int channels, double floorDb);
    Result<> learn(const std::vector<float>& noise);
    Result<> command(const char* name, const char* argument);
    // Where a click comes out: the filter is late, and by how much depends on its version.
    Result<> measureDelay();
    Result<> run(const float* samples, SampleIndex frames, std::vector<float>& out);

    std::unique_ptr<AVFilterGraph, GraphFree> m_graph;
    AVFilterContext *m_source = nullptr, *m_sink = nullptr; // of the graph
    AvFramePtr m_frame = makeFrame();
    int m_rate = 0, m_channels = 0;
    SampleIndex m_delay = 0; // frames that come out before the first that was pushed
    SampleIndex m_in = 0, m_dropped = 0, m_out = 0, m_time = 0;
};

} // namespace loquor::media
