// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/phonemes/espeak.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <espeak-ng/speak_lib.h>

namespace phonemes {

namespace {

struct Event
{
    espeak_EVENT_TYPE type;
    int position; // in characters, from 1
    int sample;
    std::string symbol;
};

// What the callback collects; espeak offers no usable user pointer in this mode.
struct Collector
{
    std::vector<std::int16_t> pcm;
    std::vector<Event> events;
} g_collector;

int collect(short* wav, int count, espeak_EVENT* events)
{
    if (wav && count > 0)
        g_collector.pcm.insert(g_collector.pcm.end(), wav, wav + count);
    for (; events->type != espeakEVENT_LIST_TERMINATED; ++events) {
        Event e{events->type, events->text_position, events->sample, {}};
        if (e.type == espeakEVENT_PHONEME)
            e.symbol.assign(events->id.string, strnlen(events->id.string, sizeof events->id.string));
        if (e.type == espeakEVENT_PHONEME || e.type == espeakEVENT_WORD)
            g_collector.events.push_back(std::move(e));
    }
    return 0;
}

void synthesize(const std::string& text, Writing writing)
{
    g_collector.pcm.clear();
    g_collector.events.clear();
    // espeak keeps the flag: phonemeGroups() reads the text in the same way.
    const unsigned flags = espeakCHARS_UTF8 | (writing == Writing::WithMnemonics ? espeakPHONEMES : 0U);
    espeak_Synth(text.c_str(), text.size() + 1, 0, POS_CHARACTER, 0, flags, nullptr, nullptr);
    espeak_Synchronize();
}

// Byte offset of every character, and the end.
std::vector<std::size_t> characterOffsets(const std::string& text)
{
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80)
            out.push_back(i);
    }
    out.push_back(text.size());
    return out;
}

// Groups (words as espeak joins them) of phonemes with stress marks.
std::vector<std::vector<std::string>> phonemeGroups(const std::string& text)
{
    constexpr int kSeparator = '_';
    std::vector<std::vector<std::string>> groups;
    const void* position = text.c_str();
    while (position) {
        const char* part = espeak_TextToPhonemes(&position, espeakCHARS_UTF8,
                                                 espeakPHONEMES_IPA | (kSeparator << 8));
        if (!part)
            break;
        std::vector<std::string> group;
        std::string symbol;
        bool inFlag = false; // "(en)": a switch of language, not a sound
        const auto endSymbol = [&] {
            if (!symbol.empty())
                group.push_back(std::move(symbol));
            symbol.clear();
        };
        const auto endGroup = [&] {
            endSymbol();
            if (!group.empty())
                groups.push_back(std::move(group));
            group.clear();
        };
        for (const char* c = part; *c; ++c) {
            if (*c == '(')
                inFlag = true;
            else if (*c == ')')
                inFlag = false;
            else if (inFlag)
                continue;
            else if (*c == kSeparator)
                endSymbol();
            else if (*c == ' ' || *c == '\n')
                endGroup();
            else
                symbol += *c;
        }
        endGroup();
    }
    return groups;
}

// The word events of the last synthesis, those without any sound removed, with their sounds.
void collectWords(const std::string& text, Speech& speech)
{
    const auto offsets = characterOffsets(text);
    for (const Event& e : g_collector.events) {
        if (e.type == espeakEVENT_WORD) {
            const auto character = static_cast<std::size_t>(std::max(0, e.position - 1));
            SpokenWord word;
            word.begin = offsets[std::min(character, offsets.size() - 1)];
            word.sample = e.sample;
            const bool silent =
                !speech.words.empty() &&
                (speech.sounds.empty() ||
                 speech.sounds.back().word != static_cast<int>(speech.words.size()) - 1);
            if (silent)
                speech.words.back() = std::move(word);
            else
                speech.words.push_back(std::move(word));
        } else {
            // A pause belongs to no word, so that a word event without sounds is noticed.
            const int current = static_cast<int>(speech.words.size()) - 1;
            const int previous = speech.sounds.empty() ? -1 : speech.sounds.back().word;
            speech.sounds.push_back({e.sample, e.symbol.empty() ? previous : current, e.symbol});
        }
    }
    if (!speech.words.empty() &&
        (speech.sounds.empty() || speech.sounds.back().word != static_cast<int>(speech.words.size()) - 1))
        speech.words.pop_back();
}

