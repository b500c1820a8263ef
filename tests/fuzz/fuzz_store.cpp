// What lies beside the data in the chunk store: any text gives an entry, a take or an error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/cache/descriptions.h"
#include "core/cache/take_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto entry = loquor::cache::parseEntry(text))
        (void)loquor::cache::formatEntry(*entry);
    (void)loquor::cache::parseParts(text);
    if (const auto logged = loquor::cache::parseTakeLog(text))
        (void)loquor::cache::takeHeadLine(logged->take);
    return 0;
}
