#include "core/speech/voice.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "core/base/log.h"
#include "core/speech/espeak_voice.h"
#include "core/speech/language.h"
#include "core/speech/piper_voice.h"
#include "core/speech/utf8.h"

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

bool hasHan(std::string_view text)
{
    if (firstInvalidUtf8(text))
        return false;
    for (std::size_t at = 0; at < text.size();) {
        if (isHan(nextCharacter(text, at)))
            return true;
    }
    return false;
}

// What the user has to know of the chosen voice for this text.
void addVoiceNotes(VoiceChoice& choice, std::string_view text)
{
    std::string note;
    if (choice.voice.engine != VoiceEngine::Espeak || choice.voice.language == "fil")
        note = choice.voice.note;
    else if (choice.voice.language == "ja" && hasHan(text))
        note = "The text has kanji, which espeak-ng cannot read: it says the name of the script instead. Write them in kana, or "
               "import a Japanese voice that reads them.";
    if (!note.empty())
        choice.note += (choice.note.empty() ? "" : " ") + note;
}

// "ID" or "ID:SPEAKER"; nothing when there is no such id.
Result<std::optional<VoiceDescription>> voiceWithId(const std::vector<VoiceDescription>& voices, std::string_view id)
{
    const auto find = [&](std::string_view wanted) {
        return std::find_if(voices.begin(), voices.end(), [&](const VoiceDescription& v) { return v.id == wanted; });
    };
    if (const auto it = find(id); it != voices.end())
        return std::optional(*it);
    const auto colon = id.find(':');
    const auto it = colon == std::string_view::npos ? voices.end() : find(id.substr(0, colon));
    if (it == voices.end())
        return std::optional<VoiceDescription>();
    VoiceDescription voice = *it;
    const std::string_view wanted = id.substr(colon + 1);
    std::string names;
    for (std::size_t i = 0; i < voice.speakers.size(); ++i) {
        if (voice.speakers[i] == wanted || std::to_string(i) == wanted) {
            voice.id = id;
            voice.name += ", " + voice.speakers[i];
            voice.speaker = static_cast<int>(i);
            return std::optional(std::move(voice));
        }
        if (i < 20)
            names += (i ? ", " : "") + voice.speakers[i];
    }
    if (voice.speakers.empty())
        return fail(ErrorCode::InvalidArgument, "The voice '" + voice.id + "' has one speaker: write its name without a colon.");
    return fail(ErrorCode::InvalidArgument, "The voice '" + voice.id + "' has no speaker '" + std::string(wanted) + "'. Speakers: " +
                                                names + (voice.speakers.size() > 20 ? ", ..." : "") + ", or their numbers from 0 to " +
                                                std::to_string(voice.speakers.size() - 1) + '.');
}

} // namespace

std::string soundKey(const Utterance& utterance, const SpeechOptions& options)
{
    static_assert(sizeof(Utterance) == sizeof(std::string) + 8 + sizeof(std::vector<Replacement>) &&
                      sizeof(Replacement) == 8 + sizeof(std::string) + 8 && sizeof(SpeechOptions) == 16,
                  "a new field belongs in the key");
    std::string out = utterance.endsSentence ? "end" : "open";
    const auto add = [&](auto number) { out += ' ' + std::to_string(number); };
    add(std::bit_cast<std::uint64_t>(std::clamp(options.speed, kSlowest, kFastest)));
    add(std::bit_cast<std::uint64_t>(options.pitch));
    add(utterance.replacements.size());
    for (const Replacement& r : utterance.replacements) {
        add(r.begin);
        add(r.end);
        add(static_cast<int>(r.isSounds));
        add(r.text.size());
        out += r.text;
    }
    return out + ' ' + utterance.text;
}

std::vector<VoiceDescription> listVoices(const std::filesystem::path& dataFolder)
{
    std::vector<VoiceDescription> out;
    std::error_code code;
    for (std::filesystem::directory_iterator it(dataFolder / "voices", code), end; !code && it != end; it.increment(code)) {
        const auto file = it->path() / "voice.json";
        std::error_code ignored;
        if (it->path().filename().string().starts_with('.') || !std::filesystem::exists(file, ignored))
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
        LQ_TRY(std::optional<VoiceDescription> known, voiceWithId(voices, voiceId));
        if (known) {
            choice.voice = std::move(*known);
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
        addVoiceNotes(choice, text);
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
    addVoiceNotes(choice, text);
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
