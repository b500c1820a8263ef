#include "core/project/ids.h"

#include <algorithm>
#include <charconv>
#include <random>

#include <sys/random.h>

namespace loquor::project {

IdSource randomIds()
{
    return [] {
        std::uint64_t id = 0;
        while (id == 0) {
            if (::getrandom(&id, sizeof id, 0) != static_cast<ssize_t>(sizeof id)) {
                std::random_device device; // kernels without the call
                id = static_cast<std::uint64_t>(device()) << 32U | device();
            }
        }
        return id;
    };
}

std::string idText(std::uint64_t id)
{
    std::string out(16, '0');
    for (std::size_t i = out.size(); i-- > 0; id >>= 4U)
        out[i] = "0123456789abcdef"[id & 15U];
    return out;
}

std::optional<std::uint64_t> idFromText(std::string_view text)
{
    std::uint64_t id = 0;
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const auto [read, error] = std::from_chars(begin, end, id, 16);
    if (text.empty() || error != std::errc() || read != end)
        return std::nullopt;
    return id;
}

Document newDocument(const IdSource& ids)
{
    Document document;
    document.id = ids();
    return document;
}

bool giveIds(Document& document, const IdSource& ids)
{
    bool given = document.id == 0;
    if (given)
        document.id = ids();
    for (Scene& scene : document.scenes) {
        for (Line& line : scene.lines) {
            if (line.id == 0) {
                line.id = ids();
                given = true;
            }
        }
    }
    return given;
}

void copyIdentity(Document& document, const IdSource& ids)
{
    document.id = ids();
}

} // namespace loquor::project
