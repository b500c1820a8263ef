#include "core/speech/written_captions.h"

#include <algorithm>
#include <limits>
#include <memory>

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include "core/speech/caption_text.h"
#include "core/speech/caption_times.h"
#include "core/speech/language.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

// Words with a letter or digit, as ICU cuts them, in a text without directions.
std::vector<TextWord> cutWords(const std::string& text)
{
    std::vector<TextWord> out;
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<icu::BreakIterator> iterator(
        icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
    UText* source = utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status);
    if (U_SUCCESS(status)) {
        iterator->setText(source, status);
        int begin = iterator->first();
        for (int end = iterator->next(); end != icu::BreakIterator::DONE; begin = end, end = iterator->next()) {
            const auto from = static_cast<std::size_t>(begin), to = static_cast<std::size_t>(end);
            bool sounds = false;
            for (std::size_t at = from; at < to;)
                sounds |= isLetterOrDigit(nextCharacter(text, at));
            if (sounds)
                out.push_back({from, to, foldedText(std::string_view(text).substr(from, to - from))});
        }
    }
    utext_close(source);
    return out;
}

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// For each word of `written` the word of `said` it stands for; kNone: it was added.
class WordMatch
{
public:
    static std::vector<std::size_t> of(const std::vector<TextWord>& written, const std::vector<TextWord>& said)
    {
        constexpr std::size_t kMostCells = 16u << 20;
        if ((written.size() + 1) * (said.size() + 1) > kMostCells) { // of a length nobody edits by hand
            std::vector<std::size_t> out;
            for (std::size_t i = 0; i < written.size(); ++i)
                out.push_back(i * said.size() / written.size());
            return out;
        }
        return WordMatch(written, said).trace();
    }

private:
    WordMatch(const std::vector<TextWord>& written, const std::vector<TextWord>& said)
        : m_rows(written.size() + 1), m_columns(said.size() + 1), m_steps(m_rows * m_columns, kBoth)
    {
        std::vector<float> before(m_columns), now(m_columns);
        for (std::size_t j = 1; j < m_columns; ++j) {
            before[j] = static_cast<float>(j);
            m_steps[j] = kSaid;
        }
        for (std::size_t i = 1; i < m_rows; ++i) {
            now[0] = static_cast<float>(i);
            m_steps[i * m_columns] = kWritten;
            for (std::size_t j = 1; j < m_columns; ++j) {
                now[j] = before[j - 1] + (written[i - 1].folded == said[j - 1].folded ? 0.f : 1.1f);
                if (before[j] + 1 < now[j]) {
                    now[j] = before[j] + 1;
                    m_steps[i * m_columns + j] = kWritten;
                }
                if (now[j - 1] + 1 < now[j]) {
                    now[j] = now[j - 1] + 1;
                    m_steps[i * m_columns + j] = kSaid;
                }
            }
            std::swap(before, now);
        }
    }
    std::vector<std::size_t> trace() const
    {
        std::vector<std::size_t> out(m_rows - 1, kNone);
        for (std::size_t i = m_rows - 1, j = m_columns - 1; i > 0;) {
            const unsigned char step = m_steps[i * m_columns + j];
            if (step == kBoth)
                out[i - 1] = j - 1;
            i -= step != kSaid;
            j -= step != kWritten;
        }
        return out;
    }

    static constexpr unsigned char kBoth = 0, kWritten = 1, kSaid = 2; // whose next word it is
    std::size_t m_rows, m_columns;
    std::vector<unsigned char> m_steps;
};

Result<void> checkCaption(const std::string& text, std::size_t number)
{
    const std::string which = "Caption " + std::to_string(number + 1);
    if (firstInvalidUtf8(text))
        return fail(ErrorCode::InvalidArgument, which + " is not UTF-8.");
    bool isBlank = true;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = nextCharacter(text, at);
        if ((c < 0x20 && c != U'\n') || c == 0x7F)
            return fail(ErrorCode::InvalidArgument, which + " holds control characters.");
        isBlank = isBlank && isSpace(c);
    }
    if (isBlank)
        return fail(ErrorCode::EmptyInput, which + " is empty. Write what is to be read, or fewer captions.");
    return {};
}

// Lines trimmed, blanks single, empty lines left out.
std::string tidied(const std::string& text)
{
    std::string out;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string line;
        for (std::size_t at = begin; at < end;) {
            const std::size_t from = at;
            if (isSpace(nextCharacter(text, at)))
                line += line.empty() || line.back() == ' ' ? "" : " ";
            else
                line += text.substr(from, at - from);
        }
        const std::string_view kept = trimmed(line);
        if (!kept.empty())
            out += (out.empty() ? "" : "\n") + std::string(kept);
        begin = end + 1;
    }
    return out;
}

// When a byte of the text is said.
class ByteTimes
{
public:
    explicit ByteTimes(const Timing& timing) : m_words(timing.words) {}
    double at(std::size_t byte) const
    {
        const auto place = static_cast<std::int32_t>(byte);
        for (const Word& word : m_words) {
            if (word.textEnd <= place)
                continue;
            if (word.textBegin >= place)
                return word.start;
            return word.start + (word.end - word.start) * (place - word.textBegin) / (word.textEnd - word.textBegin);
        }
        return m_words.empty() ? 0 : m_words.back().end;
    }
    // When all before the byte has been said.
    double behind(std::size_t byte) const
    {
        const auto place = static_cast<std::int32_t>(byte);
        double out = m_words.empty() ? 0 : m_words.front().start;
        for (const Word& word : m_words) {
            if (word.textBegin >= place)
                break;
            out = word.textEnd <= place ? word.end
                                        : word.start + (word.end - word.start) * (place - word.textBegin) /
                                                           (word.textEnd - word.textBegin);
        }
        return out;
    }

private:
    const std::vector<Word>& m_words;
};

