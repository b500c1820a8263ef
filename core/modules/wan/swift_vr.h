// SwiftVR: pictures made larger and clearer in one step, in chunks that know the ones before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/modules/wan/parameters.h"
#include "core/modules/wan/tap.h"
#include "core/modules/wan/wan_transformer.h"
#include "core/weights/network_config.h"

namespace loquor::modules {

// The networks of it, with what is the same in every run: the prompt and the one timestep. Immutable: any number of
// threads and streams.
class SwiftVr
{
public:
    struct Networks
    {
        weights::WanDitConfig restorer; // its textLength is not used: the prompt counts as it is
        weights::TinyAutoencoderConfig autoencoder;
    };
    // Parameters of wanDitSpec (restorer) and tinyAutoencoderSpec; `prompt` is [rows, width].
    SwiftVr(const Networks& config, const Parameters& restorer, const Parameters& autoencoder, const at::Tensor& prompt,
            AttentionWindow window = {});
    ~SwiftVr();
    SwiftVr(const SwiftVr&) = delete;
    SwiftVr& operator=(const SwiftVr&) = delete;

    // Frames [batch, frames, 3, height, width] with values from 0 to 255 -> the network's input: of the new size,
    // 0 to 1, filled up with black at the right and below to multiples of kMultiple.
    static at::Tensor enlarge(const at::Tensor& frames, std::int64_t height, std::int64_t width);
    static constexpr std::int64_t kMultiple = 32;

    struct Impl; // for SwiftVrStream
    const Impl& impl() const { return *m; }

private:
    std::unique_ptr<const Impl> m;
};

struct SwiftVrChunks
{
    std::int64_t frames = 24; // of a chunk; the first has four more. 0: each call is a chunk
    std::int64_t overlap = 0; // latents of the call before that are looked at again; for `frames` 0
};

// One video. One thread at a time.
class SwiftVrStream
{
public:
    // `height` and `width` are those of the frames that come out. `tap` is shown each chunk: "preprocessed", "z_lq",
    // "z" and "rgb".
    SwiftVrStream(std::shared_ptr<const SwiftVr> network, std::int64_t height, std::int64_t width, SwiftVrChunks chunks = {}, Tap tap = {});
    ~SwiftVrStream();
    SwiftVrStream(SwiftVrStream&&) noexcept;
    SwiftVrStream& operator=(SwiftVrStream&&) noexcept;

    // Takes frames [1, count, 3, h, w] from 0 to 255 and gives those that are finished, [1, n, 3, height, width]
    // from 0 to 1: possibly none. Frames wait here until they make a chunk, so that chunks of other lengths come in.
    at::Tensor push(const at::Tensor& frames);
    // The rest: as many frames came out as went in. The stream is over.
    at::Tensor finish();

private:
    struct State;
    std::unique_ptr<State> m;
};

// A part of the picture, in pixels of the frames that come out.
struct FaceWindow
{
    std::int64_t top = 0, left = 0, height = 0, width = 0;
};

// Face priority: the face goes through the network a second time, `detail` times as large, and is blended in with a
// soft edge. Same calls as SwiftVrStream.
class FaceFirstStream
{
public:
    FaceFirstStream(const std::shared_ptr<const SwiftVr>& network, std::int64_t height, std::int64_t width, FaceWindow face,
                    std::int64_t detail = 2, SwiftVrChunks chunks = {});
    at::Tensor push(const at::Tensor& frames);
    at::Tensor finish();

private:
    at::Tensor blended(const at::Tensor& whole, const at::Tensor& face) const;

    SwiftVrStream m_whole, m_face;
    std::int64_t m_height, m_width;
    FaceWindow m_window;
};

// Weight of the face over the window, [height, width]: 1 inside, falling to nearly 0 over the outer eighth.
at::Tensor softEdge(std::int64_t height, std::int64_t width);

} // namespace loquor::modules
