// Draws the eyeballs seen through the lids, and the lashes of a closing lid, over the face layer.
#pragma once

#include <array>
#include <span>

#include "core/media/image.h"
#include "core/portrait/face_geometry.h"
#include "core/portrait/motion.h"
#include "core/portrait/paint.h"
#include "core/portrait/portrait_model.h"

namespace loquor::portrait {

class EyePainter
{
public:
    explicit EyePainter(PortraitModelPtr model);
    // Draws both eyes of this frame into the RGB picture.
    void paint(const Motion& motion, const FrameGeometry& geometry, Image& out);

private:
    using Lid = std::array<Point2, kLidSamples>;
    // What one eye does in this frame.
    struct Look
    {
        float gazeX = 0, gazeY = 0; // px of the photo
        float moved = 0;            // 0 = exactly the photo's eye may show, 1 = the layered eye
        float gazed = 0;            // 0 = photo's gaze, 1 = sclera with a moved iris
        float blink = 0;
    };
    // What lies on the ball along one lid in the photo (lashes, shadow, wet rim) against the layered
    // eye (gazed 0 or 1), as brightness ratios: row i belongs to lid sample i, columns reach kRimReach into the eye.
    static constexpr std::size_t kRimSteps = 12;
    using Rim = std::array<std::array<float, kRimSteps>, kLidSamples>;
    Rim measureRim(std::size_t eye, float gazed, const std::vector<int>& lid,
                   const std::vector<int>& other) const;
    float rimShade(const Rim& rim, float sample, float distance) const;
    float rimShade(std::size_t eye, float gazed, float upperSample, float below,
                   float lowerSample, float above) const;
    Look lookOf(const Motion& motion, std::size_t eye) const;
    void paintBall(std::size_t eye, const Look& look, const Lid& upper, const Lid& lower,
                   const Affine& toPhoto, Image& out);
    void paintLashes(std::size_t eye, float blink, const Lid& upper, Image& out);
    void eyeColor(const EyeModel& eye, const Look& look, Point2 photo, float* rgb) const;

    PortraitModelPtr m_model;
    std::array<Texture, 2> m_photo; // the photo around each eye, origin as the eye's textures
    struct Rims
    {
        Rim upper{}, lower{};
    };
    std::array<std::array<Rims, 2>, 2> m_rims{}; // [eye][gazed]
    Mask m_mask, m_soft;
    Patch m_patch, m_blurred;
};

} // namespace loquor::portrait
