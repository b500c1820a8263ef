// A pack: an engine as data. Which stages with which modules and numbers make it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/time.h"
#include "core/pipeline/chunk_plan.h"
#include "core/pipeline/render_settings.h"

namespace loquor::packs {

// One network with its checkpoint. `file` is relative to the models folder.
struct ModuleSpec
{
    std::string name;
    std::filesystem::path file;
    std::string sha256; // 64 lower-case hex digits
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
    std::filesystem::path folder; // where it was read from

    // Between lines, with two frames on either side: enough for values and velocities.
    pipeline::JoinNumbers joins() const
    {
        return {joinFrames, 2, 2, joinFrames > 0 ? pipeline::JoinAt::Lines : pipeline::JoinAt::None};
    }
    // "portrait 1"
    std::string label() const { return id + ' ' + std::to_string(version); }
};

// Parses and checks the schema; Corrupt names the field and what is wrong with it.
Result<PackManifest> parseManifest(std::string_view json);

// InvalidArgument when the pack cannot make this size or rate; the message names the nearest legal one.
Result<void> checkSettings(const PackManifest& pack, const pipeline::RenderSettings& settings);

// Compares every checkpoint with its sha256: NotFound or Corrupt, with what to do. Reads the files.
Result<void> verifyModules(const PackManifest& pack, const std::filesystem::path& modelsFolder,
                           const CancelToken& cancel = {});

} // namespace loquor::packs
