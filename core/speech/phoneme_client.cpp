#include "core/speech/phoneme_client.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "core/base/json.h"
#include "core/base/log.h"
#include "core/platform/paths.h"
#include "core/speech/helper_process.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

using nlohmann::json;

std::vector<std::int16_t> decodePcm(const std::string& base64)
{
    static const auto kValues = [] {
        std::array<int, 256> table;
        table.fill(-1);
        const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        for (int i = 0; digits[i]; ++i)
            table[static_cast<unsigned char>(digits[i])] = i;
        return table;
    }();
    std::vector<std::int16_t> pcm;
    pcm.reserve(base64.size() * 3 / 8);
    std::uint32_t bits = 0;
    int count = 0;
    int low = -1; // low byte of a sample that waits for its high byte
    for (const char c : base64) {
        const int value = kValues[static_cast<unsigned char>(c)];
        if (value < 0)
            break;
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        count += 6;
        if (count < 8)
            continue;
        count -= 8;
        const int byte = static_cast<int>(bits >> count & 0xFF);
        if (low < 0) {
            low = byte;
        } else {
            pcm.push_back(static_cast<std::int16_t>(low | byte << 8));
            low = -1;
        }
    }
    return pcm;
}

// A run of text without spaces; Chinese characters are each one of their own.
struct Token
{
    std::int32_t begin = 0, end = 0; // without marks at either side
};

std::vector<Token> tokensOf(const std::string& text)
{
    std::vector<Token> out;
    bool open = false;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t at = i;
        const char32_t c = nextCharacter(text, i);
        if (isSpace(c)) {
            open = false;
        } else if (isLetterOrDigit(c)) {
            if (!open || isHan(c))
                out.push_back({static_cast<std::int32_t>(at), 0});
            out.back().end = static_cast<std::int32_t>(i);
            open = !isHan(c);
        } else if (!open) {
            continue; // a mark in front
        } else if (c == U'%' || c == U'$' || c == U'+') {
            out.back().end = static_cast<std::int32_t>(i);
        }
    }
    return out;
}

// Groups the word events by the token they begin in. `owner[i]`: index of the word that event i went to.
std::vector<PhonemeWord> mergeWords(const std::string& text, const json& events, std::vector<int>& owner)
{
    const auto tokens = tokensOf(text);
    std::vector<PhonemeWord> words;
    std::size_t lastToken = 0;
    std::size_t t = 0;
    for (const json& event : events) {
        const auto begin = event.at("begin").get<std::int32_t>();
        while (t + 1 < tokens.size() && tokens[t + 1].begin <= begin)
            ++t;
        // An event can point at a mark in front of its token ("$20").
        while (t + 1 < tokens.size() && tokens[t].end <= begin)
            ++t;
        const auto phonemes = event.at("phonemes").get<std::vector<std::string>>();
        if (words.empty() || tokens.empty() || t != lastToken) {
            PhonemeWord word;
            word.begin = tokens.empty() ? 0 : tokens[t].begin;
            word.end = tokens.empty() ? static_cast<std::int32_t>(text.size()) : tokens[t].end;
            // Tokens between two events were spoken with the first of them ("out of").
            if (!words.empty() && t > lastToken + 1)
                words.back().end = tokens[t - 1].end;
            words.push_back(std::move(word));
        }
        lastToken = t;
        owner.push_back(static_cast<int>(words.size()) - 1);
        auto& into = words.back().phonemes;
        into.insert(into.end(), phonemes.begin(), phonemes.end());
    }
    if (!words.empty() && !tokens.empty() && lastToken + 1 < tokens.size())
        words.back().end = tokens.back().end;
    return words;
}

