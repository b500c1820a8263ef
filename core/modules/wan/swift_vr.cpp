#include "core/modules/wan/swift_vr.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <vector>

#include <ATen/ATen.h>

#include "core/base/check.h"
#include "core/modules/wan/stream_memory.h"
#include "core/modules/wan/tiny_autoencoder.h"

namespace loquor::modules {

namespace {

constexpr double kTimestep = 1000; // one step from the picture as it is, taken for noise

weights::WanDitConfig withPromptAsItIs(weights::WanDitConfig config)
{
    config.textLength = 0;
    return config;
}

at::Tensor resized(const at::Tensor& frames, std::int64_t height, std::int64_t width)
{
    const at::Tensor rows = at::upsample_bilinear2d(frames.flatten(0, 1), std::array<std::int64_t, 2>{height, width}, false);
    return rows.view({frames.size(0), frames.size(1), frames.size(2), height, width});
}

// The last frame `count` times more.
at::Tensor repeatLast(const at::Tensor& frames, std::int64_t count)
{
    return count == 0 ? frames : at::cat({frames, frames.narrow(1, frames.size(1) - 1, 1).expand({-1, count, -1, -1, -1})}, 1);
}

} // namespace

struct SwiftVr::Impl
{
    WanTransformer restorer;
    TinyAutoencoder autoencoder;
    AttentionWindow window;
    std::shared_ptr<const WanModulation> modulation;
    std::shared_ptr<const WanContext> context;
    std::int64_t patchRows, patchColumns, framesPerLatent;

    Impl(const Networks& config, const Parameters& r, const Parameters& a, const at::Tensor& prompt, AttentionWindow w)
        : restorer(withPromptAsItIs(config.restorer), r), autoencoder(config.autoencoder, a), window(w),
          modulation(restorer.modulation(at::full({1}, kTimestep, at::kDouble))), context(restorer.context(prompt.unsqueeze(0), {})),
          patchRows(config.restorer.patch[1]), patchColumns(config.restorer.patch[2]), framesPerLatent(autoencoder.framesPerLatent())
    {
    }
    std::shared_ptr<const WanGrid> grid(const at::Tensor& latents) const
    {
        // A picture smaller than a window is one window.
        const AttentionWindow fitting{std::min(window.rows, latents.size(3) / patchRows), std::min(window.columns, latents.size(4) / patchColumns)};
        return restorer.grid(latents.size(1), latents.size(3), latents.size(4), fitting);
    }
    // [1, count, channels, h, w] -> the same, restored.
    at::Tensor restore(const at::Tensor& latents, const WanGrid& grid) const
    {
        const at::Tensor x = latents.transpose(1, 2).contiguous();
        return (x - restorer.velocity(x, grid, *modulation, context.get(), nullptr).to(x.scalar_type())).transpose(1, 2).contiguous();
    }
};

SwiftVr::SwiftVr(const Networks& config, const Parameters& restorer, const Parameters& autoencoder, const at::Tensor& prompt, AttentionWindow window)
    : m(std::make_unique<const Impl>(config, restorer, autoencoder, prompt, window))
{
}
SwiftVr::~SwiftVr() = default;

at::Tensor SwiftVr::enlarge(const at::Tensor& frames, std::int64_t height, std::int64_t width)
{
    LOQUOR_CHECK(frames.dim() == 5 && frames.size(2) == 3 && height > 0 && width > 0, "frames of another shape");
    const at::Tensor sized = resized(frames.to(at::kFloat), height, width) / 255;
    const auto missing = [](std::int64_t size) { return (kMultiple - size % kMultiple) % kMultiple; };
    return at::constant_pad_nd(sized, {0, missing(width), 0, missing(height)});
}

struct SwiftVrStream::State
{
    std::shared_ptr<const SwiftVr> network;
    std::int64_t height, width;
    SwiftVrChunks chunks;
    Tap tap;
    at::Tensor waiting; // frames as they came, of chunks of a fixed length
    at::Tensor before;  // the last latents as the encoder made them
    StreamMemory encoder, decoder;
    std::map<std::int64_t, std::shared_ptr<const WanGrid>> grids; // by the number of latents
    std::int64_t in = 0, out = 0;
    bool first = true;

