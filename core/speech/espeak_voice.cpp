#include "core/speech/espeak_voice.h"

#include <algorithm>

#include "core/speech/espeak_languages.h"
#include "core/speech/espeak_sounds.h"
#include "core/speech/language.h"
#include "core/speech/loudness.h"
#include "core/speech/respelling.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

constexpr int kEspeakRate = 22050;
constexpr double kShortestSilence = 0.060; // shorter gaps inside speech belong to the sound before
constexpr double kClausePause = 0.150;     // espeak's own pause at a comma, which a clause alone does not have
constexpr double kGainDb = 6.5; // of languages that were not measured

VoiceDescription describe(const std::string& language, const std::string& name)
{
    VoiceDescription d;
    d.id = "espeak-" + language;
    d.name = name + " (espeak-ng)";
    d.language = language;
    d.licence = "GPL-3.0-or-later program; its speech is yours";
    d.sampleRate = kEspeakRate;
    d.engine = VoiceEngine::Espeak;
    const EspeakLanguage* known = espeakLanguage(d.language);
    d.fingerprint = "espeak " + espeakVoiceName(d.language) + ' ' + std::to_string(known ? known->gainDb : kGainDb);
    if (d.language == "fil")
        d.note = "There is no Filipino voice: the Indonesian one reads a text respelled for it. Foreign words and names may "
                 "sound wrong.";
    if (d.language == "ja")
        d.note = "It reads kana only; kanji are not read.";
    return d;
}

// What is said for replaced words is one word: that which is written.
void joinReplaced(EspeakSpeech& speech, const Respelling& spelled)
{
    if (spelled.replaced.empty())
        return;
    std::vector<PhonemeWord> words;
    std::vector<std::int64_t> samples;
    std::vector<int> joined; // index of each word among the joined ones
    for (std::size_t i = 0; i < speech.words.size(); ++i) {
        PhonemeWord& word = speech.words[i];
        const bool isReplaced = widenToReplaced(spelled, word.begin, word.end);
        if (isReplaced && !words.empty() && word.begin < words.back().end) {
            words.back().end = std::max(words.back().end, word.end);
        } else {
            words.push_back(std::move(word));
            samples.push_back(speech.wordSamples[i]);
        }
        joined.push_back(static_cast<int>(words.size()) - 1);
    }
    for (EspeakSound& sound : speech.sounds) {
        if (sound.word >= 0)
            sound.word = joined[static_cast<std::size_t>(sound.word)];
    }
    speech.words = std::move(words);
    speech.wordSamples = std::move(samples);
}

class EspeakVoice : public Voice
{
public:
    EspeakVoice(VoiceDescription description, std::shared_ptr<PhonemeClient> phonemes)
        : m_description(std::move(description)), m_phonemes(std::move(phonemes))
    {
    }
    const VoiceDescription& description() const override { return m_description; }

    Result<SpokenSound> synthesize(const Utterance& utterance, const SpeechOptions& options,
                                   const CancelToken& cancel) override
    {
        SpokenSound out;
        Respelling spelled = respell(utterance.text, m_description.language, utterance.replacements);
        EspeakManner manner;
        manner.speed = std::clamp(options.speed, kSlowest, kFastest);
        manner.pitch = std::clamp(options.pitch, -kMaxPitch, kMaxPitch);
        LQ_TRY(manner.writing, writeSounds(spelled, utterance, out.notes, cancel));
        LQ_TRY(EspeakSpeech speech,
               m_phonemes->speak(espeakVoiceName(m_description.language), spelled.text, manner, cancel));
        joinReplaced(speech, spelled);
        if (speech.words.empty() || speech.pcm.empty())
            return fail(ErrorCode::EmptyInput, "There is nothing that can be pronounced in: " + utterance.text);
        if (!utterance.endsSentence)
            speech.pcm.resize(speech.pcm.size() + static_cast<std::size_t>(kClausePause * speech.sampleRate));
        out.audio.sampleRate = speech.sampleRate;
        out.audio.channels = 1;
        out.audio.samples.reserve(speech.pcm.size());
        for (const std::int16_t s : speech.pcm)
            out.audio.samples.push_back(static_cast<float>(s) / 32768.0f);
        const EspeakLanguage* known = espeakLanguage(m_description.language);
        applyGainLimited(out.audio, known ? known->gainDb : kGainDb);
        out.timing = timingOfEspeak(speech, utterance.text, spelled.origin, utterance.textBegin, m_description.language);
        return out;
    }

private:
    // Puts espeak's names of the sounds where IPA is to be said.
    Result<Writing> writeSounds(Respelling& spelled, const Utterance& utterance, std::vector<std::string>& notes,
                                const CancelToken& cancel)
    {
        Writing writing = Writing::Plain;
        for (std::size_t i = 0; i < spelled.replaced.size(); ++i) {
            const Replacement& wanted = utterance.replacements[spelled.replaced[i].index];
            if (!wanted.isSounds)
                continue;
            writing = Writing::WithMnemonics;
            if (!m_sounds.isKnown())
                LQ_CHECKED(m_sounds.learn(*m_phonemes, espeakVoiceName(m_description.language), cancel));
            std::vector<std::string> missing;
            const std::string names = m_sounds.mnemonics(wanted.text, m_description.language, missing);
            for (const std::string& sound : missing)
                notes.push_back(missingSoundNote(m_description, sound));
            const auto begin = static_cast<std::size_t>(wanted.begin), end = static_cast<std::size_t>(wanted.end);
            writeReplaced(spelled, i, names.empty() ? utterance.text.substr(begin, end - begin) : names);
        }
        return writing;
    }

