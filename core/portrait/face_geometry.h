// Where every vertex of the face mesh goes in one frame, where in the photo it is sampled, and how
// much brighter or darker the light makes it. Plain float code, the same on every processor.
#pragma once

#include <cstdint>
#include <vector>

#include "core/portrait/lip_shape.h"
#include "core/portrait/motion.h"
#include "core/portrait/portrait_model.h"

namespace loquor::portrait {

// Places head-frame points of one frame on the canvas; the identity at rest.
class HeadPose
{
public:
    HeadPose() = default;
    HeadPose(const PortraitModel& model, const Motion& motion);

    struct Placed
    {
        float x = 0, y = 0; // canvas px
        Vec3 solid{};       // image frame px, after the head motion
    };
    // `rest` is the point of the unmoved, undeformed face, `offset` its deformation (head frame);
    // `weight` says how far it follows the head.
    Placed place(const Vec3& rest, const Vec3& offset, float weight) const;
    // A point of the head frame that follows the head fully.
    Placed place(const Vec3& headPoint) const;

private:
    Mat3 m_headToImage{};     // R * u
    Mat3 m_turn{};            // head rotation minus identity, image frame
    Vec3 m_origin{}, m_pivot{}, m_shift{};
    float m_breath = 0, m_distance = 1;
};

struct FrameGeometry
{
    std::vector<float> x, y;   // canvas px, one a vertex
    std::vector<float> u, v;   // canvas px of the photo
    std::vector<float> gain;   // light, 1 = as in the photo
    LipKnots lips{};           // head frame
    JawMotion jaw;
    HeadPose pose;
};

class FaceGeometry
{
public:
    explicit FaceGeometry(PortraitModelPtr model);
    void evaluate(const Motion& motion, FrameGeometry& out);

private:
    // A field over some vertices: weights of handle k for row i at [k * rows + i].
    struct HandleField
    {
        std::vector<std::int32_t> vertices;
        std::vector<float> weights;
        std::size_t handles = 0;
    };
    struct Bump // one weight for some vertices
    {
        std::vector<std::int32_t> vertices;
        std::vector<float> weights;
    };
    HandleField makeField(const std::vector<float>& dense, std::size_t handles) const;
    Bump makeBump(float x, float y, float radiusX, float radiusY, float yLimitLow,
                  float yLimitHigh) const;
    void addField(const HandleField& field, const std::vector<Vec3>& handles);
    void lipOffsets(const Motion& motion, FrameGeometry& out);
    void lidOffsets(const Motion& motion);
    void softOffsets(const Motion& motion, const JawMotion& jaw);
    void shiftOffsets(const Motion& motion);
    void textureOffsets(const Motion& motion, FrameGeometry& out);
    void place(FrameGeometry& out);
    void prepareLight();
    void faceNormals(std::vector<float>& normals);
    void shadeRows();
    void light(FrameGeometry& out);
    void shadeNeck(const Motion& motion, FrameGeometry& out) const;

    PortraitModelPtr m_model;
    HandleField m_lipField, m_eyeField;
    Bump m_chin, m_sneer, m_underChin, m_jaw, m_cheek;
    std::vector<float> m_offset[3];  // deformation, head frame, planar
    std::vector<float> m_solid;      // 3 a vertex, image frame
    // Light is worked out where it shows: rows of the smoothing passes, outermost last.
    std::vector<std::int32_t> m_lightRows[4];
    std::vector<std::int32_t> m_lightTriangles;
    std::vector<float> m_normals, m_restShade, m_shade, m_shade2;
    float m_normalSign = 1;
    std::vector<float> m_scratch;
};

} // namespace loquor::portrait
