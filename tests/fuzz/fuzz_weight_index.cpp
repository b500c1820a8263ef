// The index of weights in several files: it names files, and must not lead out of its folder.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "core/weights/checkpoint.h"

namespace {

std::filesystem::path makeFolder()
{
    const auto folder = std::filesystem::temp_directory_path() / ("loquor-fuzz-" + std::to_string(getpid()) + ".d");
    std::filesystem::create_directories(folder);
    const std::string header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})";
    std::ofstream file(folder / "one.safetensors", std::ios::binary);
    file << static_cast<char>(header.size()) << std::string(7, '\0') << header << "xy";
    return folder;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const std::filesystem::path index = makeFolder() / "m.safetensors.index.json";
    std::ofstream(index, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    if (const auto opened = loquor::weights::Checkpoint::open(index); opened && (*opened)->fileCount() == 0)
        __builtin_trap(); // an index that is accepted names at least one file
    return 0;
}
