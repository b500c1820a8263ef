#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/modules/face_networks.h"
#include "core/modules/graph.h"
#include "core/modules/image_sampling.h"
#include "core/modules/network_call.h"

namespace loquor::modules {

namespace {
constexpr int kInput = 256;
}

struct PersonSegmenter::Impl
{
    std::unique_ptr<Graph> graph;
};

PersonSegmenter::PersonSegmenter() : m(std::make_unique<Impl>()) {}
PersonSegmenter::~PersonSegmenter() = default;

Result<std::unique_ptr<PersonSegmenter>> PersonSegmenter::load(const std::filesystem::path& modelFolder)
{
    std::unique_ptr<PersonSegmenter> segmenter(new PersonSegmenter);
    LQ_TRY(segmenter->m->graph, loadNetwork(modelFolder / "person_segmenter.safetensors"));
    return segmenter;
}

Result<Image> PersonSegmenter::run(const Image& rgb)
{
    return callNetwork("the person segmenter", rgb, [&] {
        // The whole image is stretched to the square, as in the network's training.
        const SamplingGrid grid{{0, 0},
                                {static_cast<float>(rgb.width) / kInput, 0},
                                {0, static_cast<float>(rgb.height) / kInput},
                                kInput,
                                kInput,
                                Border::Replicate};
        const at::Tensor mask = m->graph->run(sampleToTensor(rgb, grid, 1 / 255.0f, 0))[0].contiguous();
        LOQUOR_CHECK(mask.numel() == kInput * kInput, "the mask has another size");
        const auto* values = mask.const_data_ptr<float>();
        Image out(kInput, kInput, 1);
        std::transform(values, values + mask.numel(), out.data.begin(), [](float v) {
            return static_cast<std::uint8_t>(std::lround(255 * std::clamp(v, 0.0f, 1.0f)));
        });
        return out;
    });
}

} // namespace loquor::modules
