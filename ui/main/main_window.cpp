#include "ui/main/main_window.h"

#include <QAction>
#include <QBoxLayout>
#include <QCloseEvent>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QKeyEvent>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStandardPaths>
#include <QUndoView>

#include "ui/bridge/strings.h"
#include "ui/jobs/export_dialog.h"
#include "ui/jobs/job_panel.h"
#include "ui/main/about_dialog.h"
#include "ui/main/actions.h"
#include "ui/main/command_palette.h"
#include "ui/main/free_space.h"
#include "ui/main/inspector.h"
#include "ui/main/keys_dialog.h"
#include "ui/main/media_dialogs.h"
#include "ui/main/project_flow.h"
#include "ui/main/show_in_folder.h"
#include "ui/main/status_line.h"
#include "ui/main/workspace.h"
#include "ui/preview/preview_director.h"
#include "ui/preview/preview_panel.h"
#include "ui/preview/preview_widget.h"
#include "ui/reference/reference_panel.h"
#include "ui/script/line_panel.h"
#include "ui/script/recording_panel.h"
#include "ui/script/script_editor.h"
#include "ui/script/script_panel.h"
#include "ui/script/speech_tools.h"
#include "ui/settings/output_panel.h"
#include "ui/settings/settings_dialog.h"
#include "ui/takes/takes_panel.h"
#include "ui/timeline/timeline_panel.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/wheel_guard.h"

