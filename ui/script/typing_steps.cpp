#include "ui/script/typing_steps.h"

#include <algorithm>

namespace loquor::ui {

namespace {

bool endsSentence(QChar c)
{
    return QStringLiteral(".!?\u2026\u3002\uff01\uff1f\u061f").contains(c);
}

} // namespace

TextChange changeBetween(const QString& before, const QString& after, qsizetype caret)
{
    const qsizetype shorter = std::min(before.size(), after.size());
    qsizetype prefix = std::mismatch(before.begin(), before.begin() + shorter, after.begin()).first - before.begin();
    if (caret >= 0)
        prefix = std::min(prefix, std::max<qsizetype>(0, caret - std::max<qsizetype>(0, after.size() - before.size())));
    if (prefix > 0 && before.at(prefix - 1).isHighSurrogate())
        --prefix;
    qsizetype suffix = 0;
    while (suffix < shorter - prefix && before.at(before.size() - 1 - suffix) == after.at(after.size() - 1 - suffix))
        ++suffix;
    if (suffix > 0 && before.at(before.size() - suffix).isLowSurrogate())
        --suffix;
    return {prefix, before.size() - prefix - suffix, after.size() - prefix - suffix};
}

bool TypingSteps::begins(const TextChange& change, const QString& after)
{
    const auto one = [](qsizetype units) { return units == 1 || units == 2; }; // a character may have two
    const bool isTyping = change.removed == 0 && one(change.added);
    const bool isDeleting = change.added == 0 && one(change.removed);
    const QChar first = isTyping ? after.at(change.at) : QChar();
    bool begins = true;
    if (isTyping)
        begins = m_kind != Kind::Typing || change.at != m_place || first == QChar(u'\n') || (m_isSentenceOver && !first.isSpace());
    else if (isDeleting) // with Backspace to the left, with Delete to the right
        begins = m_kind != Kind::Deleting || (change.at + change.removed != m_place && change.at != m_place);
    const bool isTypedOver = change.removed > 0 && change.added <= 2 && !isDeleting; // what follows joins it
    m_kind = isTyping || isTypedOver ? Kind::Typing : isDeleting ? Kind::Deleting
                                                  : Kind::Whole;
    m_place = change.at + change.added;
    if (!isTyping)
        m_isSentenceOver = false;
    else if (first.isSpace())
        m_isSentenceOver = m_isSentenceOver || first == QChar(u'\n') || (change.at > 0 && endsSentence(after.at(change.at - 1)));
    else
        m_isSentenceOver = false;
    return begins;
}

} // namespace loquor::ui
