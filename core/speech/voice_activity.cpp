#include "core/speech/voice_activity.h"

#include <algorithm>
#include <memory>

#include <sherpa-onnx/c-api/c-api.h>

#include "core/base/log.h"
#include "core/platform/paths.h"

namespace loquor::speech {

namespace {

constexpr int kRate = 16000;
constexpr int kWindow = 512; // samples the network looks at
constexpr float kBufferSeconds = 60;

struct DestroyDetector
{
    void operator()(const SherpaOnnxVoiceActivityDetector* d) const { SherpaOnnxDestroyVoiceActivityDetector(d); }
};
using Detector = std::unique_ptr<const SherpaOnnxVoiceActivityDetector, DestroyDetector>;

void takeSpans(const SherpaOnnxVoiceActivityDetector* detector, double length, std::vector<SpeechSpan>& spans)
{
    while (!SherpaOnnxVoiceActivityDetectorEmpty(detector)) {
        const SherpaOnnxSpeechSegment* segment = SherpaOnnxVoiceActivityDetectorFront(detector);
        SpeechSpan span{static_cast<double>(segment->start) / kRate, static_cast<double>(segment->start + segment->n) / kRate};
        SherpaOnnxDestroySpeechSegment(segment);
        SherpaOnnxVoiceActivityDetectorPop(detector);
        span.start = std::max(span.start, spans.empty() ? 0.0 : spans.back().end);
        span.end = std::min(span.end, length);
        for (; span.end - span.start > kLongestSpan; span.start += kLongestSpan)
            spans.push_back({span.start, span.start + kLongestSpan});
        if (span.end > span.start)
            spans.push_back(span);
    }
}

} // namespace

Result<std::vector<SpeechSpan>> findSpeech(const AudioBlock& audio, const std::filesystem::path& dataFolder, const CancelToken& cancel)
{
    if (audio.sampleRate != kRate || audio.channels != 1)
        return fail(ErrorCode::InvalidArgument, "Speech is looked for in mono sound at 16 kHz.");
    const std::filesystem::path model = dataFolder / "models" / "vad" / "silero_vad_16k_op15.onnx";
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(model, ignored))
        return fail(ErrorCode::NotFound, "The network that finds speech is missing: " + platform::quotedPath(model) +
                                             ". Run packaging/setup.sh.");
    const std::string path = model.string();
    SherpaOnnxVadModelConfig config{};
    config.silero_vad.model = path.c_str();
    config.silero_vad.threshold = 0.5f;
    config.silero_vad.min_silence_duration = 0.15f;
    config.silero_vad.min_speech_duration = 0.1f;
    config.silero_vad.max_speech_duration = static_cast<float>(kLongestSpan);
    config.silero_vad.window_size = kWindow;
    config.sample_rate = kRate;
    config.num_threads = 1;
    config.provider = "cpu";
    Detector detector;
    try {
        detector.reset(SherpaOnnxCreateVoiceActivityDetector(&config, kBufferSeconds));
    } catch (const std::exception& error) {
        log(LogLevel::Info, "speech", std::string("voice activity: ") + error.what());
    }
    if (!detector)
        return fail(ErrorCode::Corrupt, "The network that finds speech cannot be loaded from " + platform::quotedPath(model) +
                                            ". Run packaging/setup.sh again.");
    std::vector<SpeechSpan> spans;
    const std::size_t count = audio.samples.size();
    std::vector<float> last(kWindow, 0.0f); // the end, filled up with silence
    for (std::size_t at = 0; at < count; at += kWindow) {
        if (at % (kWindow * 64) == 0 && cancel.isCancelled())
            return cancelled();
        const float* window = audio.samples.data() + at;
        if (count - at < kWindow) {
            std::copy(audio.samples.begin() + static_cast<std::ptrdiff_t>(at), audio.samples.end(), last.begin());
            window = last.data();
        }
        SherpaOnnxVoiceActivityDetectorAcceptWaveform(detector.get(), window, kWindow);
        takeSpans(detector.get(), audio.seconds(), spans);
    }
    SherpaOnnxVoiceActivityDetectorFlush(detector.get());
    takeSpans(detector.get(), audio.seconds(), spans);
    return spans;
}

} // namespace loquor::speech
