// Published weights of any kind that is read here -> one safetensors file.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/platform/atomic_file.h"
#include "core/weights/checkpoint_spec.h"
#include "core/weights/tensor_info.h"

namespace loquor::weights {

// Types and shapes in `source`: a safetensors file, index or folder (Checkpoint), or a PyTorch file (StateDictFile;
// known by its ending .pth, .pt, .bin or .ckpt). Reads headers only.
Result<TensorList> listTensors(const std::filesystem::path& source);

struct ImportOptions
{
    platform::IfExists ifExists = platform::IfExists::Refuse;
    std::function<void(double part)> progress; // 0 to 1
};

// Checks `source` against `spec` and copies what the network needs to `target`, under the names that `source` has
// for it and with unchanged numbers; nothing else is carried over. Memory stays small whatever the size. Errors are
// those of reading, of the spec and of writing; `target` appears whole or not at all.
Result<void> importWeights(const std::filesystem::path& source, const CheckpointSpec& spec, const std::filesystem::path& target,
                           const ImportOptions& options, const CancelToken& cancel);

} // namespace loquor::weights
