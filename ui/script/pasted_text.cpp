#include "ui/script/pasted_text.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include "core/speech/ssml.h"

namespace loquor::ui {

namespace {

constexpr std::size_t kShownIssues = 4;

QString translated(const char* text, int count = -1)
{
    return QCoreApplication::translate("PastedText", text, nullptr, count);
}

// Something that only SSML has.
bool holdsElements(const QString& text)
{
    static const QRegularExpression element(
        QStringLiteral("<(break|emphasis|phoneme|prosody|say-as|sub|voice|lang)(\\s[^<>]*)?/?>"), QRegularExpression::CaseInsensitiveOption);
    return text.contains(element);
}

QString listed(const std::vector<speech::ScriptIssue>& issues)
{
    QStringList out;
    const std::vector<std::string> texts = speech::issueTexts(issues);
    for (std::size_t i = 0; i < std::min(kShownIssues, texts.size()); ++i)
        out += QString::fromStdString(texts[i]);
    if (texts.size() > kShownIssues)
        out += translated(QT_TRANSLATE_N_NOOP("PastedText", "And %n more."), static_cast<int>(texts.size() - kShownIssues));
    return out.join(QLatin1Char('\n'));
}

} // namespace

PastedText pastedText(const QString& text)
{
    std::string source = text.toStdString();
    if (!speech::looksLikeSsml(source)) {
        if (!holdsElements(text))
            return {text, {}, true};
        source = "<speak>" + source + "</speak>";
    }
    const auto made = speech::scriptFromSsml(source);
    if (!made)
        return {text, translated(QT_TRANSLATE_NOOP("PastedText", "The SSML cannot be read and stays as it is: %1")).arg(QString::fromStdString(made.error().message())), false};
    const QString result = QString::fromStdString(made->text);
    if (made->issues.empty())
        return {result, translated(QT_TRANSLATE_NOOP("PastedText", "The SSML has become text with tags.")), true};
    return {result, translated(QT_TRANSLATE_NOOP("PastedText", "The SSML has become text with tags. Not all of it was understood:")) + QLatin1Char('\n') + listed(made->issues), false};
}

} // namespace loquor::ui
