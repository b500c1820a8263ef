#include "ui/script/script_editor.h"

#include <algorithm>
#include <utility>

#include <QAbstractItemView>
#include <QCompleter>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMimeData>
#include <QScrollBar>
#include <QTextBlock>
#include <QUrl>

#include "ui/script/line_margin.h"
#include "ui/script/pasted_text.h"
#include "ui/script/tag_highlighter.h"
#include "ui/widgets/look.h"

namespace loquor::ui {

namespace {

constexpr int kLongestTag = 40, kLongestPhrase = 60;

// What needs the user most is what a row with several lines shows.
int urgencyOf(Look look)
{
    switch (look) {
    case Look::Failed: return 6;
    case Look::Rendering: return 5;
    case Look::Stale: return 4;
    case Look::Partial: return 3;
    case Look::New: return 2;
    case Look::Waiting: return 1;
    case Look::Ready: return 0;
    }
    return 0;
}

} // namespace

ScriptEditor::ScriptEditor(QWidget* parent, Kind kind) : QPlainTextEdit(parent)
{
    setTabChangesFocus(true);
    connect(this, &QPlainTextEdit::textChanged, this, [this] {
        if (m_showing)
            return;
        const QString now = toPlainText();
        if (now == m_known) // colours alone
            return;
        const bool begins = m_steps.begins(changeBetween(m_known, now, textCursor().position()), now);
        m_known = now;
        if (begins)
            Q_EMIT stepBegins();
        Q_EMIT edited(m_known);
    });
    m_highlighter = new TagHighlighter(document());
    if (kind == Kind::Plain)
        return;
    setUndoRedoEnabled(false);
    m_margin = new LineMargin(*this);
    connect(m_margin, &LineMargin::lineClicked, this, [this](quint64 line) {
        goToLine(line);
        Q_EMIT placeClicked(line, 0);
    });
    connect(this, &QPlainTextEdit::updateRequest, m_margin, [this] { m_margin->update(); });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, &ScriptEditor::followCaret);
    m_completer = new QCompleter(TagHighlighter::knownTags(), this);
    m_completer->setWidget(this);
    m_completer->setCaseSensitivity(Qt::CaseInsensitive);
    connect(m_completer, qOverload<const QString&>(&QCompleter::activated), this, &ScriptEditor::insertTag);
    placeMargin();
}

void ScriptEditor::showText(const QString& text)
{
    if (text == m_known)
        return;
    const TextChange change = changeBetween(m_known, text);
    const int caret = textCursor().position();
    if (change.at < caret && caret < change.at + change.removed)
        m_kept = m_current; // the caret stays in its line, wherever that is now
    m_known = text;
    m_steps.end();
    m_showing = true;
    QTextCursor cursor(document()); // only what changed: caret and view stay
    cursor.setPosition(static_cast<int>(change.at));
    cursor.setPosition(static_cast<int>(change.at + change.removed), QTextCursor::KeepAnchor);
    cursor.insertText(text.mid(change.at, change.added));
    m_showing = false;
}

// Undo and redo are the window's.
bool ScriptEditor::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && !document()->isUndoRedoEnabled()) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    return QPlainTextEdit::event(event);
}

void ScriptEditor::setLines(std::vector<LineSpan> spans, std::shared_ptr<const TimelineLayout> layout)
{
    m_spans = std::move(spans);
    m_layout = std::move(layout);
    placeMargin();
    mark();
    if (const std::uint64_t kept = std::exchange(m_kept, 0))
        goToLine(kept);
    followCaret();
    m_margin->update();
}

void ScriptEditor::setSaid(int begin, int end)
{
    if (begin == m_saidBegin && end == m_saidEnd)
        return;
    m_saidBegin = begin;
    m_saidEnd = end;
    mark();
}

void ScriptEditor::mark()
{
    QList<QTextEdit::ExtraSelection> marks;
    const int length = document()->characterCount() - 1;
    const auto add = [&](int begin, int end, const QTextCharFormat& format) {
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(document());
        mark.cursor.setPosition(std::clamp(begin, 0, length));
        mark.cursor.setPosition(std::clamp(end, 0, length), QTextCursor::KeepAnchor);
        mark.format = format;
        marks += mark;
    };
    QTextCharFormat failed;
    failed.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    failed.setUnderlineColor(colourOf(Look::Failed, palette()));
    const auto& lines = m_layout->lines();
    for (std::size_t i = 0; i < std::min(lines.size(), m_spans.size()); ++i) {
        if (lines[i].look == Look::Failed)
            add(m_spans[i].begin, m_spans[i].end, failed);
    }
    if (m_saidEnd > m_saidBegin) {
        QTextCharFormat said;
        said.setBackground(palette().color(QPalette::Highlight));
        said.setForeground(palette().color(QPalette::HighlightedText));
        add(m_saidBegin, m_saidEnd, said);
    }
    setExtraSelections(marks);
}

