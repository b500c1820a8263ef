// A pack: an engine as data. Which stages with which modules and numbers make it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/time.h"
#include "core/pipeline/chunk_plan.h"
#include "core/pipeline/render_settings.h"
#include "core/stages/avatar/avatar_plan.h"

namespace loquor::packs {

// One network with its checkpoint. `file` is relative to the models folder, or to the pack's own when it lies there.
struct ModuleSpec
{
    std::string name;
    std::filesystem::path file;
    std::string sha256;  // 64 lower-case hex digits; empty: weights of an open model, judged by their tensors
    std::string network; // then: which one, as 'packs import --as' names it; "" for other files
};

// What a chunk of an open model costs.
struct ModelCost
{
    std::int64_t width = 0, heads = 0, layers = 0, feedForward = 0; // of the video network
    double weightsGb = 0; // of all networks that stay loaded, in bfloat16
};

struct PackManifest
{
    std::string id;      // "portrait"
    int version = 0;
    std::string name, description;
    std::string engine;  // which composition of stages runs it
    std::vector<std::string> stages;
    std::vector<ModuleSpec> modules;
    Rational minFps, maxFps, defaultFps;
    int sizeMultiple = 2, minSize = 0, maxWidth = 0, maxHeight = 0;
    int defaultWidth = 0, defaultHeight = 0;
    pipeline::ChunkNumbers chunks;
    int joinFrames = 0; // length of an I chunk
    double lookBehindSeconds = 0, lookAheadSeconds = 0;
    std::optional<stages::AvatarPlan> avatar; // of the engine "avatar"
    std::optional<ModelCost> cost;            // likewise
    std::filesystem::path folder; // where it was read from

    // Between lines, with two frames on either side (enough for values and velocities), or what the network holds.
    pipeline::JoinNumbers joins() const
    {
        return {joinFrames, avatar ? avatar->overlap : 2, avatar ? avatar->joinAnchors : 2, joinFrames > 0 ? pipeline::JoinAt::Lines : pipeline::JoinAt::None};
    }
    bool isAvatar() const { return avatar.has_value(); }
    // Where a module's file lies: in the pack's folder, else in the models folder.
    std::filesystem::path pathOf(const ModuleSpec& module, const std::filesystem::path& modelsFolder) const;
    // "portrait 1"
    std::string label() const { return id + ' ' + std::to_string(version); }
};

// Parses and checks the schema; Corrupt names the field and what is wrong with it.
Result<PackManifest> parseManifest(std::string_view json);

// InvalidArgument when the pack cannot make this size or rate; the message names the nearest legal one.
Result<void> checkSettings(const PackManifest& pack, const pipeline::RenderSettings& settings);

// Unsupported for engines that make single videos only.
Result<void> checkForProjects(const PackManifest& pack);

// Compares every checkpoint that has one with its sha256: NotFound or Corrupt, with what to do. Reads the files.
Result<void> verifyModules(const PackManifest& pack, const std::filesystem::path& modelsFolder,
                           const CancelToken& cancel = {});

} // namespace loquor::packs
