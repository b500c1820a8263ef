#include "core/speech/voice.h"

#include <algorithm>

#include "core/base/log.h"
#include "core/speech/espeak_voice.h"
#include "core/speech/language.h"
#include "core/speech/piper_voice.h"

namespace loquor::speech {

namespace {

const VoiceDescription* firstOf(const std::vector<VoiceDescription>& voices, std::string_view language)
{
    const auto same = std::find_if(voices.begin(), voices.end(),
                                   [&](const VoiceDescription& v) { return v.language == language; });
    if (same != voices.end())
        return &*same;
    const std::string base = baseLanguage(language);
    const auto near = std::find_if(voices.begin(), voices.end(), [&](const VoiceDescription& v) {
        return baseLanguage(v.language) == base;
    });
    return near != voices.end() ? &*near : nullptr;
}

} // namespace

std::vector<VoiceDescription> listVoices(const std::filesystem::path& dataFolder)
{
    std::vector<VoiceDescription> out;
    std::error_code code;
    for (std::filesystem::directory_iterator it(dataFolder / "voices", code), end; !code && it != end; it.increment(code)) {
        const auto file = it->path() / "voice.json";
        std::error_code ignored;
        if (!std::filesystem::exists(file, ignored))
            continue;
        if (auto voice = readPiperDescription(file))
            out.push_back(std::move(*voice));
        else
            log(LogLevel::Warning, "speech", "A voice is left out: " + voice.error().text());
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    for (auto& voice : espeakDescriptions())
        out.push_back(std::move(voice));
    return out;
}

Result<VoiceChoice> chooseVoice(const std::vector<VoiceDescription>& voices, std::string_view voiceId,
                                std::string_view language, std::string_view text)
{
    VoiceChoice choice;
    choice.language = normalizedLanguage(language);
    if (!voiceId.empty()) {
        const auto it = std::find_if(voices.begin(), voices.end(),
                                     [&](const VoiceDescription& v) { return v.id == voiceId; });
        if (it != voices.end()) {
            choice.voice = *it;
        } else if (auto espeak = espeakDescription(voiceId)) {
            choice.voice = std::move(*espeak);
        } else {
            std::string names;
            for (const auto& v : voices)
                names += (names.empty() ? "" : ", ") + v.id;
            return fail(ErrorCode::InvalidArgument, "There is no voice '" + std::string(voiceId) + "'. Voices: " + names + '.');
        }
        const std::string spoken = baseLanguage(choice.voice.language);
        const LanguageGuess guess = guessLanguage(text);
        const std::string wanted = choice.language.empty() ? guess.language : choice.language;
        if (choice.language.empty())
            choice.language = choice.voice.language;
        if (baseLanguage(wanted) != spoken && (!language.empty() || wanted != "en-us"))
            choice.note = "The text looks like '" + wanted + "', but the voice " + choice.voice.id + " speaks '" +
                          choice.voice.language + "'; it will sound wrong.";
        return choice;
    }
    if (choice.language.empty()) {
        const LanguageGuess guess = guessLanguage(text);
        choice.language = guess.language;
        if (guess.language != "en-us")
            choice.note = "The text is taken to be '" + guess.language + "' (" + guess.reason +
                          "); give the language or the voice to change that.";
    }
    if (const VoiceDescription* voice = firstOf(voices, choice.language)) {
        choice.voice = *voice;
    } else {
        choice.voice = *espeakDescription("espeak-" + choice.language);
    }
    if (choice.voice.engine == VoiceEngine::Espeak && baseLanguage(choice.language) == "en")
        choice.note += std::string(choice.note.empty() ? "" : " ") +
                       "The natural English voice is not installed; espeak-ng speaks. Run packaging/setup.sh.";
    return choice;
}

Result<std::unique_ptr<Voice>> openVoice(const VoiceDescription& description,
                                         std::shared_ptr<PhonemeClient> phonemes, const CancelToken& cancel)
{
    LQ_CHECKED(phonemes->warmUp(cancel));
    switch (description.engine) {
    case VoiceEngine::Piper: return openPiperVoice(description, std::move(phonemes));
    case VoiceEngine::Espeak: return openEspeakVoice(description, std::move(phonemes));
    case VoiceEngine::None: break;
    }
    return fail(ErrorCode::InvalidArgument, "The voice '" + description.id + "' has no engine.");
}

std::string missingSoundNote(const VoiceDescription& voice, const std::string& sound)
{
    return "The voice " + voice.name + " has no sound for '" + sound + "' of the phonetic alphabet; it is left out.";
}

} // namespace loquor::speech
