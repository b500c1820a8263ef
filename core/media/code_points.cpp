#include "core/media/code_points.h"

namespace loquor::media {

std::optional<std::vector<char32_t>> codePoints(std::string_view text)
{
    std::vector<char32_t> out;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2
                                                 : lead >> 4 == 14  ? 3
                                                 : lead >> 3 == 30  ? 4
                                                                    : 0;
        if (length == 0 || i + length > text.size())
            return std::nullopt;
        char32_t code = length == 1 ? lead : lead & (0xFFu >> (length + 1));
        for (std::size_t k = 1; k < length; ++k) {
            const auto next = static_cast<unsigned char>(text[i + k]);
            if (next >> 6 != 2)
                return std::nullopt;
            code = code << 6 | (next & 0x3F);
        }
        out.push_back(code);
        i += length;
    }
    return out;
}

} // namespace loquor::media
