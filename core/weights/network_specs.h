// The tensors of each network, generated from its config: names as first published, and the other public spellings.
#pragma once

#include "core/weights/checkpoint_spec.h"
#include "core/weights/network_config.h"

namespace loquor::weights {

// Original Wan names; also read under those of diffusers. With an audio path: FlashTalk or FlashHead.
CheckpointSpec wanDitSpec(const WanDitConfig& config);
// Original names (encoder.downsamples.N ...); also diffusers.
CheckpointSpec wanVaeSpec(const WanVaeConfig& config);
// TAEHV taew2_1, or (Growth::Repeat) SwiftVR's ReAE.
CheckpointSpec tinyAutoencoderSpec(const TinyAutoencoderConfig& config);
// Wan .pth names; also transformers.
CheckpointSpec umt5Spec(const Umt5Config& config);
// open-clip names as Wan has them (visual.*); also transformers, where q, k and v are apart.
CheckpointSpec clipVisionSpec(const ClipVisionConfig& config);
// transformers names, with both spellings of the weight norm.
CheckpointSpec wav2vec2Spec(const Wav2Vec2Config& config);

} // namespace loquor::weights
