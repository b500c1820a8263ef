#include "core/media/label_font.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <new>
#include <string>

#include <fontconfig/fontconfig.h>

namespace loquor::media {

namespace {

struct ConfigFree
{
    void operator()(FcConfig* config) const { FcConfigDestroy(config); }
};
struct PatternFree
{
    void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};
struct SetFree
{
    void operator()(FcFontSet* set) const { FcFontSetDestroy(set); }
};

std::string utf8(char32_t c)
{
    std::array<FcChar8, FC_UTF8_MAX_LEN> bytes{};
    const int count = FcUcs4ToUtf8(c, bytes.data());
    return {bytes.begin(), bytes.begin() + count};
}

// Letters with outlines; colour bitmaps (emoji) cannot be drawn.
bool isDrawable(FcPattern* font)
{
    FcBool scalable = FcFalse, colour = FcFalse;
    int index = 0;
    FcPatternGetBool(font, FC_SCALABLE, 0, &scalable);
    FcPatternGetBool(font, FC_COLOR, 0, &colour);
    FcPatternGetInteger(font, FC_INDEX, 0, &index); // of a collection: only its first font can be asked for
    return scalable && !colour && (index & 0xFFFF) == 0;
}

std::vector<char32_t> missingIn(FcPattern* font, const std::vector<char32_t>& characters)
{
    FcCharSet* has = nullptr; // belongs to the font
    if (FcPatternGetCharSet(font, FC_CHARSET, 0, &has) != FcResultMatch)
        return characters;
    std::vector<char32_t> out;
    std::copy_if(characters.begin(), characters.end(), std::back_inserter(out),
                 [has](char32_t c) { return !FcCharSetHasChar(has, c); });
    return out;
}

// Every font that can be drawn, those like DejaVu Sans first; `look` says whether to go on. False: there is none.
bool forFonts(const std::function<bool(FcPattern*, const char* file)>& look)
{
    const std::unique_ptr<FcConfig, ConfigFree> config(FcInitLoadConfigAndFonts());
    const std::unique_ptr<FcPattern, PatternFree> wanted(
        FcNameParse(reinterpret_cast<const FcChar8*>("DejaVu Sans:bold")));
    if (!config || !wanted)
        throw std::bad_alloc();
    FcConfigSubstitute(config.get(), wanted.get(), FcMatchPattern);
    FcDefaultSubstitute(wanted.get());
    FcResult result = FcResultNoMatch;
    const std::unique_ptr<FcFontSet, SetFree> fonts(FcFontSort(config.get(), wanted.get(), FcFalse, nullptr, &result));
    bool any = false;
    for (int i = 0; fonts && i < fonts->nfont; ++i) {
        FcPattern* font = fonts->fonts[i];
        FcChar8* file = nullptr;
        if (!isDrawable(font) || FcPatternGetString(font, FC_FILE, 0, &file) != FcResultMatch)
            continue;
        any = true;
        if (!look(font, reinterpret_cast<const char*>(file)))
            break;
    }
    return any;
}

Error noFont(const char* what)
{
    return Error(ErrorCode::Unsupported, std::string(what) + " cannot be drawn: no font is installed (package fonts-dejavu-core).");
}

} // namespace

std::string letterNames(const std::vector<char32_t>& characters)
{
    constexpr std::size_t kShown = 8;
    std::string out;
    char code[16];
    for (std::size_t i = 0; i < std::min(kShown, characters.size()); ++i) {
        std::snprintf(code, sizeof code, " (U+%04X)", static_cast<unsigned>(characters[i]));
        out += (i > 0 ? ", " : "") + utf8(characters[i]) + code;
    }
    if (characters.size() > kShown)
        out += " and " + std::to_string(characters.size() - kShown) + " more";
    return out;
}

Result<std::filesystem::path> fontWith(const std::vector<char32_t>& characters)
{
    std::vector<char32_t> fewest;
    std::filesystem::path found;
    bool first = true;
    const bool any = forFonts([&](FcPattern* font, const char* file) {
        std::vector<char32_t> missing = missingIn(font, characters);
        if (missing.empty())
            found = file;
        if (first || missing.size() < fewest.size())
            fewest = std::move(missing);
        first = false;
        return found.empty();
    });
    if (!any)
        return fail(noFont("The label"));
    if (!found.empty())
        return found;
    return fail(ErrorCode::InvalidArgument,
                "No installed font has all letters of the label; these would be empty boxes: " + letterNames(fewest) +
                    ". Write the label without them, or install a font that has them (for Chinese, Japanese and Korean "
                    "the package fonts-noto-cjk).");
}

Result<std::vector<char32_t>> lettersWithoutFont(const std::vector<char32_t>& characters)
{
    std::vector<char32_t> left = characters;
    const bool any = forFonts([&left](FcPattern* font, const char*) {
        left = missingIn(font, left);
        return !left.empty();
    });
    if (!any)
        return fail(noFont("Captions"));
    return left;
}

} // namespace loquor::media
