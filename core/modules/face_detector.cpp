#include <algorithm>
#include <cmath>

#include "core/media/image_ops.h"
#include "core/modules/face_networks.h"
#include "core/modules/graph.h"
#include "core/modules/image_sampling.h"
#include "core/modules/network_call.h"

namespace loquor::modules {

namespace {

constexpr int kInput = 128;
constexpr float kOverlap = 0.3f; // boxes that share more than this are one face
// The network sees faces from about this part of its square on.
constexpr float kSmallestPart = 1 / 7.0f;
// Parts of a picture show more that looks like a face than whole ones do.
constexpr float kTileScore = 0.7f;
constexpr int kWorkingSize = 1280; // larger pictures are reduced first

struct Anchor
{
    float x, y;
};

// 16x16 cells with two anchors each, then 8x8 with six; all of size 1.
std::vector<Anchor> makeAnchors()
{
    std::vector<Anchor> anchors;
    for (const auto& [cells, count] : {std::pair(16, 2), std::pair(8, 6)})
        for (int y = 0; y < cells; ++y)
            for (int x = 0; x < cells; ++x)
                for (int i = 0; i < count; ++i)
                    anchors.push_back({(static_cast<float>(x) + 0.5f) / static_cast<float>(cells),
                                       (static_cast<float>(y) + 0.5f) / static_cast<float>(cells)});
    return anchors;
}

float intersection(const DetectedFace& a, const DetectedFace& b)
{
    const float w = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
    const float h = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
    return w > 0 && h > 0 ? w * h : 0;
}

float sharedPart(const DetectedFace& a, const DetectedFace& b)
{
    const float common = intersection(a, b);
    return common > 0 ? common / (a.width * a.height + b.width * b.height - common) : 0;
}

// The mean of boxes that mean the same face, weighted by their scores.
DetectedFace blend(const std::vector<DetectedFace>& faces)
{
    DetectedFace out;
    float total = 0;
    for (const DetectedFace& face : faces) {
        total += face.score;
        out.score = std::max(out.score, face.score);
        out.x += face.score * face.x;
        out.y += face.score * face.y;
        out.width += face.score * face.width;
        out.height += face.score * face.height;
        for (std::size_t k = 0; k < 6; ++k)
            for (std::size_t i = 0; i < 2; ++i)
                out.keyPoints[k][i] += face.score * face.keyPoints[k][i];
    }
    out.x /= total;
    out.y /= total;
    out.width /= total;
    out.height /= total;
    for (auto& point : out.keyPoints)
        for (float& v : point)
            v /= total;
    return out;
}

// Best first; every group of overlapping boxes becomes one.
std::vector<DetectedFace> mergeOverlapping(std::vector<DetectedFace> candidates)
{
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    std::vector<DetectedFace> merged;
    while (!candidates.empty()) {
        std::vector<DetectedFace> same, rest;
        for (const DetectedFace& face : candidates)
            (sharedPart(candidates.front(), face) > kOverlap || same.empty() ? same : rest).push_back(face);
        merged.push_back(blend(same));
        candidates = std::move(rest);
    }
    return merged;
}

// Tiles see the same face several times, at their borders only a part of it: the best view stays.
void addFromTile(std::vector<DetectedFace>& faces, const std::vector<DetectedFace>& found)
{
    for (const DetectedFace& face : found) {
        const auto same = std::find_if(faces.begin(), faces.end(), [&](const DetectedFace& known) {
            const float smaller = std::min(face.width * face.height, known.width * known.height);
            return intersection(face, known) > 0.4f * smaller;
        });
        if (same == faces.end())
            faces.push_back(face);
        else if (face.score > same->score)
            *same = face;
    }
}

} // namespace

struct FaceDetector::Impl
{
    std::unique_ptr<Graph> graph;
    std::vector<Anchor> anchors = makeAnchors();

