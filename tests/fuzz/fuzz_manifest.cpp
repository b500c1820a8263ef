// Pack manifests: any text gives a manifest or an error, never a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/packs/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    (void)loquor::packs::parseManifest({reinterpret_cast<const char*>(data), size});
    return 0;
}
