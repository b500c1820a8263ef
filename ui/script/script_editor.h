// The script box: the lines as one text, with their states in the margin, tags in colour, and the word that is said.
// The lines' undo is the project's, so that a line that comes back is the line it was, with its takes; the plain box
// keeps its own while it has the focus.
#pragma once

#include <memory>
#include <vector>

#include <QPlainTextEdit>

#include "ui/models/timeline_layout.h"
#include "ui/script/line_spans.h"
#include "ui/script/typing_steps.h"

class QCompleter;
class QMenu;

namespace loquor::ui {

class LineMargin;
class TagHighlighter;

class ScriptEditor : public QPlainTextEdit
{
    Q_OBJECT

public:
    // Lines or not: a box without them (the words of a recording) has no margin.
    enum class Kind {
        Plain = 1,
        Lines,
    };
    explicit ScriptEditor(QWidget* parent = nullptr, Kind kind = Kind::Plain);

    // Shows `text` unless it is what the user just typed.
    void showText(const QString& text);
    // Where the lines lie and how it stands with them; lines that no document has are not marked.
    void setLines(std::vector<LineSpan> spans, std::shared_ptr<const TimelineLayout> layout);
    // The word that is said: units of the text; begin = end: none.
    void setSaid(int begin, int end);
    std::pair<int, int> said() const { return {m_saidBegin, m_saidEnd}; }
    // Moves the caret to the beginning of this line.
    void goToLine(std::uint64_t line);
    std::uint64_t currentLine() const; // 0 = none

    // A visible row in which a line begins; of several the one most in need of attention.
    struct Row
    {
        std::uint64_t line = 0;
        int number = 0;
        double top = 0, height = 0;
        Look look = Look::New;
        QString tip;
    };
    std::vector<Row> rows() const;
    std::size_t rowsShown() const { return m_spans.size(); }
    // What the context menu speaks of at this place of the viewport: the selected phrase, or the word; "" = none.
    QString wordAt(const QPoint& place) const;
    // To be shown there; belongs to the caller.
    QMenu* makeContextMenu(const QPoint& place);
    void pasteFrom(const QMimeData& source) { insertFromMimeData(&source); }
    QCompleter* completer() const { return m_completer; }

Q_SIGNALS:
    void stepBegins(); // before edited(): this edit is an undo step of its own
    void edited(const QString& text);
    void editingFinished();
    // A file was dropped on the box.
    void fileDropped(const QString& path);
    // The caret is in another line; 0 = none.
    void lineEntered(quint64 line);
    // A place in a line was clicked (units from the line's start), or the line's sign (0).
    void placeClicked(quint64 line, int units);
    // SSML that was pasted became script text, or stays as it was because it cannot be read: why.
    void ssmlRead(const QString& message, bool isComplete);
    // How this word (or what is selected, if that is a phrase) is said, is asked for.
    void pronunciationRequested(const QString& word);

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool canInsertFromMimeData(const QMimeData* source) const override;
    void insertFromMimeData(const QMimeData* source) override;

private:
    void placeMargin();
    void mark();
    void followCaret();
    void complete();
    void insertTag(const QString& tag);

    QString m_known; // last text that was typed or shown
    bool m_showing = false;
    TypingSteps m_steps;
    std::vector<LineSpan> m_spans;
    std::shared_ptr<const TimelineLayout> m_layout = std::make_shared<const TimelineLayout>();
    int m_saidBegin = 0, m_saidEnd = 0;
    std::uint64_t m_current = 0, m_kept = 0;
    LineMargin* m_margin = nullptr;
    TagHighlighter* m_highlighter = nullptr;
    QCompleter* m_completer = nullptr;
};

} // namespace loquor::ui
