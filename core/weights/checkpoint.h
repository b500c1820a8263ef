// The weights of one network as they are published: one safetensors file, or several with an index.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/weights/safetensors.h"
#include "core/weights/tensor_info.h"

namespace loquor::weights {

// Immutable after open, safe to share between threads. All files stay mapped while the object lives; memory is
// used only where a tensor is read.
class Checkpoint
{
public:
    // `path`: a .safetensors file, an index (.safetensors.index.json: {"weight_map": {tensor: file}}), or a folder
    // that holds one of these. Only headers are read. The files of an index lie in its folder: a name with a way
    // out of it is Corrupt, a missing one NotFound (all missing ones in one message), a tensor that is named for
    // one file and lies in another, or in two, is Corrupt. Damage of a file: see SafetensorsFile.
    static Result<std::shared_ptr<const Checkpoint>> open(const std::filesystem::path& path);

    // The file, index or folder it was opened by: for messages.
    const std::filesystem::path& path() const { return m_path; }
    const std::map<std::string, TensorView>& tensors() const { return m_tensors; }
    // NotFound names the file and the tensor.
    Result<TensorView> tensor(const std::string& name) const;
    // Types and shapes alone.
    TensorList list() const;
    std::size_t fileCount() const { return m_files.size(); }

private:
    Checkpoint() = default;
    Result<void> openIndex(const std::filesystem::path& index);
    Result<void> add(const std::filesystem::path& file);

    std::filesystem::path m_path;
    std::vector<std::shared_ptr<const SafetensorsFile>> m_files;
    std::map<std::string, TensorView> m_tensors;
};

// The index or single weights file in a folder: NotFound when there is none, InvalidArgument when there are
// several and none of them is an index.
Result<std::filesystem::path> findWeights(const std::filesystem::path& folder);

} // namespace loquor::weights
