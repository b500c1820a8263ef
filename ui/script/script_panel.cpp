#include "ui/script/script_panel.h"

#include <algorithm>

#include <QBoxLayout>
#include <QButtonGroup>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>

#include "core/project/script_text.h"
#include "ui/bridge/strings.h"
#include "ui/models/line_commands.h"
#include "ui/models/project_model.h"
#include "ui/models/readiness.h"
#include "ui/models/render_state.h"
#include "ui/script/pasted_text.h"
#include "ui/script/recording_panel.h"
#include "ui/script/script_editor.h"
#include "ui/widgets/card.h"

namespace loquor::ui {

using project::SpeechMode;

ScriptPanel::ScriptPanel(ProjectModel& model, RenderState& state, MediaChecks& checks, RecordingCutter& cutter,
                         audio::Recorder& recorder, QWidget* parent)
    : QWidget(parent), m_model(model), m_state(state), m_textMode(new QPushButton(tr("Text"), this)),
      m_recordingMode(new QPushButton(tr("Recording"), this)), m_pages(new QStackedWidget(this)),
      m_editor(new ScriptEditor(this, ScriptEditor::Kind::Lines)), m_count(new QLabel(this)),
      m_length(new QLabel(this)), m_recorded(new QLabel(this)), m_voice(new QComboBox(this)),
      m_recording(new RecordingPanel(model, checks, cutter, recorder, this))
{
    auto* card = new Card(QStringLiteral("text"), tr("Speech"), this);
    auto* modes = new QButtonGroup(this);
    for (QPushButton* button : {m_textMode, m_recordingMode}) {
        button->setCheckable(true);
        button->setProperty("segment", true);
        button->setFocusPolicy(Qt::TabFocus);
        modes->addButton(button);
        card->header()->addWidget(button);
    }
    m_textMode->setAccessibleName(tr("Speech from text"));
    m_recordingMode->setAccessibleName(tr("Speech from a recording"));
    m_pages->addWidget(makeTextPage());
    m_pages->addWidget(m_recording);
    card->body()->addWidget(m_pages);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 2, 4, 4);
    layout->addWidget(card);

    connect(m_textMode, &QPushButton::clicked, this, [this] { setMode(SpeechMode::Text); });
    connect(m_recordingMode, &QPushButton::clicked, this,
            [this] { setMode(SpeechMode::Recording); });
    connect(m_editor, &ScriptEditor::stepBegins, this, [this] { m_model.breakMerge(); });
    connect(m_editor, &ScriptEditor::edited, this, [this](const QString& text) {
        setText(tr("Edit text"), text);
    });
    connect(m_editor, &ScriptEditor::editingFinished, &m_model, [&model = m_model] { model.breakMerge(); });
    connect(m_editor, &ScriptEditor::ssmlRead, this, &ScriptPanel::ssmlRead);
    connect(m_editor, &ScriptEditor::fileDropped, this, &ScriptPanel::fileDropped);
    connect(m_recording, &RecordingPanel::fileDropped, this, &ScriptPanel::fileDropped);
    connect(m_voice, &QComboBox::activated, this, [this](int row) {
        const std::string id = m_voice->itemData(row).toString().toStdString();
        m_model.edit(EditKind::Voice, tr("Choose voice"), [&id](project::Document& document) {
            document.scenes.front().speech.voice = id;
        });
    });
    connect(m_editor, &ScriptEditor::placeClicked, this, [this](quint64 id, int units) {
        if (const project::Line* line = lineOf(m_model.document(), id))
            Q_EMIT wordClicked(id, byteAt(line->text, units));
    });
    connect(&m_model, &ProjectModel::changed, this, &ScriptPanel::refresh);
    connect(&m_state, &RenderState::changed, this, &ScriptPanel::refreshLines);
    setVoices({});
    refresh();
    refreshLines();
}

QWidget* ScriptPanel::makeTextPage()
{
    auto* page = new QWidget(this);
    m_editor->setPlaceholderText(
        tr("Write here what the person says.\n\nTags such as [smile], [nod] or [pause 0.5s] "
           "change how it is said."));
    m_editor->setAccessibleName(tr("Script"));
    m_editor->setMinimumHeight(fontMetrics().height() * 7);
    m_count->setProperty("muted", true);
    m_length->setProperty("muted", true);
    m_length->setAccessibleName(tr("Length of the video"));
    m_voice->setAccessibleName(tr("Voice"));
    m_voice->setToolTip(tr("Voice"));
    m_voice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_voice->setMinimumContentsLength(12);
    auto* below = new QHBoxLayout;
    below->addWidget(m_count);
    below->addWidget(m_length);
    below->addStretch();
    below->addWidget(m_voice);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    m_recorded->setText(tr("These lines were recorded. Their words follow the sound and are not written here."));
    m_recorded->setWordWrap(true);
    m_recorded->setProperty("muted", true);
    layout->addWidget(m_editor, 1);
    layout->addWidget(m_recorded);
    layout->addLayout(below);
    return page;
}

void ScriptPanel::setMode(SpeechMode mode)
{
    m_model.edit(
        EditKind::SpeechMode, tr("Change kind of speech"),
        [mode](project::Document& document) { document.scenes.front().speech.mode = mode; });
    refresh();
}

