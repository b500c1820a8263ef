#include "ui/jobs/job_panel.h"

#include <cmath>

#include <QBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QShortcut>

#include "ui/bridge/strings.h"
#include "ui/jobs/job_controller.h"
#include "ui/widgets/icons.h"

namespace loquor::ui {

namespace {

constexpr int kProgressSteps = 1000;
constexpr qint64 kLowSpaceBytes = 1LL << 30;

} // namespace

JobPanel::JobPanel(JobController& jobs, QWidget* parent)
    : QWidget(parent), m_jobs(jobs), m_generate(new QPushButton(tr("Generate"), this)),
      m_export(new QPushButton(icon(QStringLiteral("export")), tr("Export…"), this)),
      m_cancel(new QPushButton(tr("Cancel"), this)), m_progress(new QProgressBar(this)),
      m_hint(new QLabel(this)), m_activity(new QLabel(this)), m_left(new QLabel(this)),
      m_running(new QWidget(this))
{
    m_generate->setProperty("primary", true);
    m_generate->setIcon(icon(QStringLiteral("generate"), IconColour::OnAccent));
    m_generate->setToolTip(tr("Make the video and watch it here (%1)").arg(tr("Ctrl+Return")));
    m_export->setToolTip(tr("Make the video as an MP4 file (%1)").arg(tr("Ctrl+E")));
    m_cancel->setToolTip(tr("Stop (%1)").arg(tr("Esc")));
    for (QPushButton* button : {m_generate, m_export, m_cancel})
        button->setFocusPolicy(Qt::TabFocus);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress"));
    m_hint->setWordWrap(true);
    m_hint->setTextFormat(Qt::PlainText);
    m_left->setProperty("muted", true);

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(m_generate, 1);
    buttons->addWidget(m_export);
    auto* lines = new QHBoxLayout;
    lines->addWidget(m_activity, 1);
    lines->addWidget(m_left);
    auto* running = new QVBoxLayout(m_running);
    running->setContentsMargins(0, 0, 0, 0);
    running->setSpacing(6);
    running->addLayout(lines);
    auto* bar = new QHBoxLayout;
    bar->addWidget(m_progress, 1);
    bar->addWidget(m_cancel);
    running->addLayout(bar);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_running);
    layout->addWidget(m_hint);
    layout->addLayout(buttons);

    auto* escape = new QShortcut(Qt::Key_Escape, this);
    escape->setContext(Qt::WidgetWithChildrenShortcut);
    connect(escape, &QShortcut::activated, this, &JobPanel::cancelRequested);
    connect(m_generate, &QPushButton::clicked, this, &JobPanel::generateRequested);
    connect(m_export, &QPushButton::clicked, this, &JobPanel::exportRequested);
    connect(m_cancel, &QPushButton::clicked, this, &JobPanel::cancelRequested);
    connect(&jobs, &JobController::stateChanged, this, &JobPanel::refresh);
    connect(&jobs, &JobController::progressed, this, &JobPanel::refreshProgress);
    refresh();
}

void JobPanel::setReadiness(const QStringList& missing, const CostEstimate& cost, qint64 freeBytes)
{
    m_missing = missing;
    m_cost = cost;
    m_freeBytes = freeBytes;
    refresh();
}

QString JobPanel::hintText() const
{
    return m_hint->text();
}

QString JobPanel::progressText() const
{
    return m_running->isHidden() ? QString() : m_activity->text();
}

void JobPanel::refresh()
{
    const bool running = m_jobs.isRunning();
    m_generate->setEnabled(m_missing.isEmpty() && !running);
    m_export->setEnabled(m_missing.isEmpty() && !(running && m_jobs.kind() == JobKind::Export));
    m_running->setVisible(running);
    m_cancel->setEnabled(m_jobs.state() == JobState::Running);
    const QString why = m_missing.join(QLatin1Char('\n'));
    m_generate->setAccessibleDescription(why);
    m_export->setAccessibleDescription(why);
    refreshHint();
    refreshProgress();
}

void JobPanel::refreshHint()
{
    QStringList lines;
    if (!m_missing.isEmpty()) {
        lines += m_missing.front();
    } else if (!m_jobs.isRunning() && m_cost.videoSeconds > 0) {
        const QString bytes = locale().formattedDataSize(m_cost.fileBytes, 1, QLocale::DataSizeSIFormat);
        lines += m_cost.makingSeconds > 0
                     ? tr("About %1 of video, made in about %2, %3.")
                           .arg(timeText(m_cost.videoSeconds), timeText(m_cost.makingSeconds), bytes)
                     : tr("All is made: %1 of video, about %2.").arg(timeText(m_cost.videoSeconds), bytes);
        if (m_freeBytes >= 0 && m_freeBytes < m_cost.fileBytes * 6 / 5 + kLowSpaceBytes)
            lines +=
                tr("Only %1 are free on the disk.")
                    .arg(locale().formattedDataSize(m_freeBytes, 1, QLocale::DataSizeSIFormat));
    }
    m_hint->setText(lines.join(QLatin1Char('\n')));
    m_hint->setVisible(!lines.isEmpty());
}

QString JobPanel::activityText() const
{
    if (m_jobs.state() == JobState::Cancelling)
        return tr("Stopping…");
    const session::Snapshot now = m_jobs.snapshot();
    if (now.activity == "reference")
        return tr("Reading the picture…");
    if (now.activity == "speech")
        return tr("Speaking…");
    if (now.activity == "align")
        return tr("Listening to the recording…");
    if (now.activity == "export")
        return tr("Writing the file…");
    if (now.activity == "finish")
        return tr("Finishing the file…");
    if (now.activity == "render") {
        const QString rate = locale().toString(now.fpsNow, 'f', 0);
        return now.fpsNow > 0 ? tr("Making pictures, %1 a second").arg(rate)
                              : tr("Making pictures…");
    }
    return tr("Starting…");
}

void JobPanel::refreshProgress()
{
    if (!m_jobs.isRunning())
        return;
    const session::Snapshot now = m_jobs.snapshot();
    m_activity->setText(activityText());
    m_shown.update(now);
    if (m_shown.part() >= 0) {
        m_progress->setRange(0, kProgressSteps);
        m_progress->setValue(static_cast<int>(m_shown.part() * kProgressSteps));
    } else {
        m_progress->setRange(0, 0); // busy: nothing counted yet
    }
    const int left = static_cast<int>(std::ceil(now.secondsLeft));
    m_left->setText(now.secondsLeft < 0 ? QString()
                    : left < 60         ? tr("%n second(s) left", nullptr, left)
                                        : tr("%n minute(s) left", nullptr, (left + 59) / 60));
}

} // namespace loquor::ui
