#include "core/speech/sphinx_aligner.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>
#include <utility>

#include <pocketsphinx.h>

#include "core/speech/arpabet.h"
#include "core/speech/audio_features.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

constexpr int kRate = 16000;
constexpr double kWholeSeconds = 46;   // up to here at once; longer recordings in windows
constexpr double kFastestWordsPerSecond = 4.5;
constexpr int kShortestPause = 20; // frames

// A word as the decoder found it; frames of 10 ms from the start of the recording.
struct FoundPhone
{
    std::string name;
    int begin = 0, end = 0;
};
struct FoundWord
{
    std::size_t word = 0; // index into the words of the text
    int begin = 0, end = 0;
    double score = 0; // log likelihood for each frame, as the decoder scales it
    std::vector<FoundPhone> phones;
};

struct FreeDecoder
{
    void operator()(ps_decoder_t* p) const { ps_free(p); }
};

std::string plainWord(std::string_view text)
{
    std::string out;
    const std::string folded = foldedText(text);
    for (std::size_t i = 0; i < folded.size();) {
        const char32_t c = nextCharacter(folded, i);
        if (c == U'\'' || c == 0x2019)
            out += '\'';
        else if (isLetterOrDigit(c))
            appendCharacter(out, c);
    }
    while (out.starts_with('\''))
        out.erase(0, 1);
    while (out.ends_with('\''))
        out.pop_back();
    return out;
}

tl::unexpected<Error> lostBetween(std::size_t begin, std::size_t end)
{
    return fail(ErrorCode::InvalidArgument,
                "The words cannot be found in the recording between " + std::to_string(begin / kRate) + " s and " +
                    std::to_string(end / kRate) + " s; check that the text is what is said.");
}

// 1 for what fits, 0.5 at the border between right and wrong words, measured on both.
float confidenceOf(double scorePerFrame)
{
    return static_cast<float>(1 / (1 + std::exp(-(scorePerFrame + 45) / 9)));
}

// Words and sounds from 0 to `duration`.
Timing timingOf(const std::vector<FoundWord>& found, const std::vector<AlignWord>& words, double duration)
{
    Timing out;
    out.language = "en-us";
    out.source = TimingSource::Alignment;
    out.durationSeconds = duration;
    const auto seconds = [&](int frame) { return std::min(frame * kFrameSeconds, out.durationSeconds); };
    const auto addPhoneme = [&](const std::string& symbol, double end, float confidence, bool stressed) {
        const double start = out.phonemes.empty() ? 0 : out.phonemes.back().end;
        if (end <= start + 1e-9)
            return;
        Phoneme p{symbol, start, end, confidence, stressed};
        out.phonemes.push_back(std::move(p));
    };
    for (const FoundWord& f : found) {
        const AlignWord& source = words[f.word];
        Word w{source.text, seconds(f.begin), seconds(f.end), source.begin, source.end, confidenceOf(f.score)};
        if (w.end <= w.start)
            continue;
        addPhoneme("", w.start, 1, false);
        // The stressed vowel by its number among the vowels of espeak's pronunciation.
        int vowel = -1, stressedVowel = -1;
        for (const std::string& p : source.phonemes) {
            bool stressed = false;
            plainSymbol(p, stressed);
            for (const std::string& phone : arpabetOfIpa(p)) {
                if (!isArpabetVowel(phone))
                    continue;
                ++vowel;
                if (stressed && stressedVowel < 0)
                    stressedVowel = vowel;
            }
        }
        int number = -1;
        for (const FoundPhone& p : f.phones) {
            number += isArpabetVowel(p.name);
            const bool stressed = isArpabetVowel(p.name) && number == stressedVowel;
            // Unstressed AH is the weak vowel.
            const std::string symbol = p.name == "AH" && !stressed ? "ə" : ipaOfArpabet(p.name);
            addPhoneme(symbol, seconds(p.end), w.confidence, stressed);
        }
        out.words.push_back(std::move(w));
    }
    addPhoneme("", out.durationSeconds, 1, false);
    return out;
}

} // namespace

