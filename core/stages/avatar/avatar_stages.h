// The stages of the avatar engine: sound -> what the network hears -> pictures of a chunk -> larger ones -> frames.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"
#include "core/media/image.h"
#include "core/pipeline/rolling_state.h"
#include "core/pipeline/stage.h"
#include "core/stages/avatar/avatar_networks.h"
#include "core/stages/avatar/avatar_plan.h"
#include "core/stages/frame_pool.h"
#include "core/stages/speech_track.h"
#include "core/stages/values.h"

namespace at {
class Tensor;
}

namespace loquor::stages {

struct TensorBox; // a tensor; tensors.h
using TensorPtr = std::shared_ptr<const TensorBox>;

// Sound around a chunk: exactly AvatarPlan::soundSeconds of mono sound at kAvatarSoundRate, up to the end of a
// whole chunk; silence where there is none.
struct AvatarSound
{
    std::vector<float> window;
    AudioBlock audio; // of the chunk, as it goes into the file
};
// What the network hears: [1, frames, window, layers, width].
struct AvatarHearing
{
    TensorPtr states;
    AudioBlock audio;
};
// Pictures [1, count, 3, height, width] from 0 to 255; behind a super-resolution not those of the same chunk.
struct AvatarPictures
{
    TensorPtr pictures;
    AudioBlock audio;
    FrameIndex firstFrame = 0; // of them, in the run
};

// The person made ready for one size.
struct AvatarReference;
using AvatarReferencePtr = std::shared_ptr<const AvatarReference>;
// The encoders of text and image are loaded for this alone and freed again. Errors are those of loading, and Cancelled.
Result<AvatarReferencePtr> makeAvatarReference(const AvatarNetworks& networks, const Image& photo, int width, int height,
                                               const std::string& prompt, const CancelToken& cancel);
// The same from what the networks get: picture [1, 3, 1, height, width] from -1 to 1, text [1, rows, width] and image
// tokens [1, rows, width] (both undefined for FlashHead).
AvatarReferencePtr makeAvatarReference(const AvatarNetworks& networks, const at::Tensor& picture, const at::Tensor& text,
                                       const at::Tensor& image);

// Cuts the sound of a chunk out of a run's track.
class AvatarSoundStage : public pipeline::Stage<pipeline::ChunkSpec, AvatarSound>
{
public:
    AvatarSoundStage(std::shared_ptr<SpeechTrack> track, AvatarPlan plan) : m_track(std::move(track)), m_plan(std::move(plan)) {}
    const char* name() const override { return "context"; }
    std::size_t memoryEstimate() const override { return 16u << 20; }
    Result<void> run(const pipeline::ChunkSpec& chunk, pipeline::ChunkSpec in, const pipeline::Emit<AvatarSound>& emit,
                     const CancelToken& cancel) override;

private:
    std::shared_ptr<SpeechTrack> m_track;
    const AvatarPlan m_plan;
};

// Loudness and wav2vec2.
class HearingStage : public pipeline::Stage<AvatarSound, AvatarHearing>
{
public:
    explicit HearingStage(AvatarNetworksPtr networks) : m_networks(std::move(networks)) {}
    const char* name() const override { return "hearing"; }
    std::size_t memoryEstimate() const override { return 256u << 20; }
    Result<void> run(const pipeline::ChunkSpec& chunk, AvatarSound in, const pipeline::Emit<AvatarHearing>& emit,
                     const CancelToken& cancel) override;

private:
    AvatarNetworksPtr m_networks;
};

// Noise of a chunk: what its `draw`-th use gets, of this shape. From the chunk's seed unless given.
using NoiseSource = std::function<at::Tensor(const pipeline::ChunkSpec&, int draw, const std::vector<std::int64_t>& shape)>;
NoiseSource seededNoise();

struct AvatarOptions
{
    int width = 0, height = 0; // of the pictures made here
    NoiseSource noise = seededNoise();
    // Networks in float32, for a chunk that went wrong in another precision; empty: it fails at once.
    std::function<Result<AvatarNetworksPtr>()> exact = {};
    std::function<void(const std::string&)> warn = [](const std::string&) {};
    std::function<void()> onStep = [] {}; // before each step of the sampler: a sign of life
};

// Sampler, decoder, colours. Keeps the last pictures of a chunk: the next goes on from them. A chunk with values that
// are not numbers, or with pictures of one colour, is made once more in float32; if that gives no pictures either,
// Corrupt names the chunk and what was found.
class AvatarStage : public pipeline::Stage<AvatarHearing, AvatarPictures>, public pipeline::Stateful
{
public:
    AvatarStage(AvatarNetworksPtr networks, AvatarReferencePtr reference, AvatarOptions options);
    ~AvatarStage() override;
    const char* name() const override { return "avatar"; }
    std::size_t memoryEstimate() const override;
    Result<void> run(const pipeline::ChunkSpec& chunk, AvatarHearing in, const pipeline::Emit<AvatarPictures>& emit,
                     const CancelToken& cancel) override;
    std::vector<std::uint8_t> saveState() const override;
    Result<void> restoreState(const std::vector<std::uint8_t>& bytes) override;

    // An I chunk: the window between the last pictures of the left chunk and the first of the right one,
    // [1, 3, overlap and joinWindow - overlap, height, width] from -1 to 1, held at both ends; `states` of exactly
    // these frames. Gives the joinWindow - overlap - joinAnchors pictures in between, and the latents.
    struct Join
    {
        TensorPtr pictures, latents, anchors;
    };
    Result<Join> join(const pipeline::ChunkSpec& chunk, const at::Tensor& left, const at::Tensor& right, const TensorPtr& states,
                      const CancelToken& cancel) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

// SwiftVR. Frames wait for its own chunks; the last chunk of the run brings the rest.
class RestoreStage : public pipeline::Stage<AvatarPictures, AvatarPictures>
{
public:
    RestoreStage(AvatarNetworksPtr networks, int width, int height);
    ~RestoreStage() override;
    const char* name() const override { return "super-resolution"; }
    std::size_t memoryEstimate() const override;
    Result<void> run(const pipeline::ChunkSpec& chunk, AvatarPictures in, const pipeline::Emit<AvatarPictures>& emit,
                     const CancelToken& cancel) override;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

// Pictures become frames, a few at a time.
class PictureStage : public pipeline::Stage<AvatarPictures, FrameGroup>
{
public:
    PictureStage(int width, int height) : m_pool(width, height), m_width(width), m_height(height) {}
    const char* name() const override { return "decode"; }
    std::size_t memoryEstimate() const override;
    Result<void> run(const pipeline::ChunkSpec& chunk, AvatarPictures in, const pipeline::Emit<FrameGroup>& emit,
                     const CancelToken& cancel) override;

private:
    FramePool m_pool;
    int m_width, m_height;
};

} // namespace loquor::stages