namespace loquor::ui {

using Level = MessageBar::Level;

namespace {

constexpr int kPrepareDelayMs = 400;
constexpr int kSlowUpdateMs = 10000;

} // namespace

MainWindow::MainWindow(const StudioContext& context, Theme& theme, QWidget* parent)
    : QMainWindow(parent), m_dataFolder(context.dataFolderOrDefault()), m_theme(theme),
      m_preferences(Preferences::load()), m_bridge(context.session), m_checks(m_bridge, m_model),
      m_files(m_model, m_dataFolder + QStringLiteral("/rescue")), m_state(m_bridge, m_model), m_cutter(m_bridge, m_model), m_jobs(m_bridge),
      m_sound(context.sound, context.silence), m_recorder(context.sound),
      m_playback(m_sound), m_keys(m_playback), m_actions(new Actions(*this)),
      m_messages(new MessageBar(this)), m_reference(new ReferencePanel(m_model, m_checks, this)),
      m_script(new ScriptPanel(m_model, m_state, m_checks, m_cutter, m_recorder, this)),
      m_output(new OutputPanel(m_model, this)),
      m_preview(new PreviewPanel(m_playback, this)), m_jobPanel(new JobPanel(m_jobs, this)),
      m_line(new LinePanel(m_model, m_state, this)), m_takes(new TakesPanel(m_model, m_state, this)),
      m_timeline(new TimelinePanel(this)), m_status(new StatusLine(this)), m_workspace(new Workspace(*this)),
      m_director(new PreviewDirector({context.session, m_model, m_checks, m_state, m_jobs, m_playback, *m_preview,
                                      m_timeline->view()},
                                     this)),
      m_flow(new ProjectFlow(m_model, m_files, *m_messages, this)),
      m_tools(new SpeechTools({*this, m_bridge, m_model, m_state, m_recorder, context.sound, context.silence, *m_actions, *m_script, *m_line,
                               toPath(context.configFolderOrDefault()), [this] { return takeFolder(); }}))
{
    QCoreApplication::instance()->installEventFilter(new WheelGuard(this));
    setAcceptDrops(true);
    setWindowIcon(icon(QStringLiteral("loquor")));
    setStatusBar(m_status);
    setCentralWidget(makeStage());
    resize(1440, 900);
    makeDocks();
    m_workspace->fillMenu(*m_actions);

    connectActions();
    connectPanels();
    connectLines();
    connectJobs();
    applyPreferences(m_preferences);
    m_script->setVoices(context.session.voices());
    m_line->setVoices(context.session.voices());
    m_status->setDevice(QString::fromStdString(m_bridge.snapshot().device), 0);
    m_status->say(tr("Ready"));
    m_prepareTimer.setSingleShot(true);
    m_prepareTimer.setInterval(kPrepareDelayMs);
    connect(&m_prepareTimer, &QTimer::timeout, this, &MainWindow::prepareEngine);
    m_slowTimer.start(kSlowUpdateMs);
    connect(&m_slowTimer, &QTimer::timeout, this, &MainWindow::measureFreeSpace);
    measureFreeSpace();
    updateTitle();
    updateReadiness();
    m_preview->picture().setFocus();
    m_prepareTimer.start();
    m_files.findRescued();
    m_script->recording().recoverTakes();
}

MainWindow::~MainWindow()
{
    m_tools->closeDialogs(); // they work with members, which go before children do
}

TimelineView& MainWindow::timeline()
{
    return m_timeline->view();
}

void MainWindow::makeDocks()
{
    auto* history = new QUndoView(&m_model.undoStack());
    history->setEmptyLabel(tr("As opened"));
    history->setAccessibleName(tr("History of edits"));
    m_script->setMinimumWidth(fontMetrics().averageCharWidth() * 38);
    m_workspace->add(QStringLiteral("script"), tr("Script"), m_script, Qt::LeftDockWidgetArea);
    auto* inspector = m_workspace->add(QStringLiteral("inspector"), tr("Inspector"),
                                       new Inspector({m_reference, m_line, m_output}, m_jobPanel), Qt::RightDockWidgetArea);
    auto* timeline = m_workspace->add(QStringLiteral("timeline"), tr("Timeline"), m_timeline, Qt::BottomDockWidgetArea);
    m_workspace->add(QStringLiteral("takes"), tr("Takes"), m_takes, Qt::RightDockWidgetArea, inspector);
    m_workspace->add(QStringLiteral("history"), tr("History"), history, Qt::RightDockWidgetArea, inspector);
    inspector->raise();
    resizeDocks({timeline}, {m_timeline->sizeHint().height()}, Qt::Vertical);
    m_workspace->restore();
}

QWidget* MainWindow::makeStage()
{
    auto* stage = new QWidget;
    auto* layout = new QVBoxLayout(stage);
    layout->setContentsMargins(8, 8, 8, 4);
    layout->setSpacing(8);
    layout->addWidget(m_messages);
    layout->addWidget(m_preview, 1);
    return stage;
}

void MainWindow::connectActions()
{
    const Actions& a = *m_actions;
    connect(a.newProject, &QAction::triggered, m_flow, &ProjectFlow::newProject);
    connect(a.openProject, &QAction::triggered, m_flow, &ProjectFlow::open);
    connect(a.save, &QAction::triggered, m_flow, &ProjectFlow::save);
    connect(a.saveAs, &QAction::triggered, m_flow, &ProjectFlow::saveAs);
    const auto import = [this](const QString& file) { importFiles({file}); };
    const auto choosePerson = [=, this] { askForPerson(this, import); };
    const auto chooseSound = [=, this] { askForSound(this, import); };
    connect(a.choosePerson, &QAction::triggered, this, choosePerson);
    connect(m_reference, &ReferencePanel::chooseRequested, this, choosePerson);
    connect(a.chooseSound, &QAction::triggered, this, chooseSound);
    connect(&m_script->recording(), &RecordingPanel::chooseRequested, this, chooseSound);
    connect(a.chooseText, &QAction::triggered, this, [=, this] { askForText(this, import); });
    connect(a.exportVideo, &QAction::triggered, this, &MainWindow::chooseExport);
    connect(a.quit, &QAction::triggered, this, &QWidget::close);
    connect(a.undo, &QAction::triggered, &m_model.undoStack(), &QUndoStack::undo);
    connect(a.redo, &QAction::triggered, &m_model.undoStack(), &QUndoStack::redo);
    connect(a.settings, &QAction::triggered, this, &MainWindow::showSettings);
    connect(a.generate, &QAction::triggered, this, &MainWindow::generate);
    connect(a.cancel, &QAction::triggered, &m_jobs, &JobController::cancel);
    connect(a.record, &QAction::triggered, this,
            [this] { m_script->recording().toggleRecording(); });
    connect(a.play, &QAction::triggered, &m_playback, &PlaybackController::toggle);
    connect(a.toStart, &QAction::triggered, this, [this] { m_playback.seek(0); });
    connect(a.toEnd, &QAction::triggered, this,
            [this] { m_playback.seek(m_playback.reach() - 1); });
    connect(a.frameBack, &QAction::triggered, this, [this] { m_playback.step(-1); });
    connect(a.frameForward, &QAction::triggered, this, [this] { m_playback.step(1); });
    connect(a.fullScreen, &QAction::toggled, this,
            [this](bool on) { on ? showFullScreen() : showNormal(); });
    const auto showDialog = [](QDialog* dialog) {
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    };
    connect(a.palette, &QAction::triggered, this, [=, this] { showDialog(new CommandPalette(*menuBar(), this)); });
    connect(a.keys, &QAction::triggered, this, [=, this] { showDialog(new KeysDialog(*this)); });
    connect(a.about, &QAction::triggered, this, [=, this] { showDialog(new AboutDialog(this)); });
    connect(m_actions, &Actions::recentChosen, m_flow, &ProjectFlow::openFile);
    connect(m_actions, &Actions::clearRecentChosen, this, [this] {
        ProjectFiles::clearRecent();
        m_actions->setRecent({});
    });
    m_actions->setRecent(ProjectFiles::recent());
    connect(&m_files, &ProjectFiles::recentChanged, this,
            [this] { m_actions->setRecent(ProjectFiles::recent()); });
}

void MainWindow::connectPanels()
{
    connect(&m_script->recording(), &RecordingPanel::recorded, &m_checks, &MediaChecks::importFile);
    const auto complain = [this](const QString& text) { m_messages->showMessage(Level::Error, text); };
    connect(&m_script->recording(), &RecordingPanel::problem, this, complain);
    connect(&m_script->recording(), &RecordingPanel::recovered, this,
            [this](const QString& text) { m_messages->showMessage(Level::Info, text); });
    m_script->recording().setTakeFolder([this] { return takeFolder(); });
    connect(m_script, &ScriptPanel::textRefused, this, complain);
    connect(m_script, &ScriptPanel::ssmlRead, this, [this](const QString& message, bool isComplete) {
        m_messages->showMessage(isComplete ? Level::Info : Level::Warning, message);
    });
    connect(m_script, &ScriptPanel::fileDropped, this,
            [this](const QString& file) { importFiles({file}); });
    connect(&m_checks, &MediaChecks::textImported, m_script, &ScriptPanel::takeText);
    connect(&m_checks, &MediaChecks::refused, this,
            [this](const QString& text) { m_messages->showMessage(Level::Warning, text); });
    // What was said of the file before it is over.
    connect(&m_checks, &MediaChecks::taken, m_messages, [this] {
        if (m_messages->level() == Level::Warning)
            m_messages->dismiss();
    });
    const auto setBackground = [this](const QString& background) {
        m_model.breakMerge();
        m_model.edit(EditKind::Background, tr("Change background"),
                     [&background](project::Document& document) {
                         document.scenes.front().background =
                             QFile::encodeName(background).toStdString();
                     });
    };
    connect(m_output, &OutputPanel::colourRequested, this, [=, this] {
        askForColour(this, QString::fromStdString(m_model.scene().background), setBackground);
    });
    connect(m_output, &OutputPanel::pictureRequested, this,
            [=, this] { askForBackground(this, setBackground); });
    connect(m_jobPanel, &JobPanel::generateRequested, this, &MainWindow::generate);
    connect(m_jobPanel, &JobPanel::exportRequested, this, &MainWindow::chooseExport);
    connect(m_jobPanel, &JobPanel::cancelRequested, &m_jobs, &JobController::cancel);
    const auto follow = [this] {
        updateReadiness();
        m_prepareTimer.start();
    };
    connect(&m_model, &ProjectModel::changed, this, follow);
    connect(&m_checks, &MediaChecks::changed, this, follow);
    connect(&m_model, &ProjectModel::changed, this, &MainWindow::updateTitle);
    connect(&m_model, &ProjectModel::fileChanged, this, &MainWindow::updateTitle);
    connect(&m_files, &ProjectFiles::saved, this, [this](const QString& file) {
        m_status->say(tr("Saved %1").arg(shownName(file)));
    });
    connect(m_flow, &ProjectFlow::replaced, this, &MainWindow::onProjectReplaced);
    QUndoStack& stack = m_model.undoStack();
    const auto undoState = [this, &stack] {
        m_actions->undo->setEnabled(stack.canUndo());
        m_actions->redo->setEnabled(stack.canRedo());
    };
    connect(&stack, &QUndoStack::indexChanged, this, undoState);
    undoState();
}

// What belongs to the line in which the caret is, and to the word that is said.
void MainWindow::connectLines()
{
    connect(&m_script->editor(), &ScriptEditor::lineEntered, m_line, &LinePanel::setLine);
    connect(&m_script->editor(), &ScriptEditor::lineEntered, m_takes, &TakesPanel::setLine);
    connect(m_script, &ScriptPanel::wordClicked, m_director, &PreviewDirector::showWord);
    const auto follow = [this] { m_script->showSaid(m_playback.isPlaying() ? m_playback.position() : -1); };
    connect(&m_playback, &PlaybackController::positionChanged, this, follow);
    connect(&m_playback, &PlaybackController::stateChanged, this, follow);
    const auto warn = [this](const QString& text) { m_messages->showMessage(Level::Warning, text); };
    const auto tell = [this](const QString& text) { m_messages->showMessage(Level::Info, text); };
    connect(&m_cutter, &RecordingCutter::failed, this, warn);
    connect(&m_cutter, &RecordingCutter::done, this, tell);
    connect(m_tools, &SpeechTools::told, this, tell);
    connect(m_tools, &SpeechTools::refused, this, warn);
    connect(m_line, &LinePanel::refused, this, warn);
    connect(m_takes, &TakesPanel::refused, this, warn);
    connect(m_line, &LinePanel::generateRequested, this, &MainWindow::generate);
    connect(m_takes, &TakesPanel::generateRequested, this, &MainWindow::generate);
    connect(m_takes, &TakesPanel::lineChosen, m_director, &PreviewDirector::showLine);
}

void MainWindow::connectJobs()
{
    connect(&m_jobs, &JobController::started, this, [this] {
        m_messages->dismiss();
        m_status->say(m_jobs.kind() == JobKind::Export
                          ? tr("Exporting %1").arg(shownName(m_jobs.output()))
                          : tr("Generating"));
    });
    connect(&m_jobs, &JobController::progressed, this, [this] {
        m_status->setRate(m_jobs.isRunning() ? m_jobs.snapshot().fpsNow / m_model.document().output.fps.toDouble() : 0);
    });
    connect(&m_jobs, &JobController::incomplete, this, &MainWindow::tellFaults);
    connect(&m_timeline->view(), &TimelineView::retryRequested, this, &MainWindow::generate);
    connect(&m_state, &RenderState::inspected, this, [this] { m_status->setStore(m_state.storeBytes()); });
    connect(&m_state, &RenderState::changed, this, &MainWindow::updateReadiness);
    connect(&m_state, &RenderState::refused, this,
            [this](const QString& text) { m_messages->showMessage(Level::Warning, text); });
    connect(&m_jobs, &JobController::stateChanged, this, [this] {
        if (!m_jobs.isRunning())
            m_status->setRate(0);
        if (m_jobs.state() == JobState::Idle)
            m_status->say(tr("Stopped"));
        m_actions->cancel->setEnabled(m_jobs.state() == JobState::Running);
        updateReadiness();
    });
    connect(&m_jobs, &JobController::finished, this, &MainWindow::onFinished);
    connect(&m_jobs, &JobController::failed, this, [this](const QString& message) {
        m_status->say(tr("Failed"));
        const auto& making = m_jobs.making();
        if (!making || (making->failedLines.empty() && making->failedJoins.empty())) // else it is told line by line
            m_messages->showMessage(Level::Error, message);
    });
    connect(&m_jobs, &JobController::warned, this, [this](const QString& message) {
        // Once for a project: the same sentence at every run would only nag.
        if (m_warned.contains(message))
            return;
        m_warned += message;
        if (m_messages->isHidden() || m_messages->level() != Level::Error)
            m_messages->showMessage(Level::Warning, message);
    });
    connect(&m_bridge, &SessionBridge::engineRestarted, this, [this](const QString& text) {
        m_messages->showMessage(Level::Warning,
                                text.isEmpty() ? tr("The engine was restarted") : text);
    });
    connect(&m_bridge, &SessionBridge::snapshotChanged, this, [this](const session::Snapshot& now) {
        m_status->setDevice(QString::fromStdString(now.device), now.rssMb);
        if (m_script->voice().count() <= 1)
            m_script->setVoices(m_bridge.session().voices()), m_line->setVoices(m_bridge.session().voices());
    });
    connect(&m_bridge, &SessionBridge::woken, &m_preview->picture(), qOverload<>(&QWidget::update));
    connect(&m_playback, &PlaybackController::positionChanged, this, &MainWindow::updateSoundNote);
    m_actions->cancel->setEnabled(false);
}

void MainWindow::importFiles(const QStringList& paths)
{
    for (const QString& path : paths) {
        if (path.endsWith(QStringLiteral(".loquor"), Qt::CaseInsensitive))
            m_flow->openFile(path);
        else
            m_checks.importFile(path);
    }
}

void MainWindow::generate()
{
    if (m_jobs.isRunning() || !m_jobPanel->generate().isEnabled())
        return;
    m_model.breakMerge();
    m_preview->picture().setFocus();
    m_jobs.startPreview(m_model.document());
}

void MainWindow::exportAs(const ExportChoice& choice)
{
    const std::filesystem::path target = toPath(choice.file);
    const project::Scene& scene = m_model.scene();
    const bool isSource = std::any_of(scene.lines.begin(), scene.lines.end(), [&](const project::Line& line) {
        return line.recording && line.recording->file == target;
    });
    if (isSource || target == scene.reference.file || target == scene.speech.audioFile || target == toPath(m_model.file())) {
        m_messages->showMessage(
            Level::Error, tr("%1 is used by this project and would be lost. Choose another name.")
                              .arg(shownName(choice.file)));
        return;
    }
    m_model.breakMerge();
    m_preview->picture().setFocus();
    m_jobs.startExport(m_model.document(), choice);
}

void MainWindow::onFinished()
{
    const session::RenderReport report = m_jobs.report().value_or(session::RenderReport{});
    const session::RenderReport making = m_jobs.making().value_or(report);
    m_status->say(JobController::summaryOf(making));
    if (JobController::tellsSpeed(making)) {
        m_preferences.realtimeFactor = JobController::speedOf(making);
        m_preferences.store();
    }
    if (m_jobs.kind() == JobKind::Export) {
        const QString file = m_jobs.output();
        QString text = tr("Exported %1").arg(shownName(file));
        if (!m_jobs.warnings().isEmpty())
            text += QLatin1Char('\n') + m_jobs.warnings().join(QLatin1Char('\n'));
        m_messages->showMessage(Level::Good, text, tr("Show in folder"),
                                [file] { showInFolder(file); });
    }
    measureFreeSpace();
}

// The lines say it in the margin; here the first one, and how many there are.
void MainWindow::tellFaults()
{
    const session::RenderReport report = m_jobs.making().value_or(session::RenderReport{});
    const auto& first = report.failedLines.empty() ? report.failedJoins : report.failedLines;
    const int count = static_cast<int>(report.failedLines.size() + report.failedJoins.size());
    if (!first.empty())
        m_messages->showMessage(Level::Error,
                                tr("%n line(s) could not be made. Line %1: %2", nullptr, count)
                                    .arg(first.front().line)
                                    .arg(QString::fromStdString(first.front().reason)),
                                tr("Try again"), [this] { generate(); });
}

void MainWindow::chooseExport()
{
    if (!m_jobPanel->exportVideo().isEnabled())
        return;
    const CostEstimate cost = estimateCost(m_model.document(), m_checks.recording(), m_preferences.realtimeFactor,
                                           m_state.layout().get());
    auto* dialog = new ExportDialog(m_model.document(), cost.videoSeconds, cost.fileBytes, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ExportDialog::chosen, this, [this](ExportChoice choice) {
        askForExport(this, m_model.title(), exportFolder(), [this, choice](const QString& file) mutable {
            choice.file = file;
            exportAs(choice);
        });
    });
    dialog->open();
}

void MainWindow::showSettings()
{
    auto* dialog = new SettingsDialog(m_preferences, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SettingsDialog::changed, this, &MainWindow::applyPreferences);
    dialog->open();
}

void MainWindow::applyPreferences(const Preferences& preferences)
{
    m_preferences = preferences;
    m_preferences.store();
    m_theme.setMode(preferences.theme);
    m_preview->picture().setSmooth(preferences.smoothPreview);
    m_script->recording().setCountIn(preferences.countInSeconds);
}

void MainWindow::updateTitle()
{
    setWindowModified(m_model.isModified());
    setWindowTitle(tr("%1[*] – Loquor").arg(m_model.title()));
    setWindowFilePath(m_model.file());
}

void MainWindow::updateReadiness()
{
    const QStringList missing =
        Readiness::missing(m_model.scene(), m_checks.reference(), m_checks.recording(), m_checks.importing());
    m_jobPanel->setReadiness(
        missing,
        estimateCost(m_model.document(), m_checks.recording(), m_preferences.realtimeFactor, m_state.layout().get()),
        m_freeBytes);
    m_actions->generate->setEnabled(missing.isEmpty() && !m_jobs.isRunning());
    m_actions->exportVideo->setEnabled(m_jobPanel->exportVideo().isEnabled());
}

void MainWindow::updateSoundNote()
{
    const bool silent = m_sound.isSilent();
    if (silent == m_status->soundText().isEmpty())
        m_status->setSilent(silent, QString::fromStdString(m_sound.silenceReason()));
}

// The engine gets ready while the user is still writing, so that Generate starts warm.
void MainWindow::prepareEngine()
{
    const session::RenderRequest request = makeRequest(m_model.document(), {});
    m_bridge.session().warmUp(m_model.scene().speech.voice);
    if (m_checks.reference().usable() && !m_jobs.isRunning())
        m_bridge.session().prepareReference(request.reference, request.settings);
}

void MainWindow::measureFreeSpace()
{
    askFreeSpace(this, exportFolder(), [this](qint64 bytes) {
        m_freeBytes = bytes;
        m_status->setFreeSpace(bytes);
        updateReadiness();
    });
}

void MainWindow::onProjectReplaced()
{
    m_jobs.cancel();
    m_warned.clear();
    m_director->reset();
    updateReadiness();
}

QString MainWindow::exportFolder() const
{
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::MoviesLocation);
    return folder.isEmpty() ? QDir::homePath() : folder;
}

