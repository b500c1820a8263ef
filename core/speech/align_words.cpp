#include "core/speech/align_words.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

#include "core/speech/ipa.h"
#include "core/speech/language.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

bool isReplacement(const SpokenSpan& span)
{
    return span.kind == SpanKind::Alias || span.kind == SpanKind::Ipa;
}

// What is said for the words of a span: one word, as long as they are.
AlignWord replacedWord(const ScriptLine& line, const SpokenSpan& span, std::string_view language)
{
    AlignWord out;
    out.isReplaced = true;
    out.begin = static_cast<std::int32_t>(line.sourceBegin) + span.textBegin;
    out.end = static_cast<std::int32_t>(line.sourceBegin) + span.textEnd;
    if (span.kind == SpanKind::Alias) {
        out.said = span.text;
        return out;
    }
    for (const auto& word : ipaWords(span.text, language))
        out.phonemes.insert(out.phonemes.end(), word.begin(), word.end());
    return out;
}

// Words between spaces, dashes and slashes, with spans in the script's source.
std::vector<AlignWord> wordsOf(const Script& script, std::span<const ScriptLine> lines)
{
    std::vector<AlignWord> out;
    for (const ScriptLine& line : lines) {
        bool open = false;
        auto span = std::find_if(line.spans.begin(), line.spans.end(), isReplacement);
        for (std::size_t i = 0; i < line.spoken.size();) {
            const std::size_t at = i;
            if (span != line.spans.end() && static_cast<std::size_t>(span->textBegin) <= at) {
                out.push_back(replacedWord(line, *span, script.language));
                open = false;
                i = std::max(at, static_cast<std::size_t>(span->textEnd));
                span = std::find_if(std::next(span), line.spans.end(), isReplacement);
                continue;
            }
            const char32_t c = nextCharacter(line.spoken, i);
            const bool ends = isSpace(c) || c == 0x2014 || c == 0x2013 || c == U'/';
            if (ends) {
                open = false;
                continue;
            }
            const bool sounds = isLetterOrDigit(c) || c == U'%';
            const bool sign = c == U'$' || c == 0x20AC || c == 0xA3; // in front of a number
            if (!open && !sounds && !sign)
                continue;
            const auto offset = [&](std::size_t byte) { return static_cast<std::int32_t>(line.sourceBegin + static_cast<std::int64_t>(byte)); };
            if (!open) {
                out.push_back({});
                out.back().begin = offset(at);
                open = true;
            }
            if (sounds || sign)
                out.back().end = offset(i);
        }
    }
    std::erase_if(out, [&](AlignWord& w) {
        w.text = script.source.substr(static_cast<std::size_t>(w.begin), static_cast<std::size_t>(w.end - w.begin));
        bool sounds = w.isReplaced;
        for (std::size_t i = 0; i < w.text.size();)
            sounds |= isLetterOrDigit(nextCharacter(w.text, i));
        return !sounds;
    });
    return out;
}

// Pronunciations in the context of their line, for stress and for words the dictionary does not know; words
// that espeak joins with others ("out of") are asked for alone.
Result<void> addPhonemes(const Script& script, std::span<const ScriptLine> lines, std::vector<AlignWord>& words,
                         PhonemeClient& client, const CancelToken& cancel)
{
    std::vector<std::string> texts;
    std::vector<std::int64_t> begins;
    for (const ScriptLine& line : lines) {
        texts.push_back(line.spoken);
        begins.push_back(line.sourceBegin);
    }
    const std::string voice = espeakVoiceName(script.language);
    LQ_TRY(const auto spoken, client.phonemes(voice, texts, cancel));
    std::size_t next = 0;
    for (std::size_t i = 0; i < spoken.size(); ++i) {
        for (const PhonemeWord& p : spoken[i]) {
            const auto begin = static_cast<std::int32_t>(begins[i] + p.begin), end = static_cast<std::int32_t>(begins[i] + p.end);
            while (next < words.size() && words[next].end <= begin)
                ++next;
            if (next < words.size() && !words[next].isReplaced && words[next].begin <= begin && end <= words[next].end)
                words[next].phonemes.insert(words[next].phonemes.end(), p.phonemes.begin(), p.phonemes.end());
        }
    }
    std::vector<std::string> alone;
    for (const AlignWord& w : words) {
        if (w.phonemes.empty())
            alone.push_back(w.said.empty() ? w.text : w.said);
    }
    if (alone.empty())
        return {};
    LQ_TRY(const auto single, client.phonemes(voice, alone, cancel));
    std::size_t k = 0;
    for (AlignWord& w : words) {
        if (!w.phonemes.empty())
            continue;
        for (const PhonemeWord& p : single[k])
            w.phonemes.insert(w.phonemes.end(), p.phonemes.begin(), p.phonemes.end());
        ++k;
    }
    return {};
}

} // namespace

Result<std::vector<AlignWord>> alignWordsOf(const Script& script, std::size_t firstLine, std::size_t endLine,
                                            PhonemeClient& client, const CancelToken& cancel)
{
    const auto lines = std::span(script.lines).subspan(firstLine, endLine - firstLine);
    auto words = wordsOf(script, lines);
    LQ_CHECKED(addPhonemes(script, lines, words, client, cancel));
    return words;
}

} // namespace loquor::speech
