// Where typing falls into undo steps.
#pragma once

#include <QString>

namespace loquor::ui {

// What one change replaces: `removed` units at `at` by `added` units.
struct TextChange
{
    qsizetype at = 0, removed = 0, added = 0;
};
// The smallest change that makes `after` of `before`; never inside a surrogate pair. `caret`: where it stands in `after`,
// which tells the doubled letter that was typed from the one that was there; -1: nobody typed.
TextChange changeBetween(const QString& before, const QString& after, qsizetype caret = -1);

// Told every change, says which begin a step of their own: other places, the turn from typing to deleting, the first
// word behind a sentence, a new paragraph, and all that is more than one character (pasted, replaced, cut).
class TypingSteps
{
public:
    bool begins(const TextChange& change, const QString& after);
    void end() { m_kind = Kind::None; } // the next change begins a step

private:
    enum class Kind {
        None = 1,
        Typing,
        Deleting,
        Whole, // nothing joins it
    };
    Kind m_kind = Kind::None;
    qsizetype m_place = 0;          // where the next character joins
    bool m_isSentenceOver = false;
};

} // namespace loquor::ui
