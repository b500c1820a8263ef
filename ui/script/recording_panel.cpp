#include "ui/script/recording_panel.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QDateTime>
#include <QLabel>
#include <QPushButton>

#include "core/audio/take_file.h"
#include "core/base/guarded_thread.h"
#include "ui/bridge/strings.h"
#include "ui/models/media_checks.h"
#include "ui/models/project_model.h"
#include "ui/models/recording_cutter.h"
#include "ui/script/script_editor.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/level_meter.h"

namespace loquor::ui {

using Phase = audio::RecorderState::Phase;

namespace {

constexpr int kWatchMs = 33;
constexpr double kSilenceSeconds = 3;

double secondsIn(std::chrono::microseconds time)
{
    return std::chrono::duration<double>(time).count();
}

// What of it is used, and how.
QStringList wordsOf(const media::SoundImport& import)
{
    QStringList out;
    if (import.from.count() > 0 || import.to.count() > 0)
        out += import.to.count() > 0 ? RecordingPanel::tr("%1 to %2").arg(timeText(secondsIn(import.from)), timeText(secondsIn(import.to)))
                                     : RecordingPanel::tr("from %1").arg(timeText(secondsIn(import.from)));
    if (import.stream > 0)
        out += RecordingPanel::tr("stream %1").arg(import.stream);
    if (import.loudness)
        out += RecordingPanel::tr("as loud as speech");
    if (import.denoise)
        out += RecordingPanel::tr("without noise");
    return out;
}

} // namespace

RecordingPanel::RecordingPanel(ProjectModel& model, MediaChecks& checks, RecordingCutter& cutter,
                               audio::Recorder& recorder, QWidget* parent)
    : QWidget(parent), m_model(model), m_checks(checks), m_cutter(cutter), m_recorder(recorder),
      m_file(new QLabel(this)), m_status(new QLabel(this)), m_alert(new QLabel(this)),
      m_problem(new QLabel(this)),
      m_meter(new LevelMeter(this)),
      m_record(new QPushButton(icon(QStringLiteral("record")), tr("Record"), this)),
      m_choose(new QPushButton(icon(QStringLiteral("folder")), tr("Open sound…"), this)),
      m_use(new QPushButton(icon(QStringLiteral("waveform")), tr("Part and sound…"), this)),
      m_lines(new QPushButton(icon(QStringLiteral("text")), QString(), this)),
      m_monitor(new QCheckBox(tr("Hear myself"), this)), m_transcript(new ScriptEditor(this))
{
    m_file->setWordWrap(true);
    m_file->setTextFormat(Qt::PlainText);
    m_status->setProperty("muted", true);
    m_status->setWordWrap(true);
    m_alert->setProperty("level", "error");
    m_alert->setWordWrap(true);
    m_alert->hide();
    m_monitor->setToolTip(tr("Plays what the microphone hears; use headphones"));
    m_problem->setProperty("level", "error");
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    m_record->setToolTip(tr("Record with the microphone (%1)").arg(tr("R")));
    m_transcript->setPlaceholderText(
        tr("What is said in the recording (optional; makes the lips more exact)"));
    m_transcript->setAccessibleName(tr("Words of the recording"));
    m_transcript->setFixedHeight(fontMetrics().height() * 4 + 12);

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_record);
    buttons->addWidget(m_choose);
    buttons->addWidget(m_monitor);
    buttons->addStretch();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_file);
    layout->addLayout(buttons);
    layout->addWidget(m_meter);
    layout->addWidget(m_status);
    layout->addWidget(m_alert);
    layout->addWidget(m_problem);
    layout->addWidget(m_transcript);
    layout->addWidget(m_use);
    layout->addWidget(m_lines);
    m_use->setToolTip(tr("Which part of it is used, which of its sound streams, and what is made better"));
    layout->addStretch();
    m_lines->setToolTip(tr("Cuts it at its pauses: then each line is made, and made again, without the others"));

    m_watch.setInterval(kWatchMs);
    connect(&m_watch, &QTimer::timeout, this, &RecordingPanel::watch);
    connect(m_record, &QPushButton::clicked, this, &RecordingPanel::toggleRecording);
    connect(m_choose, &QPushButton::clicked, this, &RecordingPanel::chooseRequested);
    connect(m_use, &QPushButton::clicked, this, &RecordingPanel::useRequested);
    connect(m_lines, &QPushButton::clicked, this,
            [this] { m_cutter.isCutting() ? m_cutter.cancel() : m_cutter.start(); });
    connect(&m_cutter, &RecordingCutter::changed, this, &RecordingPanel::refresh);
    connect(m_transcript, &ScriptEditor::fileDropped, this, &RecordingPanel::fileDropped);
    connect(m_transcript, &ScriptEditor::edited, this, [this](const QString& text) {
        m_model.edit(EditKind::Transcript, tr("Edit words of the recording"),
                     [&text](project::Document& document) {
                         document.scenes.front().speech.transcript = text.toStdString();
                     });
    });
    connect(m_transcript, &ScriptEditor::editingFinished, &m_model, [&model = m_model] { model.breakMerge(); });
    connect(&m_model, &ProjectModel::changed, this, &RecordingPanel::refresh);
    connect(&m_checks, &MediaChecks::changed, this, &RecordingPanel::refresh);
    refresh();
}

RecordingPanel::~RecordingPanel()
{
    m_recoveryStop.cancel();
    if (m_recovery.joinable())
        m_recovery.join();
}

