// PyTorch files: what begins like a zip is opened as one, anything else is read as the pickle inside.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

#include "core/weights/state_dict.h"
#include "core/weights/unpickler.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace loquor;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    if (!bytes.starts_with("PK")) {
        if (const auto table = weights::unpickleStateDict(bytes, "pickle")) {
            for (const auto& [name, tensor] : *table)
                static_cast<void>(tensor.isContiguous());
        }
        return 0;
    }
    static const std::filesystem::path file = std::filesystem::temp_directory_path() / ("loquor-fuzz-" + std::to_string(getpid()) + ".pth");
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(size));
    if (const auto opened = weights::StateDictFile::open(file)) {
        std::uint64_t total = 0;
        for (const auto& [name, info] : (*opened)->tensors()) {
            const auto read = (*opened)->read(name, [&total](std::span<const std::byte> piece) -> Result<void> {
                total += piece.size();
                return {};
            });
            static_cast<void>(read.has_value());
        }
    }
    return 0;
}