// Gives every word its group of phonemes. The counts agree for nearly every text; where they do not,
// groups go to the word in whose share of the sounds their middle falls.
void assignGroups(Speech& speech, std::vector<std::vector<std::string>> groups)
{
    auto& words = speech.words;
    if (words.empty())
        return;
    if (groups.size() == words.size()) {
        for (std::size_t i = 0; i < words.size(); ++i)
            words[i].phonemes = std::move(groups[i]);
        return;
    }
    std::vector<double> ends(words.size(), 0.0); // cumulative share of the sounds
    for (const Sound& s : speech.sounds) {
        if (!s.symbol.empty() && s.word >= 0)
            ends[static_cast<std::size_t>(s.word)] += 1;
    }
    double total = 0, symbols = 0;
    for (double& e : ends)
        e = total += e;
    for (const auto& g : groups)
        symbols += static_cast<double>(g.size());
    double done = 0;
    for (auto& g : groups) {
        const double middle = (done + static_cast<double>(g.size()) / 2) / std::max(1.0, symbols) * total;
        done += static_cast<double>(g.size());
        const auto at = std::lower_bound(ends.begin(), ends.end(), middle);
        auto& word = words[static_cast<std::size_t>(std::min<std::ptrdiff_t>(
            at - ends.begin(), static_cast<std::ptrdiff_t>(words.size()) - 1))];
        word.phonemes.insert(word.phonemes.end(), g.begin(), g.end());
    }
}

Speech speakAsSet(const std::string& text, Writing writing)
{
    synthesize(text, writing);
    Speech speech;
    speech.pcm = g_collector.pcm;
    collectWords(text, speech);
    assignGroups(speech, phonemeGroups(text));
    return speech;
}

} // namespace

int start()
{
    const int rate = espeak_Initialize(
        AUDIO_OUTPUT_SYNCHRONOUS, 0, nullptr,
        espeakINITIALIZE_PHONEME_EVENTS | espeakINITIALIZE_PHONEME_IPA | espeakINITIALIZE_DONT_EXIT);
    if (rate > 0)
        espeak_SetSynthCallback(collect);
    return rate;
}

std::string engineVersion()
{
    const char* path = nullptr;
    return espeak_Info(&path);
}

std::vector<VoiceName> voices()
{
    std::vector<VoiceName> out;
    for (const espeak_VOICE** v = espeak_ListVoices(nullptr); *v; ++v) {
        const char* languages = (*v)->languages;
        out.push_back({(*v)->name ? (*v)->name : "", languages && *languages ? languages + 1 : ""});
    }
    return out;
}

bool selectVoice(const std::string& name)
{
    if (espeak_SetVoiceByName(name.c_str()) == EE_OK)
        return true;
    // Some voices are named otherwise than their language: British English is called "en".
    espeak_VOICE wish{};
    wish.languages = name.c_str();
    const auto all = voices();
    const bool listed =
        std::any_of(all.begin(), all.end(), [&](const VoiceName& voice) { return voice.language == name; });
    return listed && espeak_SetVoiceByProperties(&wish) == EE_OK;
}

std::vector<SpokenWord> phonemesOf(const std::string& text, Writing writing)
{
    return speakAsSet(text, writing).words;
}

Speech speak(const std::string& text, Writing writing, double speed, double semitones)
{
    constexpr int kNormalPitch = 50;
    constexpr double kStepsPerOctave = 70; // measured on speech
    const int normal = espeakRATE_NORMAL;
    const int rate = static_cast<int>(std::lround(normal * speed));
    espeak_SetParameter(espeakRATE, std::clamp(rate, espeakRATE_MINIMUM, espeakRATE_MAXIMUM), 0);
    const int pitch = static_cast<int>(std::lround(kNormalPitch + semitones / 12 * kStepsPerOctave));
    if (pitch != kNormalPitch)
        espeak_SetParameter(espeakPITCH, std::clamp(pitch, 0, 99), 0);
    Speech speech = speakAsSet(text, writing);
    espeak_SetParameter(espeakRATE, normal, 0);
    if (pitch != kNormalPitch)
        espeak_SetParameter(espeakPITCH, kNormalPitch, 0);
    return speech;
}

} // namespace phonemes
