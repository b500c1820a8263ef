// timing.json: what is read can be written and read again with the same content.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/speech/timing_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace loquor::speech;
    const auto document = readTimingJson({reinterpret_cast<const char*>(data), size});
    if (!document)
        return 0;
    const std::string written = writeTimingJson(*document);
    const auto again = readTimingJson(written);
    if (!again || writeTimingJson(*again) != written)
        std::abort();
    return 0;
}