void RecordingPanel::recoverTakes()
{
    if (m_recovery.joinable())
        return; // once
    m_recovery = guardedThread("recovering recordings", [this, folder = toPath(m_takeFolder()), cancel = m_recoveryStop.token()] {
        const auto takes = audio::recoverTakes(folder, cancel);
        if (takes.empty())
            return;
        QMetaObject::invokeMethod(this, [this, last = toQString(takes.back()), count = static_cast<int>(takes.size())] { Q_EMIT recovered(tr("%n interrupted recording(s) were saved, the last one as %1", nullptr, count).arg(last)); }, Qt::QueuedConnection);
    });
}

bool RecordingPanel::isRecording() const
{
    return m_active;
}

QString RecordingPanel::statusText() const
{
    return m_status->text();
}

void RecordingPanel::toggleRecording()
{
    if (!m_active) {
        start();
        return;
    }
    m_stopping = true;
    m_recorder.stop(); // watch() sees what comes of it
    if (!m_takeBegan) {
        m_active = false;
        m_watch.stop();
        m_alert->hide();
        refresh();
    }
}

void RecordingPanel::start()
{
    m_active = true;
    m_takeBegan = m_stopping = false;
    m_problem->hide();
    const QString name = QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-dd-HHmmss-zzz"));
    audio::TakeRequest request;
    request.file = toPath(m_takeFolder() + QStringLiteral("/take-") + name + QStringLiteral(".flac"));
    request.countIn.count = m_countIn;
    request.monitor = m_monitor->isChecked();
    m_recorder.record(request);
    m_watch.start();
    refresh();
}

void RecordingPanel::watch()
{
    const audio::RecorderState state = m_recorder.state();
    m_meter->setPeak(state.peak);
    switch (state.phase) {
    case Phase::Idle:
        if (m_stopping)
            finish({}); // stopped before the take began
        break;
    case Phase::Opening:
    case Phase::Armed:
        m_status->setText(tr("Opening the microphone…"));
        break;
    case Phase::CountIn:
        m_status->setText(tr("Recording starts in %n second(s)", nullptr, state.countLeft));
        break;
    case Phase::Recording:
    case Phase::Finishing:
        m_takeBegan = true;
        m_status->setText(tr("Recording %1").arg(timeText(state.seconds)));
        break;
    case Phase::Finished:
    case Phase::Failed:
        finish(state);
        return;
    }
    showAlerts(state);
}

// The most urgent one; what went wrong once stays in sight until the take ends.
void RecordingPanel::showAlerts(const audio::RecorderState& state)
{
    QString text;
    if (state.deviceLost)
        text = tr("The microphone went away. What was recorded is kept; the take goes on when it is back.");
    else if (state.silentSeconds > kSilenceSeconds)
        text = tr("No sound is coming in. Is the microphone muted?");
    else if (state.clippedRuns > 0)
        text = tr("Too loud: %n place(s) are distorted", nullptr, static_cast<int>(state.clippedRuns));
    else if (state.xruns > 0)
        text = tr("The computer could not keep up %n time(s)", nullptr, static_cast<int>(state.xruns));
    else if (!state.gaps.empty())
        text = tr("The microphone was away %n time(s)", nullptr, static_cast<int>(state.gaps.size()));
    else if (state.outputMissing)
        text = tr("There is no sound output: clicks cannot be heard.");
    m_alert->setText(text);
    m_alert->setVisible(!text.isEmpty());
}

void RecordingPanel::finish(const audio::RecorderState& state)
{
    m_active = false;
    m_watch.stop();
    m_alert->hide();
    m_meter->setPeak(0);
    if (state.error) {
        const QString text = QString::fromStdString(state.error->message());
        Q_EMIT problem(text);
    }
    if (!state.file.empty())
        Q_EMIT recorded(toQString(state.file));
    refresh();
}

QString RecordingPanel::fileText() const
{
    return m_file->text();
}

void RecordingPanel::refresh()
{
    const auto& speech = m_model.scene().speech;
    m_record->setText(m_active ? tr("Stop") : tr("Record"));
    m_record->setIcon(icon(m_active ? QStringLiteral("stop") : QStringLiteral("record")));
    m_choose->setEnabled(!m_active);
    m_lines->setText(m_cutter.isCutting() ? tr("Listening… Cancel") : tr("Make lines of it"));
    m_lines->setVisible(m_checks.recording().usable() && !m_active);
    m_use->setVisible(m_lines->isVisibleTo(this));
    m_monitor->setEnabled(!m_active);
    m_meter->setVisible(m_active);
    m_status->setVisible(m_active);
    m_file->setVisible(!m_active); // of what was there before
    m_transcript->setVisible(!speech.audioFile.empty());
    m_transcript->showText(QString::fromStdString(speech.transcript));
    const MediaCheck& check = m_checks.recording();
    if (speech.audioFile.empty()) {
        m_file->setText(tr("Drop a sound file here, open one, or record your voice."));
    } else if (check.pending || !check.report) {
        m_file->setText(tr("Looking at %1…").arg(shownName(speech.audioFile)));
    } else {
        m_file->setText(
            (QStringList{tr("%1 · %2").arg(shownName(speech.audioFile), timeText(check.report->durationSeconds))} + wordsOf(speech.import)).join(QStringLiteral(" · ")));
        m_file->setToolTip(QString::fromStdString(check.report->details));
    }
    QStringList problems;
    if (check.report && !check.report->usable) {
        for (const std::string& line : check.report->problems)
            problems += QString::fromStdString(line);
    }
    m_problem->setText(wrappable(problems.join(QLatin1Char('\n'))));
    m_problem->setVisible(!problems.isEmpty() && !m_active);
}

} // namespace loquor::ui