struct SphinxAligner::Impl
{
    std::unique_ptr<ps_decoder_t, FreeDecoder> decoder;
    std::map<std::string, std::string> added; // phones -> name, of words that were added to the dictionary

    // Name of each word in the dictionary; adds those that are not there.
    Result<std::vector<std::string>> dictionaryNames(const std::vector<AlignWord>& words);
    std::string knownName(const AlignWord& word);
    std::string phonesOf(const AlignWord& word);
    Result<void> decode(const AudioBlock& audio, std::size_t begin, std::size_t end, const CancelToken& cancel);
    Result<std::vector<FoundWord>> alignStretch(const AudioBlock& audio, std::size_t begin, std::size_t end,
                                                const std::vector<std::string>& names, std::size_t firstWord,
                                                std::size_t count, const CancelToken& cancel);
    Result<std::size_t> countSpoken(const AudioBlock& audio, std::size_t begin, std::size_t end,
                                    const std::vector<std::string>& names, std::size_t firstWord, std::size_t count,
                                    const CancelToken& cancel);
    Result<std::vector<FoundWord>> alignLong(const AudioBlock& audio, const std::vector<std::string>& names,
                                             const CancelToken& cancel);

    struct WindowEnd
    {
        std::size_t end = 0; // sample
        bool atPause = false;
    };
    static WindowEnd windowEnd(std::size_t begin, const std::vector<FrameRange>& pauses, WindowLimits limits);
    struct Window
    {
        std::vector<FoundWord> found;
        std::size_t next = 0; // sample where the window after it begins
    };
    Result<Window> alignNext(const AudioBlock& audio, std::size_t begin, WindowEnd window,
                             const std::vector<std::string>& names, std::size_t word, const CancelToken& cancel);
    Result<void> reset();
};

// Of a word that is in the dictionary as it is said; else empty.
std::string SphinxAligner::Impl::knownName(const AlignWord& word)
{
    if (word.isReplaced && (word.said.empty() || word.said.find(' ') != std::string::npos))
        return {};
    std::string name = plainWord(word.isReplaced ? word.said : word.text);
    const bool spelled = std::any_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    char* known = spelled || name.empty() ? nullptr : ps_lookup_word(decoder.get(), name.c_str());
    std::free(known);
    return known ? name : std::string();
}

// Of several words that are said for one the dictionary's phones, if it has all of them; else espeak's.
std::string SphinxAligner::Impl::phonesOf(const AlignWord& word)
{
    std::string phones;
    std::istringstream said(word.said);
    for (std::string part; said >> part;) {
        AlignWord one;
        one.text = part;
        const std::string name = knownName(one);
        if (name.empty()) {
            phones.clear();
            break;
        }
        char* known = ps_lookup_word(decoder.get(), name.c_str());
        phones += (phones.empty() ? "" : " ") + std::string(known);
        std::free(known);
    }
    if (!phones.empty())
        return phones;
    for (const std::string& p : word.phonemes) {
        for (const std::string& phone : arpabetOfIpa(p))
            phones += (phones.empty() ? "" : " ") + phone;
    }
    return phones;
}

Result<std::vector<std::string>> SphinxAligner::Impl::dictionaryNames(const std::vector<AlignWord>& words)
{
    std::vector<std::string> names;
    for (const AlignWord& w : words) {
        if (std::string name = knownName(w); !name.empty()) {
            names.push_back(std::move(name));
            continue;
        }
        const std::string phones = phonesOf(w);
        if (phones.empty())
            return fail(ErrorCode::InvalidArgument, "The word '" + w.text + "' cannot be pronounced in English.");
        auto& entry = added[phones];
        if (entry.empty()) {
            entry = "loquor" + std::to_string(added.size());
            // Without updating searches: the next stretch makes a new one.
            if (ps_add_word(decoder.get(), entry.c_str(), phones.c_str(), 0) < 0)
                return fail(ErrorCode::Internal, "The word '" + w.text + "' (" + phones + ") cannot be added to the dictionary.");
        }
        names.push_back(entry);
    }
    return names;
}

