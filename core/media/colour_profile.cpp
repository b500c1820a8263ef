#include "core/media/colour_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <lcms2.h>

namespace loquor::media {

namespace {

struct CloseContext
{
    using pointer = cmsContext;
    void operator()(cmsContext context) const { cmsDeleteContext(context); }
};
using Context = std::unique_ptr<cmsContext, CloseContext>;

struct CloseProfile
{
    using pointer = cmsHPROFILE;
    void operator()(cmsHPROFILE profile) const { cmsCloseProfile(profile); }
};
using Profile = std::unique_ptr<cmsHPROFILE, CloseProfile>;

std::string nameOf(cmsHPROFILE profile)
{
    std::array<char, 256> text{};
    cmsGetProfileInfoASCII(profile, cmsInfoDescription, "en", "US", text.data(), text.size() - 1);
    return text.data();
}

cmsColorSpaceSignature spaceOf(PixelModel model)
{
    switch (model) {
    case PixelModel::Grey:
        return cmsSigGrayData;
    case PixelModel::Rgb:
        return cmsSigRgbData;
    case PixelModel::Cmyk:
        return cmsSigCmykData;
    }
    return cmsSigRgbData;
}

cmsUInt32Number formatOf(PixelModel model, int bitDepth)
{
    const bool is16 = bitDepth == 16;
    switch (model) {
    case PixelModel::Grey:
        return is16 ? TYPE_GRAY_16 : TYPE_GRAY_8;
    case PixelModel::Rgb:
        return is16 ? TYPE_RGB_16 : TYPE_RGB_8;
    case PixelModel::Cmyk:
        return is16 ? TYPE_CMYK_16 : TYPE_CMYK_8;
    }
    return TYPE_RGB_8;
}

// Many programs write the gamma of a television or of an old screen into pictures that are meant
// for today's; viewers take them as sRGB. Only what is clearly something else counts.
bool isOrdinaryGamma(double gamma)
{
    return gamma <= 0 || std::abs(gamma - 2.2) < 0.45;
}

bool isOrdinaryWhiteAndPrimaries(const PlainColour& plain)
{
    if (!plain.hasPrimaries)
        return true;
    const std::array<double, 8> have{plain.whiteX, plain.whiteY, plain.redX, plain.redY,
                                     plain.greenX, plain.greenY, plain.blueX, plain.blueY};
    static constexpr std::array<double, 8> kSrgb{0.3127, 0.3290, 0.64, 0.33,
                                                 0.30, 0.60, 0.15, 0.06};
    for (std::size_t i = 0; i < have.size(); ++i)
        if (std::abs(have[i] - kSrgb[i]) > 0.01)
            return false;
    return true;
}

Profile plainProfile(cmsContext context, const PlainColour& plain, PixelModel model)
{
    if (isOrdinaryGamma(plain.gamma) && isOrdinaryWhiteAndPrimaries(plain))
        return nullptr;
    // Parametric curve 4 with these numbers is the sRGB transfer function.
    static constexpr std::array<double, 5> kSrgbCurve{2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92,
                                                      0.04045};
    cmsToneCurve* curve = isOrdinaryGamma(plain.gamma)
                              ? cmsBuildParametricToneCurve(context, 4, kSrgbCurve.data())
                              : cmsBuildGamma(context, plain.gamma);
    Profile profile;
    cmsCIExyY white{0.3127, 0.3290, 1.0};
    cmsCIExyYTRIPLE primaries{{0.64, 0.33, 1.0}, {0.30, 0.60, 1.0}, {0.15, 0.06, 1.0}};
    if (plain.hasPrimaries) {
        white = {plain.whiteX, plain.whiteY, 1.0};
        primaries = {{plain.redX, plain.redY, 1.0},
                     {plain.greenX, plain.greenY, 1.0},
                     {plain.blueX, plain.blueY, 1.0}};
    }
    std::array<cmsToneCurve*, 3> curves{curve, curve, curve};
    if (model == PixelModel::Grey)
        profile.reset(cmsCreateGrayProfileTHR(context, &white, curve));
    else if (model == PixelModel::Rgb)
        profile.reset(cmsCreateRGBProfileTHR(context, &white, &primaries, curves.data()));
    cmsFreeToneCurve(curve);
    return profile;
}

// Offset printing on coated paper as a mixture of its 16 solid overprints (Demichel's equations),
// computed in gamma-coded light, which stands for the optical dot gain. Index bits: 1 C, 2 M, 4 Y,
// 8 K.
constexpr std::array<std::array<float, 3>, 16> kOverprints{{{255, 255, 255},
                                                            {0, 166, 230},
                                                            {232, 0, 132},
                                                            {48, 48, 140},
                                                            {255, 240, 0},
                                                            {0, 158, 80},
                                                            {234, 28, 36},
                                                            {38, 34, 34},
                                                            {35, 31, 32},
                                                            {0, 18, 28},
                                                            {30, 0, 10},
                                                            {4, 2, 14},
                                                            {28, 25, 0},
                                                            {0, 16, 6},
                                                            {26, 2, 2},
                                                            {0, 0, 0}}};

void printedColour(const std::array<float, 4>& ink, std::uint8_t* rgb)
{
    std::array<std::array<float, 3>, 16> at = kOverprints;
    std::size_t count = 16;
    for (std::size_t i = 4; i-- > 0;) {
        count /= 2;
        for (std::size_t j = 0; j < count; ++j)
            for (std::size_t c = 0; c < 3; ++c)
                at[j][c] += ink[i] * (at[j + count][c] - at[j][c]);
    }
    for (std::size_t c = 0; c < 3; ++c)
        rgb[c] = static_cast<std::uint8_t>(std::lround(at[0][c]));
}

std::uint8_t to8(std::uint16_t v)
{
    return static_cast<std::uint8_t>((v * 255u + 32767u) / 65535u);
}

} // namespace

int samplesOf(PixelModel model)
{
    switch (model) {
    case PixelModel::Grey:
        return 1;
    case PixelModel::Rgb:
        return 3;
    case PixelModel::Cmyk:
        return 4;
    }
    return 3;
}

struct ToSrgb::Transform
{
    Context context{cmsCreateContext(nullptr, nullptr)};
    cmsHTRANSFORM handle = nullptr;
    ~Transform()
    {
        if (handle != nullptr)
            cmsDeleteTransform(handle);
    }
};

namespace {

// Most RGB files carry sRGB itself under some name: then nothing has to be done.
bool changesNothing(cmsHTRANSFORM transform, int bitDepth)
{
    const int factor = bitDepth == 16 ? 257 : 1;
    for (int r = 0; r <= 255; r += 51)
        for (int g = 0; g <= 255; g += 51)
            for (int b = 0; b <= 255; b += 51) {
                const std::array<int, 3> want{r, g, b};
                std::array<std::uint16_t, 3> in16{};
                std::array<std::uint8_t, 3> in8{}, out{};
                for (std::size_t i = 0; i < 3; ++i) {
                    in8[i] = static_cast<std::uint8_t>(want[i]);
                    in16[i] = static_cast<std::uint16_t>(want[i] * factor);
                }
                const void* in = in8.data();
                if (bitDepth == 16)
                    in = in16.data();
                cmsDoTransform(transform, in, out.data(), 1);
                for (std::size_t i = 0; i < 3; ++i)
                    if (std::abs(out[i] - want[i]) > 1)
                        return false;
            }
    return true;
}

} // namespace

ToSrgb::ToSrgb(std::span<const std::uint8_t> profileBytes, const PlainColour& plain,
               PixelModel model, int bitDepth, std::vector<std::string>& warnings)
    : m_model(model), m_bitDepth(bitDepth)
{
    auto transform = std::make_unique<Transform>();
    const cmsContext context = transform->context.get();
    Profile profile;
    if (!profileBytes.empty()) {
        profile.reset(cmsOpenProfileFromMemTHR(context, profileBytes.data(),
                                               static_cast<cmsUInt32Number>(profileBytes.size())));
        if (!profile)
            warnings.push_back("The embedded colour profile is damaged and was not used.");
    }
    if (profile) {
        m_profileName = nameOf(profile.get());
        if (cmsGetColorSpace(profile.get()) != spaceOf(model)) {
            warnings.push_back("The embedded colour profile '" + m_profileName +
                               "' is made for another kind of picture and was not used.");
            profile.reset();
        }
    } else {
        profile = plainProfile(context, plain, model);
    }
    if (!profile)
        return;
    const Profile srgb(cmsCreate_sRGBProfileTHR(context));
    transform->handle = cmsCreateTransformTHR(context, profile.get(), formatOf(model, bitDepth),
                                              srgb.get(), TYPE_RGB_8, INTENT_RELATIVE_COLORIMETRIC,
                                              cmsFLAGS_BLACKPOINTCOMPENSATION | cmsFLAGS_NOCACHE);
    if (transform->handle == nullptr) {
        warnings.push_back("The embedded colour profile '" + m_profileName +
                           "' cannot be used for a conversion.");
        return;
    }
    if (model == PixelModel::Rgb && changesNothing(transform->handle, bitDepth))
        return;
    m_transform = std::move(transform);
}

ToSrgb::~ToSrgb() = default;
ToSrgb::ToSrgb(ToSrgb&&) noexcept = default;
ToSrgb& ToSrgb::operator=(ToSrgb&&) noexcept = default;

void ToSrgb::convert(const void* in, std::uint8_t* rgb, int pixels) const
{
    if (m_transform) {
        cmsDoTransform(m_transform->handle, in, rgb, static_cast<cmsUInt32Number>(pixels));
        return;
    }
    const auto* in8 = static_cast<const std::uint8_t*>(in);
    const auto* in16 = static_cast<const std::uint16_t*>(in);
    const bool is16 = m_bitDepth == 16;
    const auto count = static_cast<std::size_t>(pixels);
    switch (m_model) {
    case PixelModel::Rgb:
        if (!is16) {
            std::memcpy(rgb, in8, count * 3);
            return;
        }
        for (std::size_t i = 0; i < count * 3; ++i)
            rgb[i] = to8(in16[i]);
        return;
    case PixelModel::Grey:
        for (std::size_t i = 0; i < count; ++i)
            rgb[3 * i] = rgb[3 * i + 1] = rgb[3 * i + 2] = is16 ? to8(in16[i]) : in8[i];
        return;
    case PixelModel::Cmyk:
        for (std::size_t i = 0; i < count; ++i) {
            std::array<float, 4> ink{};
            for (std::size_t c = 0; c < 4; ++c)
                ink[c] = is16 ? static_cast<float>(in16[4 * i + c]) / 65535.0f
                              : static_cast<float>(in8[4 * i + c]) / 255.0f;
            printedColour(ink, rgb + 3 * i);
        }
        return;
    }
}

} // namespace loquor::media