    VoiceDescription m_description;
    std::shared_ptr<PhonemeClient> m_phonemes;
    EspeakSounds m_sounds;
};

} // namespace

Timing timingOfEspeak(const EspeakSpeech& speech, std::string_view sourceText, const std::vector<std::int32_t>& origin,
                      std::int32_t textBegin, std::string_view language)
{
    Timing out;
    out.language = language;
    out.source = TimingSource::Events;
    const double rate = speech.sampleRate;
    const auto total = static_cast<std::int64_t>(speech.pcm.size());
    out.durationSeconds = static_cast<double>(total) / rate;
    const std::int64_t spoken = std::min(total, speech.spokenSamples);
    std::vector<Word> words(speech.words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::int32_t begin = origin[static_cast<std::size_t>(speech.words[i].begin)];
        const std::int32_t end = origin[static_cast<std::size_t>(speech.words[i].end)];
        words[i].text = sourceText.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
        words[i].textBegin = textBegin + begin;
        words[i].textEnd = textBegin + end;
        words[i].start = words[i].end = -1;
    }
    std::int64_t last = 0; // end of the phonemes so far
    const auto add = [&](const EspeakSound* sound, std::int64_t end) {
        if (end <= last)
            return;
        const bool silence = !sound || sound->symbol.empty();
        Phoneme p;
        p.start = static_cast<double>(last) / rate;
        p.end = static_cast<double>(end) / rate;
        if (!silence) {
            p.symbol = sound->symbol;
            p.stressed = sound->stressed;
            if (sound->word >= 0) {
                Word& w = words[static_cast<std::size_t>(sound->word)];
                if (w.start < 0)
                    w.start = p.start;
                w.end = p.end;
            }
        }
        const bool joins = silence && !out.phonemes.empty() &&
                           (out.phonemes.back().symbol.empty() || (sound && end < total && p.end - p.start < kShortestSilence));
        if (joins)
            out.phonemes.back().end = p.end;
        else
            out.phonemes.push_back(std::move(p));
        last = end;
    };
    if (!speech.sounds.empty())
        add(nullptr, std::clamp<std::int64_t>(speech.sounds.front().sample, 0, total));
    for (std::size_t i = 0; i < speech.sounds.size(); ++i) {
        const std::int64_t end = i + 1 < speech.sounds.size() ? speech.sounds[i + 1].sample : spoken;
        add(&speech.sounds[i], std::clamp<std::int64_t>(end, 0, total));
    }
    add(nullptr, total);
    for (Word& w : words) {
        if (w.end > w.start && w.start >= 0)
            out.words.push_back(std::move(w));
    }
    return out;
}

std::vector<VoiceDescription> espeakDescriptions()
{
    std::vector<VoiceDescription> out;
    for (const EspeakLanguage& known : espeakLanguages())
        out.push_back(describe(std::string(known.language), std::string(known.name)));
    return out;
}

std::optional<VoiceDescription> espeakDescription(std::string_view id)
{
    constexpr std::string_view kPrefix = "espeak-";
    if (!id.starts_with(kPrefix) || id.size() == kPrefix.size())
        return std::nullopt;
    const std::string language = normalizedLanguage(id.substr(kPrefix.size()));
    const EspeakLanguage* known = espeakLanguage(language);
    return describe(language, known ? std::string(known->name) : language);
}

std::unique_ptr<Voice> openEspeakVoice(const VoiceDescription& description, std::shared_ptr<PhonemeClient> phonemes)
{
    return std::make_unique<EspeakVoice>(description, std::move(phonemes));
}

} // namespace loquor::speech