Result<void> SphinxAligner::Impl::decode(const AudioBlock& audio, std::size_t begin, std::size_t end,
                                         const CancelToken& cancel)
{
    if (cancel.isCancelled())
        return cancelled();
    if (ps_start_utt(decoder.get()) < 0)
        return fail(ErrorCode::Internal, "The speech decoder cannot start.");
    std::vector<std::int16_t> pcm;
    pcm.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i)
        pcm.push_back(static_cast<std::int16_t>(std::lround(std::clamp(audio.samples[i], -1.0f, 1.0f) * 32767.0f)));
    // All in one call: the decoder then normalises over the whole stretch, which is more exact than the
    // running estimate it makes of blocks.
    ps_process_raw(decoder.get(), pcm.data(), pcm.size(), 0, 1);
    ps_end_utt(decoder.get());
    return {};
}

// Words [firstWord, firstWord + count) must be all that is said in samples [begin, end).
Result<std::vector<FoundWord>> SphinxAligner::Impl::alignStretch(const AudioBlock& audio, std::size_t begin,
                                                                 std::size_t end, const std::vector<std::string>& names,
                                                                 std::size_t firstWord, std::size_t count,
                                                                 const CancelToken& cancel)
{
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += (i ? " " : "") + names[firstWord + i];
    const auto lost = [&] { return lostBetween(begin, end); };
    if (ps_set_align_text(decoder.get(), text.c_str()) < 0)
        return lost();
    LQ_CHECKED(decode(audio, begin, end, cancel));
    if (!ps_get_hyp(decoder.get(), nullptr) || ps_set_alignment(decoder.get(), nullptr) < 0)
        return lost();
    LQ_CHECKED(decode(audio, begin, end, cancel));
    ps_alignment_t* alignment = ps_get_alignment(decoder.get());
    if (!alignment)
        return lost();
    const int offset = static_cast<int>(begin * 100 / kRate);
    std::vector<FoundWord> found;
    for (ps_alignment_iter_t* w = ps_alignment_words(alignment); w; w = ps_alignment_iter_next(w)) {
        const std::string_view name = ps_alignment_iter_name(w);
        if (name.starts_with('<') || name.starts_with('[') || name.starts_with('+'))
            continue;
        int start = 0, duration = 0;
        const int score = ps_alignment_iter_seg(w, &start, &duration);
        FoundWord word;
        word.word = firstWord + found.size();
        word.begin = offset + start;
        word.end = offset + start + duration;
        word.score = static_cast<double>(score) / std::max(1, duration);
        for (ps_alignment_iter_t* p = ps_alignment_iter_children(w); p; p = ps_alignment_iter_next(p)) {
            ps_alignment_iter_seg(p, &start, &duration);
            word.phones.push_back({ps_alignment_iter_name(p), offset + start, offset + start + duration});
        }
        found.push_back(std::move(word));
    }
    if (found.size() != count)
        return lost();
    return found;
}

// How many of the next `count` words are said in samples [begin, end): a grammar that may stop after each.
Result<std::size_t> SphinxAligner::Impl::countSpoken(const AudioBlock& audio, std::size_t begin, std::size_t end,
                                                     const std::vector<std::string>& names, std::size_t firstWord,
                                                     std::size_t count, const CancelToken& cancel)
{
    std::string grammar = "#JSGF V1.0; grammar g; public <s> = ";
    for (std::size_t i = 0; i < count; ++i)
        grammar += (i ? " [ " : "") + names[firstWord + i];
    for (std::size_t i = 1; i < count; ++i)
        grammar += " ]";
    grammar += " ;";
    if (ps_add_jsgf_string(decoder.get(), "window", grammar.c_str()) < 0 ||
        ps_activate_search(decoder.get(), "window") < 0)
        return fail(ErrorCode::Internal, "The grammar of a window cannot be built.");
    LQ_CHECKED(decode(audio, begin, end, cancel));
    std::size_t spoken = 0;
    if (const char* hypothesis = ps_get_hyp(decoder.get(), nullptr)) {
        bool inWord = false;
        for (; *hypothesis; ++hypothesis) {
            const bool letter = *hypothesis != ' ';
            spoken += letter && !inWord;
            inWord = letter;
        }
    }
    return spoken;
}