// Times of the written words: those of the words they stand for; added ones share what lies between.
std::vector<CaptionWord> timedWords(const std::vector<TextWord>& written, const std::vector<TextWord>& said, const ByteTimes& times,
                                    const CaptionCue& cue)
{
    const std::vector<std::size_t> match = WordMatch::of(written, said);
    std::vector<CaptionWord> out;
    for (std::size_t i = 0; i < written.size();) {
        if (match[i] != kNone) {
            const TextWord& word = said[match[i]];
            out.push_back({written[i].begin, written[i].end, times.at(word.begin), times.behind(word.end)});
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < written.size() && match[end] == kNone)
            ++end;
        const double from = out.empty() ? cue.start : out.back().end;
        const double to = std::max(from, end < written.size() ? times.at(said[match[end]].begin) : cue.end);
        const double each = (to - from) / static_cast<double>(end - i);
        for (std::size_t k = i; k < end; ++k)
            out.push_back({written[k].begin, written[k].end, from + each * static_cast<double>(k - i), from + each * static_cast<double>(k - i + 1)});
        i = end;
    }
    return out;
}

} // namespace

std::vector<TextWord> captionWords(std::string_view text)
{
    const ShownText shown = shownText(text, {});
    std::vector<TextWord> out = cutWords(shown.text);
    // Back to the source: the first byte that is shown there.
    for (TextWord& word : out) {
        const auto place = [&](std::size_t byte) {
            return static_cast<std::size_t>(std::upper_bound(shown.places.begin(), shown.places.end(), byte) - shown.places.begin()) - 1;
        };
        word.end = place(word.end - 1) + 1;
        word.begin = place(word.begin);
    }
    return out;
}

std::string captionWordsText(std::string_view text)
{
    std::string out;
    for (const TextWord& word : captionWords(text))
        out += (out.empty() ? "" : " ") + word.folded;
    return out;
}

Result<std::vector<WrittenCaption>> placedCaptions(const std::vector<std::string>& captions, std::string_view text)
{
    const std::vector<TextWord> said = captionWords(text);
    if (said.empty())
        return fail(ErrorCode::EmptyInput, "The line has no words that captions could follow.");
    if (captions.empty())
        return fail(ErrorCode::EmptyInput, "There is no caption.");
    if (captions.size() > said.size())
        return fail(ErrorCode::InvalidArgument, std::to_string(captions.size()) + " captions are more than the line has words (" +
                                                    std::to_string(said.size()) + ").");
    std::vector<WrittenCaption> out;
    std::vector<TextWord> written;
    std::vector<std::size_t> firsts; // of each caption in `written`
    for (std::size_t k = 0; k < captions.size(); ++k) {
        LQ_CHECKED(checkCaption(captions[k], k));
        out.push_back({tidied(captions[k]), 0});
        firsts.push_back(written.size());
        for (TextWord& word : cutWords(out.back().text))
            written.push_back(std::move(word));
    }
    firsts.push_back(written.size());
    const std::vector<std::size_t> match = WordMatch::of(written, said);
    for (std::size_t k = 1; k < out.size(); ++k) {
        // The first word of it that was found, less those in front of it that were not; what nobody wrote stays before.
        std::size_t i = firsts[k], last = 0;
        while (i < written.size() && match[i] == kNone)
            ++i;
        for (std::size_t before = 0; before < firsts[k]; ++before)
            last = match[before] == kNone ? last : match[before] + 1;
        const std::size_t found = i < written.size() ? match[i] : said.size();
        const std::size_t wanted = std::max(last, found - std::min(found, i - firsts[k]));
        out[k].firstWord = std::clamp(wanted, out[k - 1].firstWord + 1, said.size() - (out.size() - k));
    }
    return out;
}

std::vector<CaptionCue> writtenCaptions(const Timing& timing, std::string_view text,
                                        const std::vector<WrittenCaption>& captions, double until,
                                        const CaptionRules& rules)
{
    const std::string language = timing.language.empty() ? guessLanguage(text).language : normalizedLanguage(timing.language);
    const std::vector<TextWord> said = captionWords(text);
    const ByteTimes times(timing);
    std::vector<CaptionCue> out;
    for (std::size_t k = 0; k < captions.size() && !timing.words.empty(); ++k) {
        const std::size_t first = std::min(k == 0 ? 0 : captions[k].firstWord, said.size());
        const std::size_t end = k + 1 < captions.size() ? std::min(captions[k + 1].firstWord, said.size()) : said.size();
        if (first >= end)
            continue;
        CaptionCue cue;
        cue.start = times.at(said[first].begin);
        cue.end = std::max(cue.start + 0.001, times.behind(said[end - 1].end));
        cue.text = captions[k].text;
        if (cue.text.find('\n') == std::string::npos) {
            const BreakMap map(captions[k].text, language);
            const std::vector<std::size_t> ends = map.wrap(0, cue.text.size(), rules).ends;
            cue.text.clear();
            for (std::size_t begin = 0; const std::size_t line : ends) {
                cue.text += (cue.text.empty() ? "" : "\n") + std::string(trimmed(std::string_view(captions[k].text).substr(begin, line - begin)));
                begin = line;
            }
        }
        const auto from = said.begin();
        cue.words = timedWords(cutWords(cue.text),
                               {from + static_cast<std::ptrdiff_t>(first), from + static_cast<std::ptrdiff_t>(end)}, times, cue);
        out.push_back(std::move(cue));
    }
    setCaptionEnds(out, until, rules);
    return out;
}

} // namespace loquor::speech
