// Where the text of captions can be broken, and how much it hurts. Internal to this folder.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/speech/captions.h"

namespace loquor::speech {

// What of a text is shown: directions left out, white space made single spaces.
struct ShownText
{
    std::string text;
    std::vector<std::size_t> places; // of each byte of the source, and of its end, in `text`
};
ShownText shownText(std::string_view source, std::string_view language);

// A full-width character counts as two, marks that join the one before as none.
int columnsOf(std::string_view text);
// The ends of what readers take for one letter each.
std::vector<std::size_t> letterEnds(const std::string& text);
// Letters of an alphabet on both sides of this byte, so that a break there wants a hyphen.
bool isInsideWord(const std::string& text, std::size_t at);
// Without blanks at the ends.
std::string_view trimmed(std::string_view text);

// A place where a line may end.
struct TextBreak
{
    std::size_t at = 0;  // byte behind it
    double hurt = 0;     // 0 behind a sentence .. 100 where it would be wrong
    bool isSentence = false;
};

// All places of a text, its end included. Texts are what shownText gives, or have its form.
class BreakMap
{
public:
    BreakMap(const std::string& text, std::string_view language);

    const std::vector<TextBreak>& breaks() const { return m_breaks; }
    // The break at this byte; null where a line cannot end.
    const TextBreak* at(std::size_t byte) const;
    // Columns of [begin, end), blanks at the ends not counted; both are breaks (or 0).
    int columns(std::size_t begin, std::size_t end) const;

    // Lines of [begin, end): in as few as possible, none broken where it hurts if that can be avoided, even in length.
    struct Wrapped
    {
        std::vector<std::size_t> ends; // of the lines, the last one is `end`
        double hurt = 0;
        bool fits = true;              // every line within the columns
    };
    Wrapped wrap(std::size_t begin, std::size_t end, const CaptionRules& rules) const;

private:
    std::size_t indexAfter(std::size_t byte) const; // of the first break behind it
    int columnsBefore(std::size_t byte) const;

    const std::string& m_text;
    std::vector<TextBreak> m_breaks;
    std::vector<int> m_columns; // of text[0, byte)
};

} // namespace loquor::speech
