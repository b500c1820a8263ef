// Project files: what loads can be written and loads again with the same content.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/project/project_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto document = loquor::project::fromJson(text, "/projects");
    if (!document)
        return 0;
    const auto written = loquor::project::toJson(*document, "/projects");
    if (!written)
        return 0; // paths or texts that cannot be stored are refused, not mangled
    const auto again = loquor::project::fromJson(*written, "/projects");
    if (!again)
        std::abort();
    const auto twice = loquor::project::toJson(*again, "/projects");
    if (!twice || *twice != *written)
        std::abort();
    return 0;
}