    // Searches the square with this corner and side; what lies outside of the image is black.
    std::vector<DetectedFace> search(const Image& rgb, float left, float top, float side, float minScore) const
    {
        const float step = side / kInput;
        SamplingGrid grid{{left, top}, {step, 0}, {0, step}, kInput, kInput, Border::Black};
        const auto outputs = graph->run(sampleToTensor(rgb, grid, 1 / 127.5f, -1));
        const at::Tensor boxes = outputs[0].contiguous();  // (1, 896, 16)
        const at::Tensor scores = outputs[1].contiguous(); // (1, 896, 1)
        const auto* box = boxes.const_data_ptr<float>();
        const auto* score = scores.const_data_ptr<float>();
        std::vector<DetectedFace> candidates;
        for (std::size_t i = 0; i < anchors.size(); ++i, box += 16) {
            const float probability = 1 / (1 + std::exp(-std::clamp(score[i], -100.0f, 100.0f)));
            if (probability < minScore)
                continue;
            const auto toX = [&](float v) { return left + (v / kInput + anchors[i].x) * side; };
            const auto toY = [&](float v) { return top + (v / kInput + anchors[i].y) * side; };
            DetectedFace face;
            face.score = probability;
            face.width = box[2] * step;
            face.height = box[3] * step;
            face.x = toX(box[0]) - face.width / 2;
            face.y = toY(box[1]) - face.height / 2;
            for (std::size_t k = 0; k < 6; ++k)
                face.keyPoints[k] = {toX(box[4 + 2 * k]), toY(box[5 + 2 * k])};
            if (face.width > 0 && face.height > 0)
                candidates.push_back(face);
        }
        return mergeOverlapping(std::move(candidates));
    }

    std::vector<DetectedFace> searchTiles(const Image& rgb, float side, float minScore) const
    {
        const auto starts = [&](int length) {
            const float room = static_cast<float>(length) - side;
            const int count = room <= 0 ? 1 : 1 + static_cast<int>(std::ceil(room / (side / 2)));
            std::vector<float> out;
            out.reserve(static_cast<std::size_t>(count));
            for (int i = 0; i < count; ++i)
                out.push_back(count == 1 ? room / 2 : room * static_cast<float>(i) / static_cast<float>(count - 1));
            return out;
        };
        std::vector<DetectedFace> faces;
        for (const float top : starts(rgb.height))
            for (const float left : starts(rgb.width))
                addFromTile(faces, search(rgb, left, top, side, minScore));
        return faces;
    }

    std::vector<DetectedFace> searchAll(const Image& rgb, float minScore) const
    {
        const auto longSide = static_cast<float>(std::max(rgb.width, rgb.height));
        const auto shortSide = static_cast<float>(std::min(rgb.width, rgb.height));
        std::vector<DetectedFace> faces = searchTiles(rgb, longSide, minScore);
        float seen = longSide; // side of the squares looked at so far
        for (const float part : {1.0f, 0.55f, 0.3f}) {
            float largest = 0;
            for (const DetectedFace& face : faces)
                largest = std::max(largest, face.width);
            const float side = part * shortSide;
            const bool enough = largest / 2 >= kSmallestPart * seen;
            if (enough || side < kInput / 2.0f || side > 0.8f * longSide)
                continue;
            addFromTile(faces, searchTiles(rgb, side, std::max(minScore, kTileScore)));
            seen = side;
        }
        std::stable_sort(faces.begin(), faces.end(), [](const DetectedFace& a, const DetectedFace& b) {
            return a.score * a.width * a.height > b.score * b.width * b.height;
        });
        return faces;
    }
};

FaceDetector::FaceDetector() : m(std::make_unique<Impl>()) {}
FaceDetector::~FaceDetector() = default;

Result<std::unique_ptr<FaceDetector>> FaceDetector::load(const std::filesystem::path& modelFolder)
{
    std::unique_ptr<FaceDetector> detector(new FaceDetector);
    LQ_TRY(detector->m->graph, loadNetwork(modelFolder / "face_detector.safetensors"));
    return detector;
}

Result<std::vector<DetectedFace>> FaceDetector::detect(const Image& rgb, float minScore)
{
    return callNetwork("the face detector", rgb, [&] {
        if (std::max(rgb.width, rgb.height) <= kWorkingSize)
            return m->searchAll(rgb, minScore);
        const auto size = media::fittingSize(rgb.width, rgb.height, kWorkingSize, kWorkingSize);
        const Image small = media::scaledDown(rgb, size.width, size.height);
        const float k = static_cast<float>(rgb.width) / static_cast<float>(small.width);
        std::vector<DetectedFace> faces = m->searchAll(small, minScore);
        for (DetectedFace& face : faces) {
            for (float* v : {&face.x, &face.y, &face.width, &face.height})
                *v *= k;
            for (auto& point : face.keyPoints)
                for (float& v : point)
                    v *= k;
        }
        return faces;
    });
}

} // namespace loquor::modules
