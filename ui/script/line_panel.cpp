#include "ui/script/line_panel.h"

#include <utility>

#include <QBoxLayout>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>

#include "ui/bridge/strings.h"
#include "ui/models/line_commands.h"
#include "ui/models/render_state.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/look.h"

namespace loquor::ui {

namespace {

constexpr double kAutomatic = -0.1; // of the pause: by punctuation
constexpr double kLongestPause = 60;

} // namespace

LinePanel::LinePanel(ProjectModel& model, RenderState& state, QWidget* parent)
    : QWidget(parent), m_model(model), m_state(state), m_card(new Card(QStringLiteral("text"), tr("Line"), this)),
      m_stateText(new QLabel(this)), m_problem(new QLabel(this)), m_voice(new QComboBox(this)), m_prompt(new QLineEdit(this)),
      m_pause(new QDoubleSpinBox(this)), m_another(new QPushButton(icon(QStringLiteral("takes")), tr("Another take"), this))
{
    makeWidgets();
    connectWidgets();
    setVoices({});
}

void LinePanel::makeWidgets()
{
    m_up = makeButton(QStringLiteral("up"), tr("Move line up"));
    m_down = makeButton(QStringLiteral("down"), tr("Move line down"));
    m_remove = makeButton(QStringLiteral("trash"), tr("Remove line"));
    for (QToolButton* button : {m_up, m_down, m_remove})
        m_card->header()->addWidget(button);
    m_stateText->setProperty("muted", true);
    m_stateText->setWordWrap(true);
    m_problem->setProperty("level", "error");
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    m_voice->setAccessibleName(tr("Voice of the line"));
    m_voice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_voice->setMinimumContentsLength(14);
    m_voice->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_pause->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_prompt->setAccessibleName(tr("Motion of the line"));
    m_prompt->setToolTip(tr("How the person moves in this line, in a few words"));
    m_pause->setAccessibleName(tr("Pause behind the line"));
    m_pause->setRange(kAutomatic, kLongestPause);
    m_pause->setSingleStep(0.1);
    m_pause->setDecimals(1);
    m_pause->setSpecialValueText(tr("by punctuation"));
    m_pause->setSuffix(tr(" s"));
    m_pause->setKeyboardTracking(false);
    m_another->setToolTip(tr("Makes this line again with other movements; the take before stays"));
    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(8);
    form->addRow(tr("Voice"), m_voice);
    form->addRow(tr("Motion"), m_prompt);
    form->addRow(tr("Pause"), m_pause);
    m_card->body()->addWidget(m_stateText);
    m_card->body()->addWidget(m_problem);
    m_card->body()->addLayout(form);
    m_card->body()->addWidget(m_another);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_card);
}

QToolButton* LinePanel::makeButton(const QString& iconName, const QString& name)
{
    auto* button = new QToolButton(this);
    button->setIcon(icon(iconName));
    button->setAccessibleName(name);
    button->setToolTip(name);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

void LinePanel::connectWidgets()
{
    connect(m_voice, &QComboBox::activated, this, [this](int row) {
        project::LineChange change;
        change.voice = m_voice->itemData(row).toString().toStdString();
        m_model.breakMerge();
        tell(changeLine(m_model, EditKind::LineVoice, tr("Choose voice of a line"), m_number, change));
    });
    connect(m_prompt, &QLineEdit::textEdited, this, [this](const QString& text) {
        beginEdit();
        project::LineChange change;
        change.prompt = text.toStdString();
        tell(changeLine(m_model, EditKind::LinePrompt, tr("Change motion of a line"), m_number, change));
    });
    // The model receives: a field that loses the focus as the window is taken down finds no model any more.
    connect(m_prompt, &QLineEdit::editingFinished, &m_model, [&model = m_model] { model.breakMerge(); });
    connect(m_pause, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        beginEdit();
        project::LineChange change;
        change.pauseAfter = value < 0 ? std::nullopt : std::optional(value);
        tell(changeLine(m_model, EditKind::LinePause, tr("Change pause"), m_number, change));
    });
    connect(m_pause, &QDoubleSpinBox::editingFinished, &m_model, [&model = m_model] { model.breakMerge(); });
    connect(m_up, &QToolButton::clicked, this, [this] { tell(moveLine(m_model, m_number, m_number - 1)); });
    connect(m_down, &QToolButton::clicked, this, [this] { tell(moveLine(m_model, m_number, m_number + 1)); });
    connect(m_remove, &QToolButton::clicked, this, [this] { tell(removeLine(m_model, m_number)); });
    connect(m_another, &QPushButton::clicked, this, [this] {
        const QString problem = askForAnotherTake(m_model, m_number);
        tell(problem);
        if (problem.isEmpty())
            Q_EMIT generateRequested();
    });
    connect(&m_model, &ProjectModel::changed, this, &LinePanel::refresh);
    connect(&m_state, &RenderState::changed, this, &LinePanel::refresh);
}

