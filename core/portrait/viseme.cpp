#include "core/portrait/viseme.h"

#include <algorithm>
#include <optional>
#include <string>

namespace loquor::portrait {

namespace {

struct VowelRow
{
    const char32_t* letters;
    float jaw, stretch, pucker, funnel, tongue;
};

// Rows follow the vowel chart from close to open. Jaw grows with openness, stretch with frontness of
// unrounded vowels, pucker with closeness and funnel with openness of rounded ones.
constexpr VowelRow kVowels[] = {
    {U"i", .22f, .85f, 0, 0, .35f},
    {U"y", .20f, .10f, .80f, .25f, .30f},
    {U"ɨɪᵻ", .30f, .45f, 0, 0, .20f},
    {U"ʏ", .27f, .05f, .60f, .30f, .20f},
    {U"ɯ", .24f, .25f, 0, 0, .15f},
    {U"ʉ", .21f, 0, .85f, .20f, .20f},
    {U"u", .20f, 0, .95f, .20f, .05f},
    {U"ʊᵿ", .28f, 0, .55f, .25f, .05f},
    {U"ɿʅ", .18f, .35f, 0, .10f, .30f},
    {U"e", .44f, .45f, 0, 0, .20f},
    {U"ø", .38f, .05f, .55f, .40f, .15f},
    {U"ɘ", .38f, .20f, 0, 0, .10f},
    {U"ɵ", .36f, 0, .50f, .40f, .10f},
    {U"ɤ", .42f, .12f, 0, 0, 0},
    {U"o", .46f, 0, .55f, .55f, 0},
    {U"ə", .30f, .05f, 0, 0, .05f},
    {U"ɚ", .30f, 0, .15f, .35f, .20f},
    {U"ɝ", .32f, 0, .15f, .35f, .20f},
    {U"ɜ", .36f, .08f, 0, .12f, .05f},
    {U"ɛ", .52f, .40f, 0, 0, .10f},
    {U"œ", .48f, .05f, .30f, .55f, .05f},
    {U"ɞ", .46f, 0, .30f, .50f, 0},
    {U"ʌ", .54f, .06f, 0, 0, 0},
    {U"ɔ", .58f, 0, .25f, .75f, 0},
    {U"æ", .72f, .35f, 0, 0, .05f},
    {U"ɐ", .66f, .08f, 0, 0, 0},
    {U"a", .80f, .10f, 0, 0, 0},
    {U"ɶ", .70f, .05f, .10f, .45f, 0},
    {U"ɑ", .82f, .03f, 0, .05f, 0},
    {U"ɒ", .68f, 0, .10f, .50f, 0},
};

enum class Place {
    Bilabial = 1,
    BilabialFricative,
    LabioDental,
    LabialVelar,
    LabialPalatal,
    Dental,
    Coronal,
    Lateral,
    Sibilant,
    PostAlveolar,
    Retroflex,
    Rhotic,
    Palatal,
    Velar,
    Back,
};

struct ConsonantRow
{
    const char32_t* letters;
    Place place;
    bool stop; // a stop of the tongue: merges with a following fricative into an affricate
};

constexpr ConsonantRow kConsonants[] = {
    {U"pbmɓʙʘ", Place::Bilabial, true},
    {U"ɸβ", Place::BilabialFricative, false},
    {U"fvɱʋⱱ", Place::LabioDental, false},
    {U"wʍ", Place::LabialVelar, false},
    {U"ɥ", Place::LabialPalatal, false},
    {U"θðǀ", Place::Dental, false},
    {U"tdɗǃ", Place::Coronal, true},
    {U"nɾ", Place::Coronal, false},
    {U"lɫɬɮɺǁ", Place::Lateral, false},
    {U"sz", Place::Sibilant, false},
    {U"ʃʒɕʑɧ", Place::PostAlveolar, false},
    {U"ʂʐ", Place::Retroflex, false},
    {U"ʈɖ", Place::Coronal, true},
    {U"ɳɽɭ", Place::Coronal, false},
    {U"ɹɻ", Place::Rhotic, false},
    {U"r", Place::Coronal, false},
    {U"jçʝɲʎɟcʄǂ", Place::Palatal, false},
    {U"kɡgŋxɣɰɠʟ", Place::Velar, true},
    {U"qɢɴʀχʁʛħʕʜʢʡhɦʔ", Place::Back, false},
};

constexpr Viseme consonant(float jaw, float jawPull, float lipPull)
{
    Viseme v;
    v.kind = SoundClass::Consonant;
    v.jaw = jaw;
    v.jawPull = jawPull;
    v.lipPull = lipPull;
    return v;
}

Viseme visemeOf(Place place)
{
    Viseme v;
    switch (place) {
    case Place::Bilabial:
        v = consonant(.12f, 1.2f, .4f);
        v.close = 1;
        v.press = .70f;
        return v;
    case Place::BilabialFricative:
        v = consonant(.14f, 1.0f, .4f);
        v.close = .85f;
        return v;
    case Place::LabioDental:
        v = consonant(.14f, 1.2f, .4f);
        v.tuck = 1;
        v.upperRaise = .15f;
        return v;
    case Place::LabialVelar:
        v = consonant(.16f, .6f, 1.6f);
        v.pucker = 1;
        return v;
    case Place::LabialPalatal:
        v = consonant(.16f, .6f, 1.4f);
        v.pucker = .85f;
        v.tongueHeight = .3f;
        return v;
    case Place::Dental:
        v = consonant(.22f, .9f, .3f);
        v.tongueHeight = .7f;
        v.tongueTip = 1;
        return v;
    case Place::Coronal:
        v = consonant(.16f, .7f, .15f);
        v.stretch = .1f;
        v.tongueHeight = .5f;
        v.tongueTip = .7f;
        return v;
    case Place::Lateral:
        v = consonant(.26f, .6f, .15f);
        v.tongueHeight = .6f;
        v.tongueTip = .9f;
        return v;
    case Place::Sibilant:
        v = consonant(.08f, 1.2f, .5f);
        v.stretch = .30f;
        v.lowerDepress = .2f;
        v.upperRaise = .12f;
        v.tongueHeight = .3f;
        return v;
    case Place::PostAlveolar:
        v = consonant(.14f, 1.0f, 1.2f);
        v.funnel = .85f;
        v.pucker = .25f;
        v.upperRaise = .2f;
        return v;
    case Place::Retroflex:
        v = consonant(.16f, 1.0f, .9f);
        v.funnel = .55f;
        v.pucker = .15f;
        v.upperRaise = .15f;
        v.tongueHeight = .4f;
        return v;
    case Place::Rhotic:
        v = consonant(.20f, .5f, .6f);
        v.pucker = .35f;
        v.funnel = .4f;
        return v;
    case Place::Palatal:
        v = consonant(.18f, .5f, .5f);
        v.stretch = .55f;
        v.tongueHeight = .4f;
        return v;
    case Place::Velar: return consonant(.24f, .4f, .1f);
    case Place::Back: return consonant(.30f, .12f, .05f);
    }
    return v;
}

bool contains(const char32_t* letters, char32_t c)
{
    return std::u32string_view(letters).find(c) != std::u32string_view::npos;
}

// Letters of ordinary spelling that carry a mark inside, and other look-alikes.
char32_t baseLetter(char32_t c)
{
    static constexpr struct
    {
        const char32_t* letters;
        char32_t base;
    // clang-format off
    } kBases[] = {
        {U"àáâãäåāăąạảấầẩẫậắằẳẵặ", U'a'}, {U"èéêëēĕėęěẹẻẽếềểễệ", U'e'}, {U"ìíîïĩīĭįıỉị", U'i'},
        {U"òóôõöōŏőơọỏốồổỗộớờởỡợ", U'o'}, {U"ùúûüũūŭůűưụủứừửữự", U'u'}, {U"ýÿỳỵỷỹ", U'y'},
        {U"ñńňņ", U'ɲ'}, {U"ćč", U'ɕ'}, {U"śšş", U'ʃ'}, {U"źžż", U'ʒ'}, {U"đ", U'd'}, {U"łľ", U'l'},
        {U"řŕ", U'r'}, {U"ğ", U'ɣ'}, {U"βϐ", U'β'}, {U"θϑ", U'θ'}, {U"χ", U'χ'}, {U"ɩ", U'ɪ'},
        {U"ɷ", U'ʊ'}, {U"ɼ", U'r'}, {U"ᶑ", U'ɗ'}, {U"ƞ", U'n'}, {U"ʆ", U'ʃ'}, {U"ʓ", U'ʒ'},
        {U"ʦ", U's'}, {U"ʣ", U'z'}, {U"ʧ", U'ʃ'}, {U"ʤ", U'ʒ'}, {U"ʨ", U'ɕ'}, {U"ʥ", U'ʑ'},
        {U"ƥ", U'p'}, {U"ƭƫ", U't'}, {U"ƙ", U'k'}, {U"ʠ", U'q'}, {U"ᴍ", U'm'},
    };
    // clang-format on
    if (c >= U'A' && c <= U'Z')
        return c - U'A' + U'a';
    for (const auto& row : kBases)
        if (contains(row.letters, c))
            return row.base;
    return c;
}

struct Letter
{
    Viseme viseme;
    Place place = Place::Back;
    bool stop = false;
};

std::optional<Letter> letterOf(char32_t raw)
{
    const char32_t c = baseLetter(raw);
    for (const auto& row : kVowels)
        if (contains(row.letters, c)) {
            Letter letter;
            letter.viseme.kind = SoundClass::Vowel;
            letter.viseme.jaw = row.jaw;
            letter.viseme.stretch = row.stretch;
            letter.viseme.pucker = row.pucker;
            letter.viseme.funnel = row.funnel;
            letter.viseme.tongueHeight = row.tongue;
            if (c == U'i')
                letter.viseme.upperRaise = .15f;
            return letter;
        }
    for (const auto& row : kConsonants)
        if (contains(row.letters, c))
            return Letter{visemeOf(row.place), row.place, row.stop};
    return std::nullopt;
}

// Latin, IPA, Greek and phonetic extension blocks: there an unknown character is a sound we have no
// row for, elsewhere it is punctuation.
bool looksLikeLetter(char32_t c)
{
    return (c >= U'a' && c <= U'z') || (c >= 0xC0 && c < 0x2B0 && c != 0xD7 && c != 0xF7) ||
           (c >= 0x370 && c < 0x400) || (c >= 0x1D00 && c < 0x1DC0) || (c >= 0x1E00 && c < 0x2000) ||
           (c >= 0x2C60 && c < 0x2C80) || (c >= 0xA720 && c < 0xA800);
}

std::u32string decodeUtf8(std::string_view text)
{
    std::u32string out;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xC0 ? 0
                                                 : lead < 0xE0   ? 2
                                                 : lead < 0xF0   ? 3
                                                                 : 4;
        if (length == 0 || i + length > text.size()) {
            ++i; // a stray byte says nothing about the mouth
            continue;
        }
        char32_t c = length == 1 ? lead : lead & (0x7F >> length);
        for (std::size_t k = 1; k < length; ++k)
            c = (c << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3F);
        out.push_back(c);
        i += length;
    }
    return out;
}

constexpr float kVowelShare = 1.0f;
constexpr float kConsonantShare = .55f;
constexpr float kLongFactor = 1.6f;
constexpr float kSyllabicVowelShare = .5f;

struct Part
{
    Letter letter;
    float share = 0;
};

// Marks that change the part before them; true when `c` was such a mark or means nothing at all.
bool applyMark(char32_t c, std::vector<Part>& parts)
{
    if (parts.empty())
        return !looksLikeLetter(baseLetter(c)) && !letterOf(c);
    Part& last = parts.back();
    Viseme& v = last.letter.viseme;
    switch (c) {
    case U'ː':
    case U'ˑ':
    case U':':
        last.share *= kLongFactor;
        return true;
    case U'ʷ':
        v.pucker = std::max(v.pucker, .6f);
        v.lipPull = std::max(v.lipPull, .9f);
        return true;
    case U'ʲ':
        v.stretch = std::max(v.stretch, .25f);
        return true;
    case U'˞':
        v.funnel = std::max(v.funnel, .35f);
        return true;
    case 0x0329:
    case 0x030D: // syllabic: a short vowel leads in, unless the lips must stay shut
        if (v.kind == SoundClass::Consonant && v.close == 0) {
            const Part consonantPart = last;
            last = Part{*letterOf(U'ə'), kSyllabicVowelShare};
            parts.push_back(consonantPart);
        }
        return true;
    case U'.': // espeak-ng's pinyin voices write retroflex "s." "ts."
        if (last.letter.place == Place::Sibilant && v.kind == SoundClass::Consonant)
            last.letter = Letter{visemeOf(Place::Retroflex), Place::Retroflex, false};
        return true;
    case U'h':
    case U'ɦ': // aspiration: "th", "tsh" in one symbol
        return v.kind == SoundClass::Consonant;
    default: return !looksLikeLetter(baseLetter(c)) && !letterOf(c);
    }
}

bool isTongueFricative(Place place)
{
    return place == Place::Sibilant || place == Place::PostAlveolar || place == Place::Retroflex ||
           place == Place::Dental || place == Place::Palatal;
}

// A stop before a fricative of the tongue is one gesture: the lips are the fricative's from the start.
// A velar beside a bilabial ("kp", "ŋm") is one closure of the lips.
void mergeGestures(std::vector<Part>& parts)
{
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        Letter& first = parts[i].letter;
        Letter& second = parts[i + 1].letter;
        if (first.viseme.kind != SoundClass::Consonant || second.viseme.kind != SoundClass::Consonant)
            continue;
        if (first.stop && first.place == Place::Coronal && isTongueFricative(second.place)) {
            const float tip = first.viseme.tongueTip;
            first.viseme = second.viseme;
            first.viseme.tongueTip = std::max(tip, second.viseme.tongueTip);
        } else if (first.place == Place::Velar && second.place == Place::Bilabial) {
            first.viseme = second.viseme;
        } else if (first.place == Place::Bilabial && second.place == Place::Velar) {
            second.viseme = first.viseme;
        }
    }
}

} // namespace

std::vector<VisemePart> visemesOf(std::string_view symbol)
{
    if (symbol.empty())
        return {VisemePart{}};
    std::vector<Part> parts;
    bool inFlag = false; // "(en)": espeak-ng changes its language here
    for (const char32_t c : decodeUtf8(symbol)) {
        if (c == U'(' || c == U')') {
            inFlag = c == U'(';
            continue;
        }
        if (inFlag || applyMark(c, parts))
            continue;
        const auto letter = letterOf(c);
        // a sound without a row: a neutral mouth is never far from wrong
        Part part{letter ? *letter : *letterOf(U'ə'), kVowelShare};
        if (part.letter.viseme.kind == SoundClass::Consonant)
            part.share = kConsonantShare;
        parts.push_back(part);
    }
    mergeGestures(parts);
    float sum = 0;
    for (const Part& part : parts)
        sum += part.share;
    std::vector<VisemePart> out;
    for (const Part& part : parts)
        out.push_back({part.letter.viseme, part.share / sum});
    return out;
}

} // namespace loquor::portrait
