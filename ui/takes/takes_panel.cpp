#include "ui/takes/takes_panel.h"

#include <algorithm>

#include <QBoxLayout>
#include <QDateTime>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalBlocker>

#include "ui/bridge/strings.h"
#include "ui/models/line_commands.h"
#include "ui/models/render_state.h"
#include "ui/widgets/icons.h"

namespace loquor::ui {

namespace {

bool canBeShown(const session::TakeInfo& take)
{
    return take.fits && take.complete && take.available;
}

} // namespace

TakesPanel::TakesPanel(ProjectModel& model, RenderState& state, QWidget* parent)
    : QWidget(parent), m_model(model), m_state(state), m_title(new QLabel(this)), m_list(new QListWidget(this)),
      m_choose(new QPushButton(icon(QStringLiteral("good")), tr("Show"), this)),
      m_pin(new QPushButton(icon(QStringLiteral("pin")), tr("Pin"), this)),
      m_another(new QPushButton(icon(QStringLiteral("takes")), tr("Another take"), this)),
      m_remove(new QPushButton(icon(QStringLiteral("trash")), tr("Delete…"), this))
{
    m_title->setWordWrap(true);
    m_title->setTextFormat(Qt::PlainText);
    m_list->setAccessibleName(tr("Takes of the line"));
    m_list->setWordWrap(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_choose->setToolTip(tr("Shows this take in the video (%1)").arg(tr("Return")));
    m_pin->setToolTip(tr("A pinned take is never removed to make room"));
    m_another->setToolTip(tr("Makes this line again with other movements; the take before stays"));
    auto* buttons = new QGridLayout;
    buttons->setSpacing(6);
    buttons->addWidget(m_choose, 0, 0);
    buttons->addWidget(m_pin, 0, 1);
    buttons->addWidget(m_another, 1, 0);
    buttons->addWidget(m_remove, 1, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 6, 8, 8);
    layout->setSpacing(8);
    layout->addWidget(m_title);
    layout->addWidget(m_list, 1);
    layout->addLayout(buttons);

    connect(m_list, &QListWidget::currentRowChanged, this, &TakesPanel::refreshButtons);
    connect(m_list, &QListWidget::itemActivated, this, &TakesPanel::chooseCurrent);
    connect(m_choose, &QPushButton::clicked, this, &TakesPanel::chooseCurrent);
    connect(m_pin, &QPushButton::clicked, this, [this] {
        if (const session::TakeInfo* take = current())
            m_state.pinTake(take->id, !take->pinned);
    });
    connect(m_another, &QPushButton::clicked, this, [this] {
        const QString problem = askForAnotherTake(m_model, m_number);
        if (problem.isEmpty())
            Q_EMIT generateRequested();
        else
            Q_EMIT refused(problem);
    });
    connect(m_remove, &QPushButton::clicked, this, &TakesPanel::askToRemove);
    connect(&m_state, &RenderState::changed, this, &TakesPanel::refresh);
    refresh();
}

void TakesPanel::setLine(quint64 line)
{
    m_line = line;
    refresh();
}

const session::TakeInfo* TakesPanel::current() const
{
    const int row = m_list->currentRow();
    return row < 0 || row >= static_cast<int>(m_takes.size()) ? nullptr : &m_takes[static_cast<std::size_t>(row)];
}

QString TakesPanel::textOf(const session::TakeInfo& take) const
{
    const QDateTime made = QDateTime::fromString(QString::fromStdString(take.createdAt), Qt::ISODate).toLocalTime();
    QStringList facts{timeText(secondsOf(take.frames, m_state.layout()->fps())), locale().toString(made, QLocale::ShortFormat)};
    if (take.pinned)
        facts += tr("pinned");
    if (!take.complete)
        facts += tr("incomplete");
    else if (!take.fits)
        facts += tr("of other words or settings");
    else if (!take.available)
        facts += tr("its pictures were removed to make room");
    const bool isShown = take.id == m_state.takeShown(m_line);
    return (isShown ? tr("Take %1 – shown") : tr("Take %1")).arg(take.number) + QLatin1Char('\n') +
           facts.join(QStringLiteral(" · "));
}

void TakesPanel::refresh()
{
    const session::TakeInfo* before = current();
    const std::uint64_t chosen = before ? before->id : 0;
    const project::Line* line = lineOf(m_model.document(), m_line, &m_number);
    m_takes = line ? m_state.takesOf(m_line) : std::vector<session::TakeInfo>();
    std::reverse(m_takes.begin(), m_takes.end());
    m_title->setText(!line             ? tr("Put the caret into a line of the script to see its takes.")
                     : m_takes.empty() ? tr("Line %1 has no takes yet. Generate makes the first one.").arg(m_number)
                                       : tr("Line %1").arg(m_number));
    const QSignalBlocker blocker(m_list);
    m_list->clear();
    int row = -1;
    for (const session::TakeInfo& take : m_takes) {
        auto* item = new QListWidgetItem(textOf(take), m_list);
        QFont font = item->font();
        font.setBold(take.id == m_state.takeShown(m_line));
        item->setFont(font);
        if (take.id == chosen || (row < 0 && take.id == m_state.takeShown(m_line)))
            row = m_list->count() - 1;
    }
    m_list->setCurrentRow(row);
    m_list->setVisible(!m_takes.empty());
    refreshButtons();
}

void TakesPanel::refreshButtons()
{
    const session::TakeInfo* take = current();
    m_choose->setEnabled(take && canBeShown(*take) && take->id != m_state.takeShown(m_line));
    m_pin->setEnabled(take != nullptr);
    m_pin->setText(take && take->pinned ? tr("Unpin") : tr("Pin"));
    m_remove->setEnabled(take && !take->pinned);
    m_another->setEnabled(!m_takes.empty());
}

void TakesPanel::chooseCurrent()
{
    const session::TakeInfo* take = current();
    if (!take || !canBeShown(*take) || take->id == m_state.takeShown(m_line))
        return;
    chooseTake(m_model, m_line, take->id);
    m_state.inspectSoon();
    Q_EMIT lineChosen(m_line);
}

void TakesPanel::askToRemove()
{
    const session::TakeInfo* take = current();
    if (!take)
        return;
    auto* box = new QMessageBox(QMessageBox::Question, tr("Delete take"),
                                tr("Delete take %1 of line %2? This cannot be undone.").arg(take->number).arg(m_number),
                                QMessageBox::Yes | QMessageBox::No, window());
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->button(QMessageBox::Yes)->setText(tr("Delete"));
    box->button(QMessageBox::No)->setText(tr("Keep"));
    box->setDefaultButton(QMessageBox::No);
    connect(box, &QMessageBox::finished, this, [this, id = take->id](int answer) {
        if (answer == QMessageBox::Yes)
            removeTake(id);
    });
    box->open();
}

void TakesPanel::removeTake(std::uint64_t take)
{
    const project::Line* line = lineOf(m_model.document(), m_line);
    if (line && line->chosenTake == take) // the newest one that fits is shown then
        chooseTake(m_model, m_line, 0);
    m_state.removeTake(take);
}

} // namespace loquor::ui
