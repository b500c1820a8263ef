// What a network expects of its weights, and how a file's tensors are told apart from what it expects.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/weights/tensor_info.h"

namespace loquor::weights {

enum class Presence {
    Required = 1,
    Optional, // published with the network, not used by it
};
enum class Rows {
    Exact = 1,
    LastOfMore, // the file's dimension 0 may be longer: the last rows count
};

// One tensor, as the network asks for it.
struct TensorSpec
{
    std::string name;
    Shape shape;
    Presence presence = Presence::Required;
    Rows rows = Rows::Exact;
};

// One tensor as it stands in a file.
struct FileTensor
{
    std::string name;
    Shape shape;
};

// A public way to name the tensors: the network's own, or that of another library. What one tensor is called there;
// several when the file holds it in parts, to be joined along dimension 0 (then shaped as the network wants it).
struct Spelling
{
    std::string name; // for messages: "diffusers"
    std::function<std::vector<FileTensor>(const TensorSpec&)> spell;
};
// Every tensor under its own name.
Spelling ownSpelling(std::string name);

struct CheckpointSpec
{
    std::string network; // for messages: "the FlashTalk network"
    std::vector<TensorSpec> tensors;
    std::vector<Spelling> spellings;
    std::vector<std::string> prefixes; // that some files put before every name; no prefix is always tried
    std::vector<std::string> ignored;  // beginnings of names (after the prefix) that may be there for others
};

// Where a network's tensor lies in a file.
struct BoundTensor
{
    std::vector<std::string> parts; // names in the file
    Shape shape;                    // of the whole, as the network wants it
    Rows rows = Rows::Exact;
};
struct Binding
{
    std::string spelling, prefix;
    std::map<std::string, BoundTensor> tensors; // by the network's names; optional ones only if they are there
};

// Finds the spelling and prefix that fit best, and with them every tensor. Corrupt with one message that lists all
// that are missing, unexpected, of another shape or not of a floating-point type, and names `file`.
Result<Binding> bindCheckpoint(const CheckpointSpec& spec, const TensorList& list, const std::string& file);

} // namespace loquor::weights
