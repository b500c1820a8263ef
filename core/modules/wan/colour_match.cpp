#include "core/modules/wan/colour_match.h"

#include <array>

#include <ATen/ATen.h>

namespace loquor::modules {

namespace {

constexpr double kEpsilon = 0.008856, kKappa = 903.3;
constexpr std::array<float, 9> kToXyz{0.4124564f, 0.3575761f, 0.1804375f, 0.2126729f, 0.7151522f, 0.0721750f, 0.0193339f, 0.1191920f, 0.9503041f};
constexpr std::array<float, 9> kFromXyz{3.2404542f, -1.5371385f, -0.4985314f, -0.9692660f, 1.8760108f, 0.0415560f, 0.0556434f, -0.2040259f, 1.0572252f};
constexpr std::array<float, 3> kWhite{0.95047f, 1.0f, 1.08883f};

at::Tensor matrix(const std::array<float, 9>& values, const at::Tensor& like)
{
    return at::tensor(at::ArrayRef<float>(values)).view({3, 3}).to(like.options());
}

at::Tensor white(const at::Tensor& like)
{
    return at::tensor(at::ArrayRef<float>(kWhite)).to(like.options());
}

// Of a picture [..., height, width, 3]; a flat one counts as of deviation 1.
std::array<at::Tensor, 2> statistics(const at::Tensor& lab)
{
    const at::Tensor mean = lab.mean({-3, -2}, true);
    const at::Tensor deviation = lab.std({-3, -2}, 0, true);
    return {mean, at::where(deviation.lt(1e-8), 1.0, deviation)};
}

} // namespace

at::Tensor labFromRgb(const at::Tensor& rgb)
{
    const at::Tensor linear = at::where(rgb > 0.04045, at::pow((rgb + 0.055) / 1.055, 2.4), rgb / 12.92);
    const at::Tensor xyz = (at::matmul(linear, matrix(kToXyz, rgb).t()) / white(rgb)).clamp_(1e-8, 1);
    const auto f = at::where(xyz > kEpsilon, at::pow(xyz, 1.0 / 3), (xyz * kKappa + 16) / 116).unbind(-1);
    return at::stack({f[1] * 116 - 16, (f[0] - f[1]) * 500, (f[1] - f[2]) * 200}, -1);
}

at::Tensor rgbFromLab(const at::Tensor& lab)
{
    const auto parts = lab.unbind(-1);
    const at::Tensor fy = (parts[0] + 16) / 116;
    const at::Tensor f = at::stack({parts[1] / 500 + fy, fy, fy - parts[2] / 200}, -1);
    const at::Tensor cube = f.pow(3);
    const at::Tensor xyz = at::where(cube > kEpsilon, cube, (f * 116 - 16) / kKappa) * white(lab);
    const at::Tensor linear = at::matmul(xyz, matrix(kFromXyz, lab).t());
    return at::where(linear > 0.0031308, at::pow(linear.clamp_min(1e-12), 1 / 2.4) * 1.055 - 0.055, linear * 12.92).clamp_(0, 1);
}

at::Tensor matchColours(const at::Tensor& frames, const at::Tensor& reference, double strength)
{
    if (strength <= 0)
        return frames;
    const auto pictures = [](const at::Tensor& x) { return ((x.permute({0, 2, 3, 4, 1}) + 1) / 2).clamp_(0, 1); };
    const at::Tensor source = pictures(frames), lab = labFromRgb(source);
    const auto own = statistics(lab), wanted = statistics(labFromRgb(pictures(reference)));
    const at::Tensor matched = rgbFromLab((lab - own[0]) * (wanted[1] / own[1]) + wanted[0]);
    return ((source * (1 - strength) + matched * strength) * 2 - 1).permute({0, 4, 1, 2, 3});
}

} // namespace loquor::modules
