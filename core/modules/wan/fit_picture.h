// A picture brought to the size of a video as the reference code of the avatar models does it (Pillow, bilinear).
#pragma once

#include <array>
#include <cstdint>

namespace at {
class Tensor;
}

namespace loquor::modules {

// The size that covers height x width: factor and rounding as there, which may exceed the target by one.
std::array<std::int64_t, 2> coveringSize(std::int64_t sourceHeight, std::int64_t sourceWidth, std::int64_t height, std::int64_t width);

// `picture` is [height, width, 3] of bytes. Covers the target, cuts out its middle; gives bytes [1, 3, height, width].
// A reduced picture is averaged; both passes round to bytes.
at::Tensor fitPicture(const at::Tensor& picture, std::int64_t height, std::int64_t width);

} // namespace loquor::modules
