// The published networks that are known by name, and what lies in a folder of weights.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/weights/checkpoint_spec.h"

namespace loquor::weights {

enum class ConfigUse {
    Needed = 1, // sizes differ between releases
    IfItsOwn,   // the file beside the weights counts if it says that it is of this network; else the published sizes
};

struct PublishedNetwork
{
    std::string_view name;  // "flashtalk-14b"
    std::string_view about; // one line
    ConfigUse config = ConfigUse::IfItsOwn;
};

const std::vector<PublishedNetwork>& publishedNetworks();
// InvalidArgument lists the names there are.
Result<const PublishedNetwork*> publishedNetwork(std::string_view name);

// The config.json beside `source` that counts for the network; nothing when there is none, or it is another's.
std::optional<std::filesystem::path> configFor(const PublishedNetwork& network, const std::filesystem::path& source);

// The spec of a network for the weights in `source` (a file, index or folder), with the config.json that lies
// beside them. NotFound when that is needed and missing; else the errors of the config readers.
Result<CheckpointSpec> specFor(const PublishedNetwork& network, const std::filesystem::path& source);

// What was found in one file, index or folder with one.
struct WeightsReport
{
    std::filesystem::path source;
    std::string network; // name; empty when it is none of the known ones
    std::string spelling;
    std::size_t tensors = 0;
    std::uint64_t bytes = 0; // of the tensors
    std::string problem;     // empty: everything the network needs is there
};

// Weights in `folder` and in the folders right below it, each with the network it fits best, judged by headers alone.
// With a name, all must be of that network. NotFound when there are none.
Result<std::vector<WeightsReport>> verifyWeights(const std::filesystem::path& folder, std::string_view name = {});

} // namespace loquor::weights
