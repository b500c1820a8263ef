// Draws what the photo cannot show of a speaking mouth: teeth, tongue, the wet inside of the lips
// and the line where the lips meet.
#pragma once

#include <array>
#include <vector>

#include "core/media/image.h"
#include "core/portrait/face_geometry.h"
#include "core/portrait/motion.h"
#include "core/portrait/paint.h"
#include "core/portrait/portrait_model.h"

namespace loquor::portrait {

class MouthPainter
{
public:
    explicit MouthPainter(PortraitModelPtr model);
    void paint(const Motion& motion, const FrameGeometry& geometry, Image& out);

private:
    using Contour = std::array<Point2, kLipSamples>;
    // One textured sheet of the mouth, ready to sample by canvas position.
    struct Sheet
    {
        const Texture* texture = nullptr;
        const Texture* gloss = nullptr;
        Affine toHead;                    // canvas px -> head x, y (flat sheet)
        float bendX = 0, bendY = 0;       // correction by head x squared
        float glossX = 0, glossY = 0;     // head units
        float scaleX = 1;                 // head x -> texture x
    };
    struct Frame; // everything of one frame that the pixel loop reads
    Sheet makeSheet(const Texture& texture, const Texture& gloss, const FrameGeometry& geometry,
                    const Motion& motion, bool onJaw, Vec3 offset, float scaleX, float bend) const;
    // RGB with alpha in [3], gloss in [4]; 0..255.
    void sample(const Sheet& sheet, float x, float y, float* rgbag) const;
    float seamActivity(const Motion& motion, const FrameGeometry& geometry) const;
    bool prepareInside(const Motion& motion, const FrameGeometry& geometry, Frame& frame,
                       const Image& out);
    void paintInside(const Frame& frame, Image& out);
    void insidePixel(const Frame& frame, int column, float x, float y, float* rgb) const;
    std::vector<float> rimColors(const std::vector<int>& rim, const std::vector<float>& lip,
                                 float outward) const;
    void wetLip(const Frame& frame, int column, float distance, bool lower, float* rgb) const;
    void paintSeam(const Frame& frame, Image& out);

    PortraitModelPtr m_model;
    Mask m_mask;
    Patch m_patch, m_blurred;
    float m_colorful = 1; // 0 = the photo has one hue, m_hue at brightness 1
    Vec3 m_hue{1, 1, 1};
    float m_upperRing = 0, m_lowerRing = 0;     // u of wet lip, wide open
    std::vector<float> m_lowerLip, m_upperLip; // RGB of the lips' rims, kLipSamples each
    std::vector<float> m_tint, m_falloff; // tables: powers of light, exp(-x)
};

} // namespace loquor::portrait
