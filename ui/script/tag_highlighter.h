// Shows tags ([smile], [pause 0.5s]) apart from what is said, and unknown ones as such.
#pragma once

#include <QSet>
#include <QSyntaxHighlighter>

namespace loquor::ui {

class TagHighlighter : public QSyntaxHighlighter
{
    Q_OBJECT

public:
    explicit TagHighlighter(QTextDocument* document);

    // What the text between brackets can begin with; for completion, too.
    static QStringList knownTags();

protected:
    void highlightBlock(const QString& text) override;
};

} // namespace loquor::ui