std::vector<ScriptEditor::Row> ScriptEditor::rows() const
{
    std::vector<Row> out;
    QTextBlock block = firstVisibleBlock();
    double top = blockBoundingGeometry(block).translated(contentOffset()).top();
    auto span = std::lower_bound(m_spans.begin(), m_spans.end(), block.position(),
                                 [](const LineSpan& one, int position) { return one.begin < position; });
    for (; block.isValid() && top < viewport()->height(); top += blockBoundingRect(block).height(), block = block.next()) {
        for (; span != m_spans.end() && span->begin < block.position() + block.length(); ++span) {
            const QTextLine row = block.layout()->lineForTextPosition(span->begin - block.position());
            const auto index = static_cast<std::size_t>(span->number - 1);
            if (!row.isValid() || index >= m_layout->lines().size())
                continue;
            const LayoutLine& line = m_layout->lines()[index];
            QString tip = tr("Line %1: %2").arg(line.number).arg(textOf(line.look));
            if (!line.problem.isEmpty())
                tip += QLatin1Char('\n') + line.problem;
            Row next{line.id, line.number, top + row.y(), row.height(), line.look, tip};
            if (out.empty() || out.back().top < next.top - 1) {
                out.push_back(next);
                continue;
            }
            Row& shared = out.back();
            shared.tip += QLatin1Char('\n') + tip;
            if (urgencyOf(next.look) > urgencyOf(shared.look)) {
                next.tip = shared.tip;
                shared = next;
            }
        }
    }
    return out;
}

std::uint64_t ScriptEditor::currentLine() const
{
    const LineSpan* span = spanAt(m_spans, textCursor().position());
    return span ? span->id : m_spans.empty() ? 0
                                             : m_spans.front().id;
}

void ScriptEditor::followCaret()
{
    if (m_showing)
        return;
    const std::uint64_t line = currentLine();
    if (const LayoutLine* known = m_layout->line(line)) // said to those who do not see the margin
        setAccessibleDescription(tr("Line %1 of %2: %3").arg(known->number).arg(m_layout->lines().size()).arg(textOf(known->look)));
    if (line == m_current)
        return;
    m_current = line;
    Q_EMIT lineEntered(line);
}

void ScriptEditor::goToLine(std::uint64_t line)
{
    const LineSpan* span = spanOf(m_spans, line);
    if (!span)
        return;
    QTextCursor cursor = textCursor();
    cursor.setPosition(std::min(span->begin, document()->characterCount() - 1));
    setTextCursor(cursor);
}

void ScriptEditor::placeMargin()
{
    if (!m_margin)
        return;
    const int wide = m_margin->sizeHint().width();
    setViewportMargins(wide, 0, 0, 0);
    const QRect inside = contentsRect();
    m_margin->setGeometry(inside.left(), inside.top(), wide, inside.height());
}

void ScriptEditor::resizeEvent(QResizeEvent* event)
{
    QPlainTextEdit::resizeEvent(event);
    placeMargin();
}

// The colours of tags and marks belong to the theme.
void ScriptEditor::changeEvent(QEvent* event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_highlighter) {
        m_highlighter->rehighlight();
        mark();
    }
}

void ScriptEditor::mouseReleaseEvent(QMouseEvent* event)
{
    QPlainTextEdit::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton || textCursor().hasSelection())
        return;
    const int position = textCursor().position();
    if (const LineSpan* span = spanAt(m_spans, position))
        Q_EMIT placeClicked(span->id, std::min(position, span->end) - span->begin);
}