// Stress marks are in the phonemes of the words only; sounds take them over where the counts agree.
void markStress(const json& events, EspeakSpeech& speech, const json& sounds)
{
    std::vector<std::vector<std::size_t>> soundsOfEvent(events.size());
    for (std::size_t i = 0; i < sounds.size(); ++i) {
        const int word = sounds[i].at("word");
        if (word >= 0 && static_cast<std::size_t>(word) < events.size() && !speech.sounds[i].symbol.empty())
            soundsOfEvent[static_cast<std::size_t>(word)].push_back(i);
    }
    for (std::size_t e = 0; e < events.size(); ++e) {
        const auto phonemes = events[e].at("phonemes").get<std::vector<std::string>>();
        if (phonemes.size() != soundsOfEvent[e].size())
            continue;
        for (std::size_t k = 0; k < phonemes.size(); ++k) {
            bool stressed = false;
            plainSymbol(phonemes[k], stressed);
            speech.sounds[soundsOfEvent[e][k]].stressed = stressed;
        }
    }
}

void addWriting(json& request, Writing writing)
{
    if (writing == Writing::WithMnemonics)
        request["mnemonics"] = true;
}

} // namespace

std::string plainSymbol(const std::string& espeakSymbol, bool& stressed)
{
    std::string out;
    stressed = false;
    for (std::size_t i = 0; i < espeakSymbol.size();) {
        const char32_t c = nextCharacter(espeakSymbol, i);
        const bool isMark = c == 0x2CC || c == U'-' || c == 0x2B0 || (c >= U'0' && c <= U'9'); // secondary stress, tones
        const bool isTail = (c == U'h' || c == 0x25C) && !out.empty(); // 0x25C: a tone of Vietnamese behind its vowel
        if (c == 0x2C8) // primary stress
            stressed = true;
        else if (c == U'.' && out.ends_with('s'))
            out.replace(out.size() - 1, 1, "ʂ");
        else if (c != U'.' && !isMark && !isTail)
            appendCharacter(out, c);
    }
    return out;
}

struct PhonemeClient::Impl
{
    PhonemeClientOptions options;
    mutable std::mutex mutex; // guards all below; held while a request is served
    HelperProcess process;
    int pid = -1;
    std::mutex pidMutex; // guards pid alone, so that helperPid() never waits for a request
    std::int64_t nextId = 1;

    void notePid()
    {
        std::lock_guard lock(pidMutex);
        pid = process.pid();
    }

    Result<json> once(const json& request, std::size_t textBytes, const CancelToken& cancel)
    {
        if (!process.isRunning()) {
            const auto program = options.program.empty() ? platform::programFolder() / "loquor-phonemes" : options.program;
            LQ_CHECKED(process.start(program));
        }
        notePid();
        const auto timeout = options.timeout + std::chrono::milliseconds(textBytes / 2);
        auto reply = process.exchange(request.dump(-1, ' ', false, json::error_handler_t::replace) + '\n', timeout,
                                      cancel);
        if (!reply) {
            process.stop();
            notePid();
            return fail(std::move(reply).error());
        }
        json answer = json::parse(*reply, nullptr, false);
        if (!answer.is_object() || answer.value("id", json()) != request.at("id") || !answer.contains("ok")) {
            process.stop();
            notePid();
            return fail(ErrorCode::Corrupt, "The phoneme helper gave an answer that makes no sense.");
        }
        if (answer["ok"] != true) {
            const std::string why = answer.value("error", "no reason given");
            const bool noVoice = why.find("has no voice") != std::string::npos;
            return fail(noVoice ? ErrorCode::InvalidArgument : ErrorCode::Internal,
                        (noVoice ? "The language is not known: " : "The phoneme helper refused: ") + why + '.');
        }
        return answer;
    }

    Result<json> ask(json request, std::size_t textBytes, const CancelToken& cancel)
    {
        std::lock_guard lock(mutex);
        request["id"] = nextId++;
        auto answer = once(request, textBytes, cancel);
        if (!answer && (answer.error().code() == ErrorCode::ConnectionLost)) {
            log(LogLevel::Info, "speech", "phoneme helper died; starting it again");
            answer = once(request, textBytes, cancel);
        }
        return answer;
    }
};

PhonemeClient::PhonemeClient(PhonemeClientOptions options) : m(std::make_unique<Impl>())
{
    m->options = std::move(options);
}

PhonemeClient::~PhonemeClient() = default;

int PhonemeClient::helperPid() const
{
    std::lock_guard lock(m->pidMutex);
    return m->pid;
}