void ScriptPanel::setVoices(const std::vector<session::VoiceInfo>& voices)
{
    m_voices = voices;
    const QSignalBlocker blocker(m_voice);
    m_voice->clear();
    m_voice->addItem(tr("Default voice"), QString());
    for (const session::VoiceInfo& voice : voices) {
        const QString language =
            QLocale(QString::fromStdString(voice.language)).nativeLanguageName();
        const QString name = QString::fromStdString(voice.name);
        m_voice->addItem(language.isEmpty() ? name : tr("%1 (%2)").arg(name, language),
                         QString::fromStdString(voice.id));
    }
    refresh();
}

void ScriptPanel::takeText(const QString& text)
{
    const PastedText read = pastedText(text);
    m_model.breakMerge();
    setText(tr("Open text"), read.text);
    if (!read.message.isEmpty())
        Q_EMIT ssmlRead(read.message, read.isComplete);
    m_model.breakMerge();
}

// The lines of the document are made of the text; what cannot be one (far too long) is taken back.
void ScriptPanel::setText(const QString& name, QString text)
{
    text.remove(QChar(u'\0'));
    QString problem;
    m_model.edit(EditKind::Text, name, [&](project::Document& document) {
        project::Scene& scene = document.scenes.front();
        scene.speech.mode = SpeechMode::Text;
        if (const auto set = project::setScriptText(scene, text.toStdString(), m_ids); !set)
            problem = QString::fromStdString(set.error().message());
    });
    if (problem.isEmpty())
        return;
    refresh();
    Q_EMIT textRefused(problem);
}

// The text first: the lines are marked in it.
void ScriptPanel::refreshLines()
{
    const auto& layout = m_state.layout();
    const bool isText = m_model.scene().speech.mode == SpeechMode::Text;
    m_editor->showText(QString::fromStdString(project::scriptText(m_model.scene())));
    m_editor->setLines(isText ? spansOf(m_model.scene()) : std::vector<LineSpan>(), layout);
    const auto& lines = layout->lines();
    const bool exact = std::all_of(lines.begin(), lines.end(), [](const LayoutLine& line) { return line.isMeasured; });
    const QString length = timeText(secondsOf(layout->total(), layout->fps()));
    m_length->setText(layout->total() == 0 ? QString() : exact ? length
                                                               : tr("about %1").arg(length));
}

QString ScriptPanel::lengthText() const
{
    return m_length->text();
}

std::pair<qint32, qint32> ScriptPanel::selectedOf(quint64 id) const
{
    const QTextCursor cursor = m_editor->textCursor();
    const auto spans = spansOf(m_model.scene());
    const LineSpan* span = spanOf(spans, id);
    const project::Line* line = lineOf(m_model.document(), id);
    if (!span || !line || !cursor.hasSelection())
        return {0, 0};
    const auto byteOf = [&](int position) { return byteAt(line->text, std::clamp(position, span->begin, span->end) - span->begin); };
    return {byteOf(cursor.selectionStart()), byteOf(cursor.selectionEnd())};
}

void ScriptPanel::showSaid(FrameIndex frame)
{
    const auto& layout = m_state.layout();
    const LayoutLine* line = layout->lineAt(frame);
    const speech::Word* word = line ? layout->wordAt(frame) : nullptr;
    const project::Line* text = word ? lineOf(m_model.document(), line->id) : nullptr;
    if (!text || word->textEnd > static_cast<std::int32_t>(text->text.size()))
        return m_editor->setSaid(0, 0);
    const auto spans = spansOf(m_model.scene());
    const LineSpan* span = spanOf(spans, line->id);
    const std::string_view all = text->text;
    const int begin = unitsOf(all.substr(0, static_cast<std::size_t>(word->textBegin)));
    const int end = unitsOf(all.substr(0, static_cast<std::size_t>(word->textEnd)));
    if (span)
        m_editor->setSaid(span->begin + begin, span->begin + end);
}

void ScriptPanel::refresh()
{
    const project::Speech& speech = m_model.scene().speech;
    const bool text = speech.mode == SpeechMode::Text;
    m_textMode->setChecked(text);
    m_recordingMode->setChecked(!text);
    m_pages->setCurrentIndex(text ? 0 : 1);
    const QString script = QString::fromStdString(project::scriptText(m_model.scene()));
    m_editor->showText(script);
    const auto& lines = m_model.scene().lines;
    const bool recorded = std::any_of(lines.begin(), lines.end(), [](const project::Line& line) { return line.recording.has_value(); });
    m_editor->setReadOnly(recorded);
    m_recorded->setVisible(recorded);
    m_count->setText(tr("%n word(s)", nullptr, countWords(script)));

    const QSignalBlocker blocker(m_voice);
    const QString wanted = QString::fromStdString(speech.voice);
    int row = m_voice->findData(wanted);
    if (row < 0) { // a voice of another machine stays in the project
        m_voice->addItem(tr("%1 (not installed)").arg(wanted), wanted);
        row = m_voice->count() - 1;
    }
    m_voice->setCurrentIndex(row);
}

} // namespace loquor::ui
