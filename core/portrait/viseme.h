// What the mouth aims at for each speech sound. Pure tables: symbol in, targets out.
#pragma once

#include <string_view>
#include <vector>

namespace loquor::portrait {

enum class SoundClass {
    Silence = 1,
    Vowel,
    Consonant,
};

// Targets of one steady stretch of speech, 0..1 unless said otherwise, on the scale of `Param`.
struct Viseme
{
    SoundClass kind = SoundClass::Silence;
    float jaw = 0, pucker = 0, funnel = 0, stretch = 0, upperRaise = 0, lowerDepress = 0;
    float tongueHeight = 0, tongueTip = 0;
    // Gestures that must be reached whatever the neighbours want.
    float close = 0, press = 0, tuck = 0;
    // How strongly a consonant imposes its jaw and lip targets on its neighbours (vowels: 1).
    float jawPull = 1, lipPull = 1;
};

// A stretch of a sound and the share of the sound's time it takes; shares of one symbol sum to 1.
struct VisemePart
{
    Viseme viseme;
    float share = 1;
};

// Splits an IPA symbol as espeak-ng writes it ("tʃ", "oʊ", "ts.h", "əl", "œ̃") into its parts.
// Empty: one silence. Length, tone, stress and diacritics do not matter except where they move the
// lips (ʷ rounds, ʲ spreads, ˞ colours, a syllabic mark adds a short vowel). Letters outside the IPA
// map by their base letter; a symbol without any letter ("(en)") gives no part at all: its time
// belongs to the neighbours.
std::vector<VisemePart> visemesOf(std::string_view symbol);

} // namespace loquor::portrait
