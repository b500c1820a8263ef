// What espeak-ng speaks, as this program offers it. Internal to this folder.
#pragma once

#include <span>
#include <string_view>

namespace loquor::speech {

struct EspeakLanguage
{
    std::string_view language; // normalized: "zh"
    std::string_view name;     // for people
    std::string_view voice;    // espeak-ng's own name: "cmn-latn-pinyin"
    double gainDb = 0;         // brings its sentences to -16 LUFS
};

std::span<const EspeakLanguage> espeakLanguages();
// Nothing for languages it does not know.
const EspeakLanguage* espeakLanguage(std::string_view language);

} // namespace loquor::speech
