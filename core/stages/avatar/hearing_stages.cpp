#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>

#include "core/media/audio_convert.h"
#include "core/modules/wan/encoders.h"
#include "core/modules/wan/speech_loudness.h"
#include "core/stages/avatar/tensors.h"

namespace loquor::stages {

Result<void> AvatarSoundStage::run(const pipeline::ChunkSpec& chunk, pipeline::ChunkSpec, const pipeline::Emit<AvatarSound>& emit,
                                   const CancelToken& cancel)
{
    const double end = static_cast<double>(chunk.firstFrame + m_plan.newFrames()) / kAvatarFps, start = end - m_plan.soundSeconds;
    LQ_TRY(const portrait::SpeechWindow heard, m_track->window(std::max(0.0, start), end, cancel));
    AvatarSound out;
    out.window.assign(static_cast<std::size_t>(std::lround(m_plan.soundSeconds * kAvatarSoundRate)), 0);
    if (!heard.audio.samples.empty()) {
        LQ_TRY(const AudioBlock sound, media::converted(heard.audio, kAvatarSoundRate, 1));
        const auto shift = static_cast<std::int64_t>(std::llround((heard.audioStart - start) * kAvatarSoundRate));
        for (std::int64_t i = 0; i < sound.frames(); ++i) {
            const std::int64_t at = i + shift;
            if (at >= 0 && at < static_cast<std::int64_t>(out.window.size()))
                out.window[static_cast<std::size_t>(at)] = sound.samples[static_cast<std::size_t>(i)];
        }
    }
    out.audio = m_track->audio(chunk.firstSample, chunk.samples);
    m_track->forgetBefore(static_cast<double>(chunk.firstFrame + chunk.frames) / kAvatarFps - m_plan.soundSeconds);
    return emit(std::move(out)) ? Result<void>{} : cancelled();
}

Result<void> HearingStage::run(const pipeline::ChunkSpec&, AvatarSound in, const pipeline::Emit<AvatarHearing>& emit, const CancelToken& cancel)
{
    if (cancel.isCancelled())
        return cancelled();
    const AvatarPlan& plan = m_networks->plan;
    if (plan.loudness)
        modules::toLoudness(in.window, kAvatarSoundRate, *plan.loudness);
    const at::Tensor samples = at::tensor(at::ArrayRef<float>(in.window)).to(at::Device(m_networks->placement.device));
    const auto frames = static_cast<std::int64_t>(static_cast<double>(in.window.size()) * kAvatarFps / kAvatarSoundRate);
    const at::Tensor states = m_networks->sound->encode(modules::Wav2Vec2Encoder::normalise(samples), frames).to(at::kFloat);
    const at::Tensor places = modules::windowPlaces(frames, plan.frames, m_networks->videoConfig.audio.window).to(states.device());
    const at::Tensor windows = states.index_select(0, places.flatten()).view({1, places.size(0), places.size(1), states.size(1), states.size(2)});
    return emit(AvatarHearing{boxed(windows), std::move(in.audio)}) ? Result<void>{} : cancelled();
}

} // namespace loquor::stages
