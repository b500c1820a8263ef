#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/check.h"
#include "core/modules/face_mesh_points.h"
#include "core/modules/face_networks.h"
#include "core/modules/graph.h"
#include "core/modules/image_sampling.h"
#include "core/modules/network_call.h"

namespace loquor::modules {

namespace {

constexpr int kInput = 192;
constexpr float kMargin = 1.5f; // side of the region in sizes of the face
constexpr std::size_t kMeshPoints = 468;

// Turns points of the network's input square into points of the image.
struct RegionTransform
{
    MeshRegion region;
    float c, s, scale;

    explicit RegionTransform(const MeshRegion& r)
        : region(r), c(std::cos(r.rotation)), s(std::sin(r.rotation)), scale(r.side / kInput)
    {
    }
    std::array<float, 2> operator()(float x, float y) const
    {
        const float dx = (x - kInput / 2.0f) * scale;
        const float dy = (y - kInput / 2.0f) * scale;
        return {region.centerX + c * dx - s * dy, region.centerY + s * dx + c * dy};
    }
    SamplingGrid grid() const
    {
        return {(*this)(0, 0), {c * scale, s * scale}, {-s * scale, c * scale}, kInput, kInput, Border::Replicate};
    }
};

float meanDepth(const std::array<MeshPoint, 478>& points, std::span<const int> indices)
{
    float sum = 0;
    for (const int i : indices)
        sum += points[static_cast<std::size_t>(i)].z;
    return sum / static_cast<float>(indices.size());
}

} // namespace

struct FaceMesh::Impl
{
    std::unique_ptr<Graph> graph;
};

FaceMesh::FaceMesh() : m(std::make_unique<Impl>()) {}
FaceMesh::~FaceMesh() = default;

Result<std::unique_ptr<FaceMesh>> FaceMesh::load(const std::filesystem::path& modelFolder)
{
    std::unique_ptr<FaceMesh> mesh(new FaceMesh);
    LQ_TRY(mesh->m->graph, loadNetwork(modelFolder / "face_mesh.safetensors"));
    return mesh;
}

MeshRegion FaceMesh::regionFromDetection(const DetectedFace& face)
{
    const auto& left = face.keyPoints[0];
    const auto& right = face.keyPoints[1];
    return {face.x + face.width / 2, face.y + face.height / 2, kMargin * std::max(face.width, face.height),
            std::atan2(right[1] - left[1], right[0] - left[0])};
}

MeshRegion FaceMesh::regionFromMesh(const MeshResult& previous)
{
    const auto& p = previous.points;
    const auto [left, right] = std::minmax_element(p.begin(), p.begin() + kMeshPoints,
                                                   [](const auto& a, const auto& b) { return a.x < b.x; });
    const auto [top, bottom] = std::minmax_element(p.begin(), p.begin() + kMeshPoints,
                                                   [](const auto& a, const auto& b) { return a.y < b.y; });
    return {(left->x + right->x) / 2, (top->y + bottom->y) / 2,
            kMargin * std::max(right->x - left->x, bottom->y - top->y),
            std::atan2(p[263].y - p[33].y, p[263].x - p[33].x)};
}

Result<MeshResult> FaceMesh::run(const Image& rgb, const MeshRegion& region)
{
    if (!(region.side > 0) || !std::isfinite(region.side + region.centerX + region.centerY + region.rotation))
        return fail(ErrorCode::InvalidArgument, "the face mesh needs a region of positive size");
    return callNetwork("the face mesh", rgb, [&] {
        const RegionTransform toImage(region);
        const auto outputs = m->graph->run(sampleToTensor(rgb, toImage.grid(), 1 / 255.0f, 0));
        LOQUOR_CHECK(outputs.size() == 7, "the face mesh has seven outputs");
        std::vector<at::Tensor> keep;
        const auto values = [&](std::size_t index, std::int64_t count) {
            keep.push_back(outputs[index].contiguous());
            LOQUOR_CHECK(keep.back().numel() == count, "an output of the face mesh has another size");
            return keep.back().const_data_ptr<float>();
        };
        MeshResult result;
        const float* mesh = values(0, 3 * kMeshPoints);
        for (std::size_t i = 0; i < kMeshPoints; ++i) {
            const auto point = toImage(mesh[3 * i], mesh[3 * i + 1]);
            result.points[i] = {point[0], point[1], mesh[3 * i + 2] * toImage.scale};
        }
        // The refined parts replace x and y only.
        const auto refine = [&](std::size_t output, std::span<const int> indices) {
            const float* xy = values(output, static_cast<std::int64_t>(2 * indices.size()));
            for (std::size_t i = 0; i < indices.size(); ++i) {
                const auto point = toImage(xy[2 * i], xy[2 * i + 1]);
                MeshPoint& target = result.points[static_cast<std::size_t>(indices[i])];
                target.x = point[0];
                target.y = point[1];
            }
        };
        refine(1, kLipPoints);
        refine(2, kLeftEyePoints);
        refine(3, kRightEyePoints);
        const auto iris = [&](std::size_t output, std::size_t first, std::span<const int> contour) {
            const float* xy = values(output, 10);
            const float depth = meanDepth(result.points, contour);
            for (std::size_t i = 0; i < 5; ++i) {
                const auto point = toImage(xy[2 * i], xy[2 * i + 1]);
                result.points[first + i] = {point[0], point[1], depth};
            }
        };
        iris(4, 468, std::span(kLeftEyePoints).first(16));
        iris(5, 473, std::span(kRightEyePoints).first(16));
        result.faceScore = 1 / (1 + std::exp(-values(6, 1)[0]));
        return result;
    });
}

} // namespace loquor::modules