// Takes lie beside a saved project, so that they move with it.
QString MainWindow::takeFolder() const
{
    return m_model.file().isEmpty()
               ? m_dataFolder + QStringLiteral("/takes")
               : QFileInfo(m_model.file()).absolutePath() + QStringLiteral("/takes");
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (m_mayClose) {
        event->accept();
        return;
    }
    event->ignore();
    const auto finish = [this] {
        m_jobs.cancel();
        m_files.forgetRescue();
        m_workspace->store();
        m_mayClose = true;
        close();
    };
    if (!m_jobs.isRunning() || m_jobs.kind() != JobKind::Export) {
        m_flow->leave(finish);
        return;
    }
    auto* box =
        new QMessageBox(QMessageBox::Question, tr("Export is running"),
                        tr("Stop the export and quit?"), QMessageBox::Yes | QMessageBox::No, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIconPixmap(windowIcon().pixmap(QSize(48, 48), devicePixelRatio()));
    box->button(QMessageBox::Yes)->setText(tr("Stop and quit"));
    box->button(QMessageBox::No)->setText(tr("Go on"));
    connect(box, &QMessageBox::finished, this, [this, finish](int answer) {
        if (answer == QMessageBox::Yes)
            m_flow->leave(finish);
    });
    box->open();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls() || event->mimeData()->hasText())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    QStringList files;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile())
            files += url.toLocalFile();
    }
    event->acceptProposedAction();
    if (!files.isEmpty())
        importFiles(files);
    else if (event->mimeData()->hasUrls())
        m_messages->showMessage(
            Level::Warning,
            tr("This is not a file on this computer. Save it first, then drop it."));
    else
        m_script->takeText(event->mimeData()->text());
}

void MainWindow::keyPressEvent(QKeyEvent* event)
{
    if (m_keys.press(*event))
        return;
    if (event->key() == Qt::Key_Escape && m_jobs.isRunning())
        m_jobs.cancel();
    else if (event->key() == Qt::Key_R && event->modifiers() == Qt::NoModifier &&
             m_model.scene().speech.mode == project::SpeechMode::Recording)
        m_script->recording().toggleRecording();
    else
        QMainWindow::keyPressEvent(event);
}

void MainWindow::keyReleaseEvent(QKeyEvent* event)
{
    m_keys.release(*event);
    QMainWindow::keyReleaseEvent(event);
}

} // namespace loquor::ui