QString ScriptEditor::wordAt(const QPoint& place) const
{
    QTextCursor cursor = cursorForPosition(place);
    const QTextCursor chosen = textCursor();
    const bool isChosen = chosen.hasSelection() && cursor.position() >= chosen.selectionStart() && cursor.position() <= chosen.selectionEnd();
    if (isChosen)
        cursor = chosen;
    else
        cursor.select(QTextCursor::WordUnderCursor);
    const QString text = cursor.selectedText();
    const QTextBlock block = document()->findBlock(cursor.selectionStart());
    const QString before = block.text().left(cursor.selectionStart() - block.position());
    const bool inTag = before.lastIndexOf(QLatin1Char('[')) > before.lastIndexOf(QLatin1Char(']'));
    const bool hasWord = std::any_of(text.cbegin(), text.cend(), [](QChar c) { return c.isLetterOrNumber(); });
    if (inTag || !hasWord || text.size() > kLongestPhrase || text.contains(QChar::ParagraphSeparator) || text.contains(QLatin1Char('[')))
        return {};
    return text.simplified();
}

QMenu* ScriptEditor::makeContextMenu(const QPoint& place)
{
    QMenu* menu = createStandardContextMenu(place);
    const QString word = m_margin ? wordAt(place) : QString(); // of the script, not of the words of a recording
    if (word.isEmpty())
        return menu;
    QString shown = word;
    auto* action = new QAction(tr("How “%1” is said…").arg(shown.replace(QLatin1Char('&'), QStringLiteral("&&"))), menu);
    connect(action, &QAction::triggered, this, [this, word] { Q_EMIT pronunciationRequested(word); });
    QAction* first = menu->actions().isEmpty() ? nullptr : menu->actions().front();
    menu->insertAction(first, action);
    menu->insertSeparator(first);
    return menu;
}

void ScriptEditor::contextMenuEvent(QContextMenuEvent* event)
{
    // Also by keyboard: then at the caret.
    const bool byMouse = event->reason() == QContextMenuEvent::Mouse;
    const QPoint place = byMouse ? event->pos() : cursorRect().center();
    QMenu* menu = makeContextMenu(place);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(byMouse ? event->globalPos() : viewport()->mapToGlobal(place));
}

void ScriptEditor::keyPressEvent(QKeyEvent* event)
{
    if (m_completer && m_completer->popup()->isVisible() &&
        (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Tab ||
         event->key() == Qt::Key_Escape)) {
        event->ignore(); // the list's
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
    if (m_completer && !event->text().isEmpty())
        complete();
}

// What is open in front of the caret: "[sm".
void ScriptEditor::complete()
{
    const QTextCursor cursor = textCursor();
    const QString before = cursor.block().text().left(cursor.positionInBlock()).right(kLongestTag);
    const auto open = before.lastIndexOf(QLatin1Char('['));
    const QString prefix = open < 0 ? QString() : before.mid(open + 1);
    if (open < 0 || prefix.contains(QLatin1Char(']')) || prefix.contains(QLatin1Char('"'))) {
        m_completer->popup()->hide();
        return;
    }
    m_completer->setCompletionPrefix(prefix);
    if (m_completer->completionCount() == 0) {
        m_completer->popup()->hide();
        return;
    }
    m_completer->popup()->setCurrentIndex(m_completer->completionModel()->index(0, 0));
    QRect at = cursorRect();
    at.translate(viewportMargins().left(), 0);
    at.setWidth(m_completer->popup()->sizeHintForColumn(0) + m_completer->popup()->verticalScrollBar()->sizeHint().width() + 16);
    m_completer->complete(at);
}

void ScriptEditor::insertTag(const QString& tag)
{
    QTextCursor cursor = textCursor();
    cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor, static_cast<int>(m_completer->completionPrefix().size()));
    cursor.insertText(tag + QLatin1Char(']'));
    setTextCursor(cursor);
}

void ScriptEditor::focusOutEvent(QFocusEvent* event)
{
    QPlainTextEdit::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason)
        Q_EMIT editingFinished();
}

bool ScriptEditor::canInsertFromMimeData(const QMimeData* source) const
{
    return source->hasUrls() || source->hasText();
}

void ScriptEditor::insertFromMimeData(const QMimeData* source)
{
    for (const QUrl& url : source->urls()) {
        if (url.isLocalFile()) {
            Q_EMIT fileDropped(url.toLocalFile());
            return;
        }
    }
    if (!source->hasText())
        return;
    const PastedText pasted = pastedText(source->text());
    insertPlainText(pasted.text); // never formatted text
    if (!pasted.message.isEmpty())
        Q_EMIT ssmlRead(pasted.message, pasted.isComplete);
}

} // namespace loquor::ui
