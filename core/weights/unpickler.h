// The table of contents of a PyTorch state dict, without Python. Internal to core/weights.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/weights/tensor_info.h"

namespace loquor::weights {

// One tensor and where its numbers lie: element (i, j ...) is offset + i * strides[0] + j * strides[1] ...
struct StoredTensor
{
    TensorInfo info;
    std::vector<std::int64_t> strides;
    std::uint64_t offset = 0; // in elements
    std::string storage;      // key of the archive entry
    std::uint64_t storageElements = 0;

    bool isContiguous() const;
};

// Reads a pickle as torch.save writes them for a dict of tensors. Nothing is executed: there is a list of opcodes
// and a list of names (OrderedDict, the storage types, two functions that rebuild a tensor); anything
// else is Corrupt and named. Values that are no tensors are left out; when the outer dict has no tensors, the one
// dict in it that has some counts ("state_dict"). Every tensor lies inside of its storage. `file` is for messages.
Result<std::map<std::string, StoredTensor>> unpickleStateDict(std::string_view pickle, const std::string& file);

} // namespace loquor::weights