// What is changed of another line is another step.
void LinePanel::beginEdit()
{
    if (std::exchange(m_edited, m_line) != m_line)
        m_model.breakMerge();
}

void LinePanel::tell(const QString& problem)
{
    if (problem.isEmpty())
        return;
    refresh();
    Q_EMIT refused(problem);
}

void LinePanel::setVoices(const std::vector<session::VoiceInfo>& voices)
{
    const QSignalBlocker blocker(m_voice);
    m_voice->clear();
    m_voice->addItem(tr("As the script"), QString());
    for (const session::VoiceInfo& voice : voices)
        m_voice->addItem(QString::fromStdString(voice.name), QString::fromStdString(voice.id));
    refresh();
}

void LinePanel::setLine(quint64 line)
{
    if (line == m_line)
        return;
    m_line = line;
    refresh();
}

QString LinePanel::stateText() const
{
    return m_stateText->text();
}

void LinePanel::refresh()
{
    const project::Scene& scene = m_model.scene();
    const project::Line* line = scene.speech.mode == project::SpeechMode::Text ? lineOf(m_model.document(), m_line, &m_number)
                                                                               : nullptr;
    setVisible(line != nullptr);
    if (!line)
        return;
    const int count = project::lineCount(m_model.document());
    m_card->setTitle(tr("Line %1").arg(m_number));
    m_up->setEnabled(m_number > 1);
    m_down->setEnabled(m_number < count);
    const LayoutLine* known = m_state.layout()->line(m_line);
    if (known) {
        const QString length = timeText(secondsOf(known->frames, m_state.layout()->fps()));
        m_stateText->setText(known->isMeasured ? tr("%1 · %2").arg(length, textOf(known->look))
                                               : tr("about %1 · %2").arg(length, textOf(known->look)));
    }
    m_another->setEnabled(known && known->look == Look::Ready);
    m_problem->setText(known ? wrappable(known->problem) : QString());
    m_problem->setVisible(known && !known->problem.isEmpty());
    const QSignalBlocker blockers[] = {QSignalBlocker(m_voice), QSignalBlocker(m_pause)};
    refreshVoice(line->voice);
    m_voice->setEnabled(!line->recording);
    m_pause->setValue(line->pauseAfter.value_or(kAutomatic));
    const QString prompt = QString::fromStdString(line->prompt);
    if (m_prompt->text() != prompt)
        m_prompt->setText(prompt);
    m_prompt->setPlaceholderText(scene.prompt.empty() ? tr("as the video") : QString::fromStdString(scene.prompt));
}

void LinePanel::refreshVoice(const std::string& wanted)
{
    const QString id = QString::fromStdString(wanted);
    int row = m_voice->findData(id);
    if (row < 0) { // a voice of another machine stays in the project
        m_voice->addItem(tr("%1 (not installed)").arg(id), id);
        row = m_voice->count() - 1;
    }
    m_voice->setCurrentIndex(row);
}

} // namespace loquor::ui