// Where the window that begins at `begin` ends, and whether in a pause: the longest one in reach.
SphinxAligner::Impl::WindowEnd SphinxAligner::Impl::windowEnd(std::size_t begin, const std::vector<FrameRange>& pauses,
                                                              WindowLimits limits)
{
    const int start = static_cast<int>(begin * 100 / kRate);
    const int from = start + static_cast<int>(limits.shortest * 100), to = start + static_cast<int>(limits.longest * 100);
    FrameRange best;
    for (const FrameRange& p : pauses) {
        const int middle = (p.begin + p.end) / 2;
        if (middle >= from && middle <= to && p.length() > best.length())
            best = p;
    }
    if (best.length() > 0)
        return {static_cast<std::size_t>((best.begin + best.end) / 2) * kRate / 100, true};
    return {begin + static_cast<std::size_t>(limits.shortest * kRate), false};
}

// The words from `word` on that are said in the window; none when nothing of them can be found there.
Result<SphinxAligner::Impl::Window> SphinxAligner::Impl::alignNext(const AudioBlock& audio, std::size_t begin,
                                                                   WindowEnd window, const std::vector<std::string>& names,
                                                                   std::size_t word, const CancelToken& cancel)
{
    const double seconds = static_cast<double>(window.end - begin) / kRate;
    const auto most = std::min(names.size() - word, static_cast<std::size_t>(seconds * kFastestWordsPerSecond) + 4);
    LQ_TRY(std::size_t spoken, countSpoken(audio, begin, window.end, names, word, most, cancel));
    spoken = std::min(spoken, most);
    if (spoken == 0)
        return Window{{}, window.end};
    LQ_TRY(auto found, alignStretch(audio, begin, window.end, names, word, spoken, cancel));
    std::size_t next = window.end;
    if (!window.atPause && found.size() > 3) {
        // The last words may be cut: leave them to the next window.
        found.resize(found.size() - 2);
        next = static_cast<std::size_t>(found.back().end) * kRate / 100;
    }
    return Window{std::move(found), next};
}

// Window by window: each ends in a pause, and the decoder says how far the text got.
Result<std::vector<FoundWord>> SphinxAligner::Impl::alignLong(const AudioBlock& audio,
                                                              const std::vector<std::string>& names,
                                                              const CancelToken& cancel)
{
    const auto pauses = silentRuns(silentFrames(frameEnergies(audio)), kShortestPause);
    const WindowLimits limits;
    std::vector<FoundWord> all;
    std::size_t begin = 0, word = 0;
    const std::size_t total = audio.samples.size();
    while (word < names.size()) {
        const double left = static_cast<double>(total - begin) / kRate;
        if (left <= limits.longest) {
            LQ_TRY(auto rest, alignStretch(audio, begin, total, names, word, names.size() - word, cancel));
            all.insert(all.end(), rest.begin(), rest.end());
            break;
        }
        const WindowEnd end = windowEnd(begin, pauses, limits);
        LQ_TRY(Window window, alignNext(audio, begin, end, names, word, cancel));
        if (window.found.empty())
            return lostBetween(begin, end.end);
        word += window.found.size();
        begin = window.next;
        all.insert(all.end(), window.found.begin(), window.found.end());
    }
    return all;
}

SphinxAligner::SphinxAligner() : m(std::make_unique<Impl>()) {}
SphinxAligner::~SphinxAligner() = default;

