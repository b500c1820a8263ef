// Script files: which bytes are which text.
#include <unicode/unistr.h>

#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"
#include "core/speech/script.h"
#include "core/speech/ssml.h"

namespace loquor::speech {

namespace {

Result<std::string> readText(const std::filesystem::path& file)
{
    LQ_TRY(std::string text, platform::readTextFile(file, 2 * kMaxScriptBytes + 3));
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
        const bool little = text[0] == '\xFF';
        std::u16string wide;
        for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
            const auto a = static_cast<unsigned char>(text[i]), b = static_cast<unsigned char>(text[i + 1]);
            wide += static_cast<char16_t>(little ? a | b << 8 : b | a << 8);
        }
        std::string utf8;
        icu::UnicodeString(wide.data(), static_cast<std::int32_t>(wide.size())).toUTF8String(utf8);
        return utf8;
    }
    if (text.starts_with("\xEF\xBB\xBF"))
        text.erase(0, 3);
    return text;
}

Result<ImportedScript> fromSsml(std::string_view text)
{
    LQ_TRY(SsmlScript made, scriptFromSsml(text));
    return ImportedScript{std::move(made.text), std::move(made.language), std::move(made.issues)};
}

} // namespace

Result<ImportedScript> importScript(std::string text)
{
    if (looksLikeSsml(text))
        return fromSsml(text);
    return ImportedScript{std::move(text), {}, {}};
}

Result<ImportedScript> importScriptFile(const std::filesystem::path& file)
{
    LQ_TRY(std::string text, readText(file));
    auto made = file.extension() == ".ssml" ? fromSsml(text) : importScript(std::move(text));
    if (!made)
        return fail(std::move(made).error().addContext("reading " + platform::quotedPath(file)));
    return made;
}

Result<std::string> readScriptFile(const std::filesystem::path& file)
{
    LQ_TRY(ImportedScript script, importScriptFile(file));
    return std::move(script.text);
}

} // namespace loquor::speech
