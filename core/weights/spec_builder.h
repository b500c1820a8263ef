// Helpers of the spec generators. Internal to core/weights.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/weights/checkpoint_spec.h"

namespace loquor::weights {

class SpecBuilder
{
public:
    explicit SpecBuilder(CheckpointSpec& spec) : m_spec(spec) {}

    void tensor(const std::string& name, Shape shape, Presence presence = Presence::Required)
    {
        m_spec.tensors.push_back({name, std::move(shape), presence, Rows::Exact});
    }
    // A weight with a bias of as many numbers as the weight has rows.
    void layer(const std::string& name, const Shape& weight, Presence presence = Presence::Required)
    {
        tensor(name + ".weight", weight, presence);
        tensor(name + ".bias", {weight[0]}, presence);
    }
    // A norm with weight and bias.
    void norm(const std::string& name, std::int64_t width, Presence presence = Presence::Required) { layer(name, {width}, presence); }

private:
    CheckpointSpec& m_spec;
};

// Replaces the first of `rules` (from, to) whose `from` stands in the name between dots.
using Renaming = std::vector<std::pair<std::string, std::string>>;
inline std::string renamed(std::string name, const Renaming& rules)
{
    for (const auto& [from, to] : rules) {
        for (std::size_t at = name.find(from); at != std::string::npos; at = name.find(from, at + 1)) {
            const bool begins = at == 0 || name[at - 1] == '.';
            const bool ends = at + from.size() == name.size() || name[at + from.size()] == '.';
            if (begins && ends)
                return name.replace(at, from.size(), to);
        }
    }
    return name;
}

inline FileTensor renamedTensor(const TensorSpec& tensor, const Renaming& rules)
{
    return {renamed(tensor.name, rules), tensor.shape};
}

} // namespace loquor::weights
