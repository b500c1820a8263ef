#include <algorithm>
#include <cstring>

#include <ATen/ATen.h>

#include "core/modules/wan/swift_vr.h"
#include "core/stages/avatar/tensors.h"

namespace loquor::stages {

struct RestoreStage::Impl
{
    modules::SwiftVrStream stream;
    std::size_t bytes;
    FrameIndex next = 0; // of the frames that come out
};

RestoreStage::RestoreStage(AvatarNetworksPtr networks, int width, int height)
    : m(new Impl{modules::SwiftVrStream(networks->restorer, height, width), 0})
{
    // A chunk of 28 pictures as floats: what waits, what goes in and comes out, and the widest layers of the decoder.
    m->bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * sizeof(float) * (28 * 3 * 4 + 28 * 64);
}
RestoreStage::~RestoreStage() = default;

std::size_t RestoreStage::memoryEstimate() const
{
    return m->bytes;
}

Result<void> RestoreStage::run(const pipeline::ChunkSpec& chunk, AvatarPictures in, const pipeline::Emit<AvatarPictures>& emit, const CancelToken& cancel)
{
    if (cancel.isCancelled())
        return cancelled();
    at::Tensor made = m->stream.push(in.pictures->value);
    if (chunk.endsRun)
        made = at::cat({made, m->stream.finish()}, 1);
    AvatarPictures out{boxed(made * 255), std::move(in.audio), m->next};
    m->next += made.size(1);
    return emit(std::move(out)) ? Result<void>{} : cancelled();
}

std::size_t PictureStage::memoryEstimate() const
{
    return static_cast<std::size_t>(m_width) * static_cast<std::size_t>(m_height) * 3 * 40;
}

Result<void> PictureStage::run(const pipeline::ChunkSpec&, AvatarPictures in, const pipeline::Emit<FrameGroup>& emit, const CancelToken& cancel)
{
    constexpr std::int64_t kGroup = 4;
    const at::Tensor pictures = in.pictures->value;
    FrameGroup group;
    group.audio = std::move(in.audio);
    for (std::int64_t i = 0; i < pictures.size(1); ++i) {
        if (cancel.isCancelled())
            return cancelled();
        const at::Tensor bytes = pictures[0][i].permute({1, 2, 0}).round().clamp(0, 255).to(at::kByte).cpu().contiguous();
        auto frame = m_pool.take();
        frame->index = in.firstFrame + i;
        std::memcpy(frame->image.data.data(), bytes.const_data_ptr<std::uint8_t>(), std::min(frame->image.data.size(), static_cast<std::size_t>(bytes.numel())));
        group.frames.push_back(std::move(frame));
        const bool full = static_cast<std::int64_t>(group.frames.size()) == kGroup;
        if ((full || i + 1 == pictures.size(1) || in.firstFrame + i == 0) && !emit(std::exchange(group, {})))
            return cancelled();
    }
    // Sound goes on while pictures wait in the super-resolution.
    if (!group.audio.samples.empty() && !emit(std::move(group)))
        return cancelled();
    return {};
}

} // namespace loquor::stages
