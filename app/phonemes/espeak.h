// SPDX-License-Identifier: GPL-3.0-or-later
// espeak-ng as values: one engine per process, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace phonemes {

struct VoiceName
{
    std::string name, language;
};

struct SpokenWord
{
    std::size_t begin = 0;             // byte offset into the text
    std::int64_t sample = 0;           // where it starts in the sound
    std::vector<std::string> phonemes; // IPA with stress marks
};

struct Sound
{
    std::int64_t sample = 0;
    int word = -1; // index into words, -1 before the first
    std::string symbol;
};

struct Speech
{
    std::vector<std::int16_t> pcm;
    std::vector<SpokenWord> words;
    std::vector<Sound> sounds;
};

// Starts espeak-ng. Returns the sample rate, or a value <= 0 when its data is missing.
int start();
std::string engineVersion();
std::vector<VoiceName> voices();
// False when there is no voice of that name; espeak crashes when it is used without one.
bool selectVoice(const std::string& name);
// How a text is to be read.
enum class Writing {
    Plain = 1,
    WithMnemonics, // "[[h@l'oU]]" are espeak's own names of sounds
};
// Words of the text with their phonemes, as the selected voice says them.
std::vector<SpokenWord> phonemesOf(const std::string& text, Writing writing);
// Sound and times of the text. `speed` 1 and 0 semitones = the voice's normal rate and pitch.
Speech speak(const std::string& text, Writing writing, double speed, double semitones);

} // namespace phonemes
