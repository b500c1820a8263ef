// Pixels of any colour model to sRGB. Private to core/media.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace loquor::media {

enum class PixelModel {
    Grey = 1,
    Rgb,
    Cmyk,
}; // 1, 3 and 4 samples per pixel; CMYK: full = all ink

int samplesOf(PixelModel model);

// Primaries and gamma of a PNG without a profile (gAMA and cHRM chunks).
struct PlainColour
{
    double gamma = 0; // decoding exponent; 0 = nothing is said
    bool hasPrimaries = false;
    double whiteX = 0, whiteY = 0, redX = 0, redY = 0, greenX = 0, greenY = 0, blueX = 0, blueY = 0;
};

// Converts rows; one thread at a time.
class ToSrgb
{
public:
    // `profile` are the bytes of an ICC profile (may be empty). A profile that is damaged or made
    // for another colour model is left out with a warning. Without one: RGB and grey are taken as
    // sRGB, CMYK by a model of coated offset printing.
    ToSrgb(std::span<const std::uint8_t> profile, const PlainColour& plain, PixelModel model,
           int bitDepth, std::vector<std::string>& warnings);
    ~ToSrgb();
    ToSrgb(ToSrgb&&) noexcept;
    ToSrgb& operator=(ToSrgb&&) noexcept;

    const std::string& profileName() const { return m_profileName; }
    // `in`: pixels * samplesOf(model) samples of 8 or 16 bits, native byte order. `rgb`: 3 bytes
    // each.
    void convert(const void* in, std::uint8_t* rgb, int pixels) const;

private:
    struct Transform;
    PixelModel m_model;
    int m_bitDepth;
    std::string m_profileName;
    std::unique_ptr<Transform> m_transform; // null: no profile, or one that changes nothing
};

} // namespace loquor::media
