// PyTorch files (.pth, .pt, .bin: a zip of a pickle and of raw numbers), read without Python and without running
// anything they say.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "core/base/error.h"
#include "core/weights/tensor_info.h"

namespace loquor::weights {

// One thread at a time. Numbers are read from the file when asked for, in pieces.
class StateDictFile
{
public:
    using Sink = std::function<Result<void>(std::span<const std::byte>)>;

    // Reads the table of contents. Corrupt names what is not allowed or damaged: an opcode or a name that a state
    // dict does not need, compressed entries, lengths that do not fit, a tensor outside of its storage.
    // Unsupported: numbers of a big-endian machine.
    static Result<std::unique_ptr<StateDictFile>> open(const std::filesystem::path& path);
    ~StateDictFile();
    StateDictFile(const StateDictFile&) = delete;
    StateDictFile& operator=(const StateDictFile&) = delete;

    const std::filesystem::path& path() const;
    const TensorList& tensors() const;
    // The numbers of a tensor, dense and in order, piece by piece. Views that are not dense in the file are put in
    // order in memory first. Corrupt when the checksum of the file's entry is wrong.
    Result<void> read(const std::string& name, const Sink& sink) const;

private:
    StateDictFile();
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace loquor::weights
