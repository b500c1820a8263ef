#include "core/portrait/face_geometry.h"

#include "core/base/check.h"
#include "core/portrait/vector_math.h"

namespace loquor::portrait {
namespace {

constexpr float kRadians = 3.14159265f / 180.f;
constexpr float kViewDistance = 12.f; // camera distance in u
constexpr float kRollShift = .024f;   // u of vermilion that a full lip roll hides
constexpr float kFar = 100.f;            // beyond every face, u
constexpr float kOpenPhotoInset = .008f;
constexpr float kJawShadow = .12f;    // of the neck's light, jaw fully open
constexpr float kNodShadow = .012f;   // a degree of chin down
constexpr float kMaxDarken = -.16f, kMaxBrighten = .12f, kLightStrength = .8f;

std::size_t index(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

} // namespace

HeadPose::HeadPose(const PortraitModel& model, const Motion& motion)
    : m_origin(model.M0), m_pivot(model.pivot), m_breath(motion[Param::Breath] * model.u * .018f),
      m_distance(kViewDistance * model.u)
{
    const Mat3 head = rotation(motion[Param::Pitch] * kRadians, motion[Param::Yaw] * kRadians,
                               motion[Param::Roll] * kRadians);
    const bool turned = motion[Param::Pitch] != 0 || motion[Param::Yaw] != 0 ||
                        motion[Param::Roll] != 0;
    if (turned) {
        m_turn = multiply(multiply(model.R, head), transpose(model.R));
        for (const std::size_t i : {0u, 4u, 8u})
            m_turn[i] -= 1.f;
    }
    for (std::size_t i = 0; i < 9; ++i)
        m_headToImage[i] = model.R[i] * model.u;
    m_shift = Vec3{motion[Param::Tx], motion[Param::Ty], motion[Param::Tz]} * model.u;
}

HeadPose::Placed HeadPose::place(const Vec3& rest, const Vec3& offset, float weight) const
{
    const Vec3 X = rest + m_headToImage * offset;
    const Vec3 arm = X - m_pivot;
    const Vec3 move = (m_turn * arm + m_shift) * weight;
    Vec3 Y = X + move;
    Y[1] -= m_breath * (1.f - .35f * weight);
    // Perspective as a difference, so that nothing moves at rest. The floor keeps points that fly
    // towards the camera finite.
    const float nearest = .25f * m_distance;
    const float kx = m_distance / std::max(nearest, m_distance + arm[2]);
    const float ky = m_distance / std::max(nearest, m_distance + Y[2] - m_pivot[2]);
    Placed out;
    out.x = X[0] + ((Y[0] - m_pivot[0]) * ky - arm[0] * kx);
    out.y = X[1] + ((Y[1] - m_pivot[1]) * ky - arm[1] * kx);
    out.solid = Y;
    return out;
}

HeadPose::Placed HeadPose::place(const Vec3& headPoint) const
{
    return place(m_origin, headPoint, 1.f);
}

FaceGeometry::FaceGeometry(PortraitModelPtr model) : m_model(std::move(model))
{
    const PortraitModel& m = *m_model;
    const std::size_t n = m.restXY.size() / 2;
    m_lipField = makeField(m.lipField, kLipHandles);
    m_eyeField = makeField(m.eyeField, kEyeHandles);
    for (auto& plane : m_offset)
        plane.resize(n);
    m_solid.resize(3 * n);
    for (std::size_t i = 0; i < n; ++i) {
        if (m.jawWeight[i] != 0) {
            m_jaw.vertices.push_back(static_cast<std::int32_t>(i));
            m_jaw.weights.push_back(m.jawWeight[i]);
        }
        if (m.cheekWeight[i] != 0) {
            m_cheek.vertices.push_back(static_cast<std::int32_t>(i));
            m_cheek.weights.push_back(m.cheekWeight[i]);
        }
    }
    const float lipY = m.mouthCenter[1];
    m_chin = makeBump(0, m.chinY - .06f, .26f, .13f, lipY + .10f, kFar);
    const int noseVertex = m.landmarkVertex[2];
    const float noseY = noseVertex >= 0 ? m.restXH[3 * index(noseVertex) + 1] : lipY - .25f;
    m_sneer = makeBump(0, noseY - .04f, .20f, .12f, -kFar, .5f * (noseY + lipY));
    m_underChin = makeBump(0, m.chinY + .10f, .42f, .10f, m.chinY - .02f, kFar);
    prepareLight();
}

FaceGeometry::HandleField FaceGeometry::makeField(const std::vector<float>& dense,
                                                  std::size_t handles) const
{
    HandleField field;
    field.handles = handles;
    const std::size_t n = m_model->restXY.size() / 2;
    LOQUOR_CHECK(dense.size() == n * handles);
    for (std::size_t i = 0; i < n; ++i) {
        float largest = 0;
        for (std::size_t k = 0; k < handles; ++k)
            largest = std::max(largest, std::abs(dense[i * handles + k]));
        if (largest > 1e-5f)
            field.vertices.push_back(static_cast<std::int32_t>(i));
    }
    const std::size_t rows = field.vertices.size();
    field.weights.resize(rows * handles);
    for (std::size_t k = 0; k < handles; ++k)
        for (std::size_t i = 0; i < rows; ++i)
            field.weights[k * rows + i] = dense[index(field.vertices[i]) * handles + k];
    return field;
}

FaceGeometry::Bump FaceGeometry::makeBump(float x, float y, float radiusX, float radiusY,
                                          float yLimitLow, float yLimitHigh) const
{
    Bump bump;
    const PortraitModel& m = *m_model;
    for (std::size_t i = 0; i < m.restXY.size() / 2; ++i) {
        const float px = m.restXH[3 * i], py = m.restXH[3 * i + 1];
        const float dx = (px - x) / radiusX, dy = (py - y) / radiusY;
        const float edge = smoothstep(yLimitLow, yLimitLow + .06f, py) *
                           smoothstep(yLimitHigh, yLimitHigh - .06f, py);
        const float w = std::exp(-dx * dx - dy * dy) * edge;
        if (w > 1e-3f) {
            bump.vertices.push_back(static_cast<std::int32_t>(i));
            bump.weights.push_back(w);
        }
    }
    return bump;
}

void FaceGeometry::addField(const HandleField& field, const std::vector<Vec3>& handles)
{
    const std::size_t rows = field.vertices.size();
    for (std::size_t c = 0; c < 3; ++c) {
        m_scratch.assign(rows, 0.f);
        bool any = false;
        for (std::size_t k = 0; k < field.handles; ++k) {
            const float d = handles[k][c];
            if (d == 0)
                continue;
            any = true;
            const float* w = field.weights.data() + k * rows;
            for (std::size_t i = 0; i < rows; ++i)
                m_scratch[i] += w[i] * d;
        }
        if (!any)
            continue;
        for (std::size_t i = 0; i < rows; ++i)
            m_offset[c][index(field.vertices[i])] += m_scratch[i];
    }
}

void FaceGeometry::lipOffsets(const Motion& motion, FrameGeometry& out)
{
    const PortraitModel& m = *m_model;
    out.lips = shapeLips(m, motion, out.jaw);
    std::vector<Vec3> handles(kLipHandles);
    // The jaw carries the whole neighbourhood; the handles add what the lips do beyond it.
    auto beyondJaw = [&](std::size_t c, std::size_t i) {
        const Vec3& reference = m.refContour[c][i];
        return out.lips[c][i] - reference -
               out.jaw.displacement(reference) * m.lipJawWeight[c][i];
    };
    for (std::size_t i = 0; i < kLipKnots; ++i) {
        handles[i] = beyondJaw(kUpperInner, i);
        handles[20 + i] = beyondJaw(kUpperOuter, i);
    }
    for (std::size_t i = 1; i + 1 < kLipKnots; ++i) {
        handles[10 + i] = beyondJaw(kLowerInner, i);
        handles[30 + i] = beyondJaw(kLowerOuter, i);
    }
    addField(m_lipField, handles);
}

void FaceGeometry::lidOffsets(const Motion& motion)
{
    const PortraitModel& m = *m_model;
    std::vector<Vec3> handles(kEyeHandles);
    auto point = [&](int vertex) {
        const float* p = m.restXH.data() + 3 * index(vertex);
        return Vec3{p[0], p[1], p[2]};
    };
    for (std::size_t k = 0; k < 2; ++k) {
        const bool right = k == 0; // the subject's right eye is on the image's left
        const float blink = motion[right ? Param::BlinkR : Param::BlinkL];
        const float squint = motion[right ? Param::SquintR : Param::SquintL];
        const float gaze = std::clamp(motion[Param::GazeY], -1.f, 1.f);
        const float low = .12f * blink + .18f * squint;
        for (std::size_t i = 1; i + 1 < kLidKnots; ++i) {
            const Vec3 opening =
                point(m.eyes[k].lower[3 * i]) - point(m.eyes[k].upper[3 * i]);
            const float arc =
                std::sin(3.14159265f * static_cast<float>(i) / static_cast<float>(kLidKnots - 1));
            float down = (1 - low + .03f * smoothstep(.4f, .6f, blink)) * blink;
            down += -.12f * motion[Param::Wide];
            down += gaze * (gaze > 0 ? .16f : .10f) * (1 - blink) * arc;
            handles[18 * k + i] = opening * down;
            handles[18 * k + i][2] -=
                .02f * std::sin(3.14159265f * std::clamp(blink, 0.f, 1.f));
            handles[18 * k + 9 + i] = opening * -low;
        }
        const float in = motion[right ? Param::BrowInR : Param::BrowInL];
        const float outer = motion[right ? Param::BrowOutR : Param::BrowOutL];
        const float frown = motion[Param::BrowDown];
        for (std::size_t i = 0; i < 5; ++i) { // outer to inner
            const float w = static_cast<float>(i) / 4;
            Vec3& brow = handles[36 + 5 * k + i];
            brow[1] = -.065f * (in * std::pow(w, 1.2f) + outer * std::pow(1 - w, .8f) * .9f) +
                      .06f * frown * (.4f + .6f * w);
            brow[0] = (right ? 1.f : -1.f) * .02f * frown * w;
        }
    }
    addField(m_eyeField, handles);
}

void FaceGeometry::softOffsets(const Motion& motion, const JawMotion& jaw)
{
    const PortraitModel& m = *m_model;
    if (motion[Param::Jaw] != 0 || motion[Param::JawSide] != 0) {
        for (std::size_t i = 0; i < m_jaw.vertices.size(); ++i) {
            const std::size_t v = index(m_jaw.vertices[i]);
            const float* p = m.restXH.data() + 3 * v;
            const Vec3 d = jaw.displacement({p[0], p[1], p[2]});
            for (std::size_t c = 0; c < 3; ++c)
                m_offset[c][v] += d[c] * m_jaw.weights[i];
        }
    }
    auto lift = [&](Param cheek, Param smile, Param squint) {
        return .5f * motion[smile] + .4f * motion[squint] + motion[cheek];
    };
    const float left = lift(Param::CheekL, Param::SmileL, Param::SquintL);
    const float right = lift(Param::CheekR, Param::SmileR, Param::SquintR);
    if (left != 0 || right != 0) {
        for (std::size_t i = 0; i < m_cheek.vertices.size(); ++i) {
            const std::size_t v = index(m_cheek.vertices[i]);
            const float side = smoothstep(-.15f, .15f, m.restXH[3 * v]);
            const float k = mix(right, left, side) * m_cheek.weights[i];
            m_offset[1][v] -= .05f * k;
            m_offset[2][v] -= .02f * k;
        }
    }
    if (const float chin = motion[Param::ChinRaise]; chin != 0) {
        for (std::size_t i = 0; i < m_chin.vertices.size(); ++i) {
            m_offset[1][index(m_chin.vertices[i])] -= .035f * chin * m_chin.weights[i];
            m_offset[2][index(m_chin.vertices[i])] -= .020f * chin * m_chin.weights[i];
        }
    }
    if (const float sneer = motion[Param::NoseSneer]; sneer != 0) {
        for (std::size_t i = 0; i < m_sneer.vertices.size(); ++i) {
            const std::size_t v = index(m_sneer.vertices[i]);
            // The wings rise, the tip hardly.
            const float wing = smoothstep(.03f, .14f, std::abs(m.restXH[3 * v]));
            m_offset[1][v] -= .030f * sneer * m_sneer.weights[i] * (.25f + .75f * wing);
        }
    }
}

void FaceGeometry::shiftOffsets(const Motion& motion)
{
    // What the photo's expression keeps in the cheeks, and how they follow rounded lips.
    const PortraitModel& m = *m_model;
    const float round = std::min(1.f, motion[Param::Pucker] + .5f * motion[Param::Funnel]);
    auto add = [&](const std::vector<float>& shift, float amount) {
        if (shift.empty() || amount == 0)
            return;
        for (std::size_t i = 0; i < m_offset[0].size(); ++i)
            for (std::size_t c = 0; c < 3; ++c)
                m_offset[c][i] += shift[3 * i + c] * amount;
    };
    add(m.neutralShift, 1.f);
    add(m.roundShift, round);
}

void FaceGeometry::textureOffsets(const Motion& motion, FrameGeometry& out)
{
    const PortraitModel& m = *m_model;
    const std::size_t n = out.u.size();
    for (std::size_t i = 0; i < n; ++i) {
        out.u[i] = m.restXY[2 * i];
        out.v[i] = m.restXY[2 * i + 1];
    }
    // Lips roll: the photo's vermilion slides under the seam. Photos with parted lips are always
    // sampled a little inside the lip, away from the teeth.
    const LipRoll roll = lipRoll(motion);
    const float inset = m.openMouth ? kOpenPhotoInset : 0.f;
    const float upper = -(roll.upper * kRollShift + inset);
    const float lower = roll.lower * kRollShift + inset;
    if (upper == 0 && lower == 0)
        return;
    const std::size_t rows = m_lipField.vertices.size();
    m_scratch.assign(rows, 0.f);
    for (std::size_t k = 1; k + 1 < kLipKnots; ++k) {
        const float s = static_cast<float>(k) / 5.f - 1.f;
        const float profile = std::sqrt(1.f - s * s);
        const float* wu = m_lipField.weights.data() + k * rows;
        const float* wl = m_lipField.weights.data() + (10 + k) * rows;
        for (std::size_t i = 0; i < rows; ++i)
            m_scratch[i] += (wu[i] * upper + wl[i] * lower) * profile;
    }
    const float downX = m.R[1] * m.u, downY = m.R[4] * m.u;
    for (std::size_t i = 0; i < rows; ++i) {
        out.u[index(m_lipField.vertices[i])] += downX * m_scratch[i];
        out.v[index(m_lipField.vertices[i])] += downY * m_scratch[i];
    }
}

void FaceGeometry::place(FrameGeometry& out)
{
    const PortraitModel& m = *m_model;
    for (std::size_t i = 0; i < out.x.size(); ++i) {
        const Vec3 rest{m.restXY[2 * i], m.restXY[2 * i + 1], m.restX0[3 * i + 2]};
        const HeadPose::Placed p = out.pose.place(
            rest, {m_offset[0][i], m_offset[1][i], m_offset[2][i]}, m.headWeight[i]);
        out.x[i] = p.x - m.frameHold[2 * i] * (p.x - rest[0]);
        out.y[i] = p.y - m.frameHold[2 * i + 1] * (p.y - rest[1]);
        for (std::size_t c = 0; c < 3; ++c)
            m_solid[3 * i + c] = p.solid[c];
    }
}

void FaceGeometry::prepareLight()
{
    const PortraitModel& m = *m_model;
    const std::size_t n = m.restXY.size() / 2;
    std::vector<char> wanted(n, 0);
    for (std::size_t i = 0; i < n; ++i)
        wanted[i] = m.lightWeight[i] > 0;
    for (auto& rows : m_lightRows) {
        std::vector<char> next = wanted;
        for (std::size_t i = 0; i < n; ++i) {
            if (!wanted[i])
                continue;
            rows.push_back(static_cast<std::int32_t>(i));
            for (std::int32_t j = m.smoothStart[i]; j < m.smoothStart[i + 1]; ++j)
                next[index(m.smoothIndex[index(j)])] = 1;
        }
        wanted = std::move(next);
    }
    // The last set holds every vertex whose unsmoothed normal is asked for.
    std::vector<char> normalWanted(n, 0);
    for (const std::int32_t i : m_lightRows[3])
        normalWanted[index(i)] = 1;
    for (std::size_t t = 0; t < m.triangles.size() / 3; ++t) {
        bool used = false;
        for (std::size_t c = 0; c < 3; ++c)
            used = used || normalWanted[index(m.triangles[3 * t + c])];
        if (used)
            m_lightTriangles.push_back(static_cast<std::int32_t>(t));
    }
    m_normals.assign(3 * n, 0.f);
    m_restShade.assign(n, 1.f);
    m_shade.assign(n, 0.f);
    m_shade2.assign(n, 0.f);
    for (std::size_t i = 0; i < n; ++i) {
        m_solid[3 * i] = m.restXY[2 * i];
        m_solid[3 * i + 1] = m.restXY[2 * i + 1];
        m_solid[3 * i + 2] = m.restX0[3 * i + 2];
    }
    faceNormals(m_normals);
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sum += m_normals[3 * i + 2];
    m_normalSign = sum > 0 ? -1.f : 1.f; // towards the viewer is -z
    shadeRows();
    m_restShade = m_shade;
}

void FaceGeometry::faceNormals(std::vector<float>& normals)
{
    const PortraitModel& m = *m_model;
    for (const std::int32_t i : m_lightRows[3])
        for (std::size_t c = 0; c < 3; ++c)
            normals[3 * index(i) + c] = 0;
    for (const std::int32_t t : m_lightTriangles) {
        const std::int32_t* tri = m.triangles.data() + 3 * index(t);
        const float* a = m_solid.data() + 3 * index(tri[0]);
        const float* b = m_solid.data() + 3 * index(tri[1]);
        const float* c = m_solid.data() + 3 * index(tri[2]);
        const Vec3 p{b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        const Vec3 q{c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        const Vec3 n{p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2],
                     p[0] * q[1] - p[1] * q[0]};
        for (std::size_t k = 0; k < 3; ++k) {
            float* out = normals.data() + 3 * index(tri[k]);
            out[0] += n[0];
            out[1] += n[1];
            out[2] += n[2];
        }
    }
}

void FaceGeometry::shadeRows()
{
    const PortraitModel& m = *m_model;
    faceNormals(m_normals);
    for (const std::int32_t row : m_lightRows[2]) {
        const std::size_t i = index(row);
        Vec3 n{};
        for (std::int32_t j = m.smoothStart[i]; j < m.smoothStart[i + 1]; ++j) {
            const float w = m.smoothWeight[index(j)];
            const float* p = m_normals.data() + 3 * index(m.smoothIndex[index(j)]);
            n = n + Vec3{p[0], p[1], p[2]} * w;
        }
        const float length = std::max(1e-9f, std::sqrt(dot(n, n)));
        m_shade[i] = std::max(.25f, 1.f + m_normalSign * dot(n, m.light) / length);
    }
}

void FaceGeometry::light(FrameGeometry& out)
{
    const PortraitModel& m = *m_model;
    shadeRows();
    for (const std::int32_t row : m_lightRows[2]) {
        const std::size_t i = index(row);
        const float change = m_shade[i] / m_restShade[i] - 1.f;
        m_shade[i] = kLightStrength * std::clamp(change, kMaxDarken, kMaxBrighten);
    }
    for (const std::int32_t row : m_lightRows[1]) {
        const std::size_t i = index(row);
        float sum = 0;
        for (std::int32_t j = m.smoothStart[i]; j < m.smoothStart[i + 1]; ++j)
            sum += m.smoothWeight[index(j)] * m_shade[index(m.smoothIndex[index(j)])];
        m_shade2[i] = sum;
    }
    std::fill(out.gain.begin(), out.gain.end(), 1.f);
    for (const std::int32_t row : m_lightRows[0]) {
        const std::size_t i = index(row);
        float sum = 0;
        for (std::int32_t j = m.smoothStart[i]; j < m.smoothStart[i + 1]; ++j)
            sum += m.smoothWeight[index(j)] * m_shade2[index(m.smoothIndex[index(j)])];
        out.gain[i] = 1.f + sum * m.lightWeight[i];
    }
}

void FaceGeometry::shadeNeck(const Motion& motion, FrameGeometry& out) const
{
    // A lowered chin takes light from the neck below it.
    const float shadow = std::clamp(kJawShadow * motion[Param::Jaw] +
                                        kNodShadow * motion[Param::Pitch],
                                    -.06f, .2f);
    if (shadow == 0)
        return;
    for (std::size_t i = 0; i < m_underChin.vertices.size(); ++i)
        out.gain[index(m_underChin.vertices[i])] *= 1.f - shadow * m_underChin.weights[i];
}

void FaceGeometry::evaluate(const Motion& motion, FrameGeometry& out)
{
    const std::size_t n = m_model->restXY.size() / 2;
    for (auto* plane : {&out.x, &out.y, &out.u, &out.v, &out.gain})
        plane->resize(n);
    for (auto& plane : m_offset)
        std::fill(plane.begin(), plane.end(), 0.f);
    out.jaw = JawMotion(*m_model, motion);
    out.pose = HeadPose(*m_model, motion);
    lipOffsets(motion, out);
    lidOffsets(motion);
    softOffsets(motion, out.jaw);
    shiftOffsets(motion);
    textureOffsets(motion, out);
    place(out);
    light(out);
    shadeNeck(motion, out);
}

} // namespace loquor::portrait
