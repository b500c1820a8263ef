#include "core/stages/face_analysis.h"

#include <algorithm>

#include "core/modules/face_networks.h"

namespace loquor::stages {

using modules::DetectedFace;
using modules::FaceMesh;
using modules::MeshResult;
using portrait::Landmarks;

struct FaceAnalysis::Networks
{
    std::unique_ptr<modules::FaceDetector> detector;
    std::unique_ptr<FaceMesh> mesh;
    std::unique_ptr<modules::PersonSegmenter> segmenter;
};

namespace {

constexpr float kMinFaceScore = .5f;

Landmarks toLandmarks(const MeshResult& mesh)
{
    Landmarks out{};
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = {mesh.points[i].x, mesh.points[i].y, mesh.points[i].z};
    return out;
}

MeshResult toMesh(const Landmarks& landmarks)
{
    MeshResult out;
    for (std::size_t i = 0; i < landmarks.size(); ++i)
        out.points[i] = {landmarks[i].x, landmarks[i].y, landmarks[i].z};
    return out;
}

struct Box
{
    float x0, y0, x1, y1;
    float area() const { return std::max(0.f, x1 - x0) * std::max(0.f, y1 - y0); }
};

Box boxOf(const Landmarks& landmarks)
{
    Box box{1e9f, 1e9f, -1e9f, -1e9f};
    for (const portrait::Point3& p : landmarks) {
        box.x0 = std::min(box.x0, p.x);
        box.y0 = std::min(box.y0, p.y);
        box.x1 = std::max(box.x1, p.x);
        box.y1 = std::max(box.y1, p.y);
    }
    return box;
}

// Overlap of two boxes as a part of the smaller one: the same face found twice.
float overlap(const Box& a, const Box& b)
{
    const Box common{std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
    const float smaller = std::max(1.f, std::min(a.area(), b.area()));
    return common.x1 > common.x0 && common.y1 > common.y0 ? common.area() / smaller : 0.f;
}

} // namespace

FaceAnalysis::FaceAnalysis(std::filesystem::path modelFolder) : m_folder(std::move(modelFolder)) {}
FaceAnalysis::~FaceAnalysis() = default;

Result<void> FaceAnalysis::load()
{
    if (m_networks)
        return {};
    auto networks = std::make_unique<Networks>();
    LQ_TRY(networks->detector, modules::FaceDetector::load(m_folder));
    LQ_TRY(networks->mesh, FaceMesh::load(m_folder));
    LQ_TRY(networks->segmenter, modules::PersonSegmenter::load(m_folder));
    m_networks = std::move(networks);
    return {};
}

Result<std::vector<Landmarks>> FaceAnalysis::findFaces(const Image& rgb, const CancelToken& cancel)
{
    LQ_CHECKED(load());
    LQ_TRY(const std::vector<DetectedFace> found, m_networks->detector->detect(rgb));
    std::vector<Landmarks> faces;
    for (const DetectedFace& face : found) {
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(MeshResult mesh, m_networks->mesh->run(rgb, FaceMesh::regionFromDetection(face)));
        if (mesh.faceScore < kMinFaceScore)
            continue;
        // The second look, from the first one's landmarks, is what the mesh was trained for.
        LQ_TRY(mesh, m_networks->mesh->run(rgb, FaceMesh::regionFromMesh(mesh)));
        const Landmarks landmarks = toLandmarks(mesh);
        const bool known = std::any_of(faces.begin(), faces.end(), [&](const Landmarks& other) {
            return overlap(boxOf(landmarks), boxOf(other)) > .5f;
        });
        if (mesh.faceScore >= kMinFaceScore && !known)
            faces.push_back(landmarks);
    }
    std::stable_sort(faces.begin(), faces.end(), [](const Landmarks& a, const Landmarks& b) {
        return boxOf(a).area() > boxOf(b).area();
    });
    return faces;
}

Result<Landmarks> FaceAnalysis::refine(const Image& rgb, const Landmarks& guess)
{
    LQ_CHECKED(load());
    LQ_TRY(MeshResult mesh, m_networks->mesh->run(rgb, FaceMesh::regionFromMesh(toMesh(guess))));
    if (mesh.faceScore < kMinFaceScore)
        return fail(ErrorCode::NoFace, "The face was lost when the picture was cut to the output size. "
                                       "Use a photo with more room around the face.");
    return toLandmarks(mesh);
}

Result<Image> FaceAnalysis::segment(const Image& rgb)
{
    LQ_CHECKED(load());
    return m_networks->segmenter->run(rgb);
}

} // namespace loquor::stages