    void show(const char* part, const at::Tensor& value) const
    {
        if (tap)
            tap(part, value);
    }
    at::Tensor prepared(const at::Tensor& frames) const
    {
        at::Tensor x = SwiftVr::enlarge(frames, height, width);
        show("preprocessed", x);
        return x;
    }
    // Latents -> frames, with `context` in front of them, which is thrown away again.
    at::Tensor make(const at::Tensor& latents, const at::Tensor& context)
    {
        const SwiftVr::Impl& impl = network->impl();
        show("z_lq", latents);
        const at::Tensor all = context.defined() ? at::cat({context, latents}, 1) : latents;
        auto& grid = grids[all.size(1)];
        if (!grid)
            grid = impl.grid(all);
        const at::Tensor restored = impl.restore(all, *grid).narrow(1, all.size(1) - latents.size(1), latents.size(1));
        show("z", restored);
        const at::Tensor video = impl.autoencoder.decodeNext(restored, decoder).narrow(3, 0, height).narrow(4, 0, width);
        show("rgb", video);
        first = false;
        return video;
    }
    void remember(const at::Tensor& latents, std::int64_t count)
    {
        const std::int64_t kept = std::min(count, latents.size(1));
        before = kept > 0 ? latents.narrow(1, latents.size(1) - kept, kept).clone() : at::Tensor();
    }
    at::Tensor none(const at::TensorOptions& options) const { return at::empty({1, 0, 3, height, width}, options); }
    // Each call is a chunk.
    at::Tensor makeCall(const at::Tensor& latents)
    {
        if (latents.size(1) == 0)
            return none(latents.options());
        const at::Tensor video = make(latents, before);
        remember(latents, chunks.overlap);
        return video;
    }
    std::int64_t latentsPerChunk() const { return chunks.frames / network->impl().framesPerLatent; }
    at::Tensor pushFixed(const at::Tensor& frames)
    {
        waiting = waiting.defined() ? at::cat({waiting, frames}, 1) : frames;
        std::vector<at::Tensor> made{none(frames.options().dtype(at::kFloat))};
        // A chunk is not the last one if more waits behind it.
        for (;;) {
            const std::int64_t length = chunks.frames + (first ? network->impl().framesPerLatent : 0);
            if (waiting.size(1) <= length)
                break;
            const at::Tensor latents = network->impl().autoencoder.encodeNext(prepared(waiting.narrow(1, 0, length)), encoder);
            waiting = waiting.narrow(1, length, waiting.size(1) - length).clone();
            made.push_back(make(latents, {}));
            remember(latents, latentsPerChunk());
        }
        return at::cat(made, 1);
    }
    // What the first latent took, three frames, is made up for at the end; earlier latents in front fill the chunk.
    at::Tensor finishFixed()
    {
        const std::int64_t unit = network->impl().framesPerLatent;
        const std::int64_t count = waiting.size(1) + unit - 1;
        const at::Tensor frames = repeatLast(prepared(waiting), unit - 1 + (unit - count % unit) % unit);
        waiting = at::Tensor();
        const at::Tensor latents = network->impl().autoencoder.encodeNext(frames, encoder);
        const std::int64_t missing = std::max<std::int64_t>(0, latentsPerChunk() + 1 - latents.size(1));
        at::Tensor context;
        if (missing > 0) {
            std::vector<std::int64_t> shape = latents.sizes().vec();
            shape[1] = missing;
            context = before.defined() ? before.narrow(1, std::max<std::int64_t>(0, before.size(1) - missing), std::min(missing, before.size(1)))
                                       : at::zeros(shape, latents.options());
        }
        return make(latents, context);
    }
};

SwiftVrStream::SwiftVrStream(std::shared_ptr<const SwiftVr> network, std::int64_t height, std::int64_t width, SwiftVrChunks chunks, Tap tap)
    : m(std::make_unique<State>())
{
    LOQUOR_CHECK(chunks.frames % network->impl().framesPerLatent == 0 && chunks.overlap >= 0, "chunks are made of whole latents");
    m->network = std::move(network);
    m->height = height;
    m->width = width;
    m->chunks = chunks;
    m->tap = std::move(tap);
}
SwiftVrStream::~SwiftVrStream() = default;
SwiftVrStream::SwiftVrStream(SwiftVrStream&&) noexcept = default;
SwiftVrStream& SwiftVrStream::operator=(SwiftVrStream&&) noexcept = default;

at::Tensor SwiftVrStream::push(const at::Tensor& frames)
{
    m->in += frames.size(1);
    const at::Tensor made = m->chunks.frames > 0 ? m->pushFixed(frames)
                                                 : m->makeCall(m->network->impl().autoencoder.encodeNext(m->prepared(frames), m->encoder));
    m->out += made.size(1);
    return made;
}

at::Tensor SwiftVrStream::finish()
{
    if (m->in == 0)
        return m->none(at::TensorOptions(at::kFloat));
    const at::Tensor made = m->chunks.frames > 0 ? m->finishFixed() : m->makeCall(m->network->impl().autoencoder.encodeRest(m->encoder));
    return made.narrow(1, 0, std::min(made.size(1), m->in - m->out));
}

at::Tensor softEdge(std::int64_t height, std::int64_t width)
{
    const auto side = [](std::int64_t size) {
        const double edge = std::max(1.0, static_cast<double>(size) / 8);
        const at::Tensor place = at::arange(size, at::kFloat);
        const at::Tensor inside = (at::minimum(place, static_cast<double>(size - 1) - place) + 0.5).div_(edge).clamp_(0, 1);
        return inside * inside * (3 - 2 * inside);
    };
    return at::outer(side(height), side(width));
}

FaceFirstStream::FaceFirstStream(const std::shared_ptr<const SwiftVr>& network, std::int64_t height, std::int64_t width, FaceWindow face,
                                 std::int64_t detail, SwiftVrChunks chunks)
    : m_whole(network, height, width, chunks), m_face(network, face.height * detail, face.width * detail, chunks), m_height(height), m_width(width),
      m_window(face)
{
    LOQUOR_CHECK(face.top >= 0 && face.left >= 0 && face.height > 0 && face.width > 0 && face.top + face.height <= height && face.left + face.width <= width,
                 "the face is outside of the picture");
}

at::Tensor FaceFirstStream::push(const at::Tensor& frames)
{
    // The window is cut out of the enlarged picture, so that it lies exactly where it will be put back.
    const at::Tensor sized = resized(frames.to(at::kFloat), m_height, m_width);
    const at::Tensor face = sized.narrow(3, m_window.top, m_window.height).narrow(4, m_window.left, m_window.width);
    const at::Tensor whole = m_whole.push(frames);
    return blended(whole, m_face.push(face));
}

at::Tensor FaceFirstStream::finish()
{
    const at::Tensor whole = m_whole.finish();
    return blended(whole, m_face.finish());
}

at::Tensor FaceFirstStream::blended(const at::Tensor& whole, const at::Tensor& face) const
{
    if (whole.size(1) == 0)
        return whole;
    const at::Tensor weight = softEdge(m_window.height, m_window.width).to(whole.device());
    const at::Tensor small = at::_adaptive_avg_pool2d(face.flatten(0, 1), std::array<std::int64_t, 2>{m_window.height, m_window.width});
    at::Tensor out = whole.clone();
    out.narrow(3, m_window.top, m_window.height)
        .narrow(4, m_window.left, m_window.width)
        .lerp_(small.view({whole.size(0), whole.size(1), 3, m_window.height, m_window.width}), weight.expand({whole.size(0), whole.size(1), 3, -1, -1}));
    return out;
}

} // namespace loquor::modules
