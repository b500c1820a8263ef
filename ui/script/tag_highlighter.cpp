#include "ui/script/tag_highlighter.h"

#include <QGuiApplication>
#include <QPalette>

#include "core/speech/script_markup.h"
#include "ui/script/line_spans.h"
#include "ui/widgets/look.h"

namespace loquor::ui {

TagHighlighter::TagHighlighter(QTextDocument* document) : QSyntaxHighlighter(document) {}

QStringList TagHighlighter::knownTags()
{
    QStringList out{QStringLiteral("pause 0.5s"), QStringLiteral("emphasis"), QStringLiteral("slow"), QStringLiteral("fast"),
                    QStringLiteral("say \"\" as \"\"")};
    for (const std::string& name : speech::knownDirections())
        out += QString::fromStdString(name);
    out.sort();
    return out;
}

void TagHighlighter::highlightBlock(const QString& text)
{
    if (!text.contains(QLatin1Char('[')))
        return;
    const QPalette palette = QGuiApplication::palette();
    QTextCharFormat known, unknown;
    known.setForeground(palette.color(QPalette::Link));
    unknown.setForeground(colourOf(Look::Stale, palette));
    unknown.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    const std::string utf8 = text.toStdString();
    for (std::size_t at = utf8.find('['); at != std::string::npos; at = utf8.find('[', at + 1)) {
        const std::size_t length = speech::tagLength(utf8, at);
        if (length == 0)
            continue;
        const auto tag = speech::readTag(std::string_view(utf8).substr(at + 1, length - 2));
        const int begin = unitsOf(std::string_view(utf8).substr(0, at));
        const int units = unitsOf(std::string_view(utf8).substr(at, length));
        setFormat(begin, units, tag.kind == speech::TagKind::None || !tag.problem.empty() ? unknown : known);
        at += length - 1;
    }
}

} // namespace loquor::ui