Result<void> PhonemeClient::warmUp(const CancelToken& cancel)
{
    LQ_TRY(const json answer, m->ask({{"op", "hello"}}, 0, cancel));
    if (answer.value("protocol", 0) != 1)
        return fail(ErrorCode::Unsupported, "The phoneme helper speaks another protocol; it and this program are of "
                                            "different versions. Build or install both again.");
    return {};
}

Result<std::string> PhonemeClient::engineVersion(const CancelToken& cancel)
{
    LQ_TRY(const json answer, m->ask({{"op", "hello"}}, 0, cancel));
    return answer.value("engine", std::string("unknown"));
}

Result<std::vector<std::string>> PhonemeClient::voices(const CancelToken& cancel)
{
    LQ_TRY(const json answer, m->ask({{"op", "voices"}}, 0, cancel));
    std::vector<std::string> out;
    try {
        for (const json& v : answer.at("voices"))
            out.push_back(v.at("language"));
    } catch (const json::exception& e) {
        return fail(ErrorCode::Corrupt, std::string("The phoneme helper's answer cannot be read: ") + e.what() + '.');
    }
    return out;
}

Result<std::vector<std::vector<PhonemeWord>>> PhonemeClient::phonemes(const std::string& voice,
                                                                      std::span<const std::string> texts,
                                                                      const CancelToken& cancel, Writing writing)
{
    json list = json::array();
    std::size_t bytes = 0;
    for (const std::string& t : texts) {
        list.push_back(t);
        bytes += t.size();
    }
    json request{{"op", "phonemes"}, {"voice", voice}, {"texts", std::move(list)}};
    addWriting(request, writing);
    LQ_TRY(const json answer, m->ask(std::move(request), bytes, cancel));
    std::vector<std::vector<PhonemeWord>> out;
    try {
        for (const json& clause : answer.at("clauses")) {
            std::vector<int> owner;
            out.push_back(mergeWords(texts[std::min(out.size(), texts.size() - 1)], clause.at("words"), owner));
        }
    } catch (const json::exception& e) {
        return fail(ErrorCode::Corrupt, std::string("The phoneme helper's answer cannot be read: ") + e.what() + '.');
    }
    if (out.size() != texts.size())
        return fail(ErrorCode::Corrupt, "The phoneme helper answered for another number of texts.");
    return out;
}

Result<EspeakSpeech> PhonemeClient::speak(const std::string& voice, const std::string& text, const EspeakManner& manner,
                                          const CancelToken& cancel)
{
    json request{{"op", "speak"}, {"voice", voice}, {"text", text}, {"speed", manner.speed}};
    if (manner.pitch != 0)
        request["pitch"] = manner.pitch;
    addWriting(request, manner.writing);
    LQ_TRY(const json answer, m->ask(std::move(request), text.size(), cancel));
    EspeakSpeech out;
    try {
        out.sampleRate = answer.at("rate");
        out.pcm = decodePcm(answer.at("pcm").get_ref<const std::string&>());
        out.spokenSamples = static_cast<std::int64_t>(out.pcm.size());
        const json& events = answer.at("words");
        std::vector<int> owner;
        out.words = mergeWords(text, events, owner);
        out.wordSamples.assign(out.words.size(), -1);
        for (std::size_t i = 0; i < owner.size(); ++i) {
            auto& sample = out.wordSamples[static_cast<std::size_t>(owner[i])];
            if (sample < 0)
                sample = events[i].at("sample");
        }
        const json& sounds = answer.at("sounds");
        for (const json& s : sounds) {
            const int event = s.at("word");
            bool stressed = false;
            EspeakSound sound;
            sound.sample = s.at("sample");
            sound.word = event >= 0 && static_cast<std::size_t>(event) < owner.size()
                             ? owner[static_cast<std::size_t>(event)]
                             : -1;
            sound.symbol = plainSymbol(s.at("symbol"), stressed);
            out.sounds.push_back(std::move(sound));
        }
        markStress(events, out, sounds);
    } catch (const json::exception& e) {
        return fail(ErrorCode::Corrupt, std::string("The phoneme helper's answer cannot be read: ") + e.what() + '.');
    }
    return out;
}

} // namespace loquor::speech
