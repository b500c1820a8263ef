// SSML: what it becomes is a script that can be read, or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/speech/ssml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto made = loquor::speech::scriptFromSsml({reinterpret_cast<const char*>(data), size});
    if (made && !loquor::speech::parseScript(made->text, "en-us"))
        std::abort();
    return 0;
}
