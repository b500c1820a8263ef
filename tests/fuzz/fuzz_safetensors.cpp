// Weight files: every offset and shape is checked before data is touched.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "core/weights/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("loquor-fuzz-" + std::to_string(getpid()));
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    const auto opened = loquor::weights::SafetensorsFile::open(file);
    if (opened) {
        unsigned sum = 0;
        for (const auto& [name, view] : (*opened)->tensors()) {
            for (const std::byte b : view.data)
                sum += static_cast<unsigned>(b);
        }
        if (sum == 0xFFFFFFFFu)
            std::puts("unlikely");
    }
    return 0;
}