Result<void> SphinxAligner::load(const std::filesystem::path& modelFolder)
{
    if (m->decoder)
        return {};
    const std::string model = (modelFolder / "en-us").string();
    const std::string dictionary = (modelFolder / "cmudict-en-us.dict").string();
    std::error_code code;
    for (const auto& file : {model, dictionary}) {
        if (!std::filesystem::exists(file, code))
            return fail(ErrorCode::NotFound, "The English acoustic model " + file +
                                                 " is missing. Run packaging/setup.sh to install it.");
    }
    ps_config_t* config = ps_config_init(nullptr);
    ps_config_set_str(config, "loglevel", "FATAL");
    ps_config_set_str(config, "hmm", model.c_str());
    ps_config_set_str(config, "dict", dictionary.c_str());
    ps_config_set_str(config, "lm", nullptr);
    // Over each stretch alone, so that a result does not depend on what was aligned before it.
    ps_config_set_str(config, "cmn", "batch");
    ps_config_set_bool(config, "bestpath", 0);
    ps_config_set_bool(config, "backtrace", 0);
    m->decoder.reset(ps_init(config));
    ps_config_free(config);
    if (!m->decoder)
        return fail(ErrorCode::Corrupt, "The English acoustic model in " + modelFolder.string() +
                                            " cannot be loaded. Run packaging/setup.sh to install it again.");
    return {};
}

Result<void> SphinxAligner::Impl::reset()
{
    // A new front end: the old one carries levels over from the recording before.
    if (ps_reinit_feat(decoder.get(), nullptr) < 0)
        return fail(ErrorCode::Internal, "The speech decoder cannot be reset.");
    return {};
}

Result<Timing> SphinxAligner::align(const AudioBlock& audio, const std::vector<AlignWord>& words,
                                    const CancelToken& cancel)
{
    LQ_CHECKED(m->reset());
    LQ_TRY(const auto names, m->dictionaryNames(words));
    std::vector<FoundWord> found;
    if (audio.seconds() <= kWholeSeconds) {
        LQ_TRY(found, m->alignStretch(audio, 0, audio.samples.size(), names, 0, names.size(), cancel));
    } else {
        LQ_TRY(found, m->alignLong(audio, names, cancel));
    }
    return timingOf(found, words, audio.seconds());
}

Result<AlignWindow> SphinxAligner::alignWindow(const AudioBlock& audio, const std::vector<AlignWord>& words,
                                               WindowLimits limits, bool isLast, const CancelToken& cancel)
{
    LQ_CHECKED(m->reset());
    LQ_TRY(const auto names, m->dictionaryNames(words));
    Impl::Window window;
    const bool fits = static_cast<double>(words.size()) <= audio.seconds() * kFastestWordsPerSecond + 4;
    if (isLast && audio.seconds() <= limits.longest && fits) {
        // All of the text that is left, if it fits; else what can be heard of it.
        auto rest = m->alignStretch(audio, 0, audio.samples.size(), names, 0, names.size(), cancel);
        if (!rest && rest.error().isCancelled())
            return fail(std::move(rest).error());
        if (rest) {
            window = {std::move(*rest), audio.samples.size()};
        } else {
            LQ_TRY(window, m->alignNext(audio, 0, {audio.samples.size(), true}, names, 0, cancel));
        }
    } else if (isLast && audio.seconds() <= limits.longest) {
        LQ_TRY(window, m->alignNext(audio, 0, {audio.samples.size(), true}, names, 0, cancel));
    } else {
        const auto pauses = silentRuns(silentFrames(frameEnergies(audio)), kShortestPause);
        LQ_TRY(window, m->alignNext(audio, 0, Impl::windowEnd(0, pauses, limits), names, 0, cancel));
    }
    AlignWindow out;
    out.words = window.found.size();
    out.samples = window.next;
    if (out.words > 0)
        out.timing = timingOf(window.found, words, static_cast<double>(window.next) / kRate);
    return out;
}

} // namespace loquor::speech
