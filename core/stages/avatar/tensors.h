// Tensors that travel between stages whose headers know no LibTorch. Internal to core/stages/avatar and its tests.
#pragma once

#include <memory>

#include <ATen/core/Tensor.h>

#include "core/modules/wan/wan_transformer.h"
#include "core/stages/avatar/avatar_stages.h"

namespace loquor::stages {

struct TensorBox
{
    at::Tensor value;
};
inline TensorPtr boxed(at::Tensor tensor)
{
    return std::make_shared<const TensorBox>(TensorBox{std::move(tensor)});
}

// All in float32 on the networks' device.
struct AvatarReference
{
    at::Tensor picture;   // [1, 3, 1, height, width], -1 to 1
    at::Tensor condition; // [1, channels, latents, height / 8, width / 8]: stands behind the noisy channels
    at::Tensor motion;    // [1, 16, 1, height / 8, width / 8]: what the first chunk goes on from
    std::shared_ptr<const modules::WanContext> context; // null: FlashHead
};

at::ScalarType scalarType(modules::Precision precision);
// Video [1, 3, frames, height, width] -> latents in float32.
at::Tensor encoded(const AvatarNetworks& networks, const at::Tensor& video);

} // namespace loquor::stages
