// Text -> the numbers that UMT5 reads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace loquor::modules {

// A SentencePiece model. Immutable: any number of threads.
class TextTokenizer
{
public:
    // NotFound / Corrupt name the file.
    static Result<std::shared_ptr<const TextTokenizer>> open(const std::filesystem::path& model);
    ~TextTokenizer();

    struct Tokens
    {
        std::vector<std::int64_t> ids, mask; // `length` of each; the mask is 1 for what is real
        std::size_t count = 0;               // real ones, with the end
    };
    // Cleans the text (cleanPrompt), cuts it into pieces, adds the end, cuts to or fills up to `length`.
    Tokens encode(std::string_view text, std::size_t length = 512) const;
    std::int64_t vocabulary() const;

private:
    TextTokenizer();
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace loquor::modules
