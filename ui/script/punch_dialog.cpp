#include "ui/script/punch_dialog.h"

#include <algorithm>
#include <cmath>

#include <QBoxLayout>
#include <QComboBox>
#include <QCryptographicHash>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>

#include "core/media/audio_reader.h"
#include "core/project/recording_edits.h"
#include "ui/bridge/background_task.h"
#include "ui/bridge/strings.h"
#include "ui/models/line_commands.h"
#include "ui/models/project_model.h"
#include "ui/models/word_speaker.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/level_meter.h"
#include "ui/widgets/time_box.h"
#include "ui/widgets/waveform_view.h"

namespace loquor::ui {

using Phase = audio::RecorderState::Phase;

namespace {

constexpr int kWatchMs = 33;
constexpr double kShortest = .05, kHeardAround = 1; // seconds

double secondsOf(std::int64_t samples)
{
    return static_cast<double>(samples) / project::kRecordingRate;
}

std::filesystem::path newFile(const QString& folder, const char* what)
{
    const QString name = QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-dd-HHmmss-zzz"));
    return toPath(QStringLiteral("%1/%2-%3.flac").arg(folder, QLatin1String(what), name));
}

Result<std::string> hashOf(const std::filesystem::path& file)
{
    QFile in(toQString(file));
    QCryptographicHash hash(QCryptographicHash::Sha256);
    if (!in.open(QIODevice::ReadOnly) || !hash.addData(&in))
        return fail(ErrorCode::Unreadable, "The recording " + file.filename().string() + " cannot be read.");
    return hash.result().toHex().toStdString();
}

} // namespace

PunchDialog::PunchDialog(const PunchParts& parts, QWidget* parent)
    : QDialog(parent), m(parts), m_part(lineOf(parts.model.document(), parts.line)->recording.value_or(project::Recording())),
      m_wave(new WaveformView(this)), m_from(new TimeBox(this)), m_to(new TimeBox(this)), m_firstWord(new QComboBox(this)),
      m_lastWord(new QComboBox(this)), m_wordsName(new QLabel(tr("&Words"), this)), m_status(new QLabel(this)), m_problem(new QLabel(this)),
      m_meter(new LevelMeter(this)), m_record(new QPushButton(icon(QStringLiteral("record")), QString(), this)),
      m_hear(new QPushButton(icon(QStringLiteral("play")), tr("Hear"), this)),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this))
{
    makeWidgets();
    connectWidgets();
    fillWords();
    const auto target = newFile(m.takeFolder, "line");
    m_cutting = m.bridge.session().cutPart(m_part, target);
    refresh();
}

PunchDialog::~PunchDialog()
{
    m.speaker.stop();
    if (m_active)
        m.recorder.stop();
    for (const CommandId id : {m_cutting, m_looking}) {
        if (id != 0)
            m.bridge.session().cancel(id);
    }
    forget(m_cut.file);
    forget(m_result);
}

// With what the recorder lays beside it. In the background: a disk may sleep.
void PunchDialog::forget(const std::filesystem::path& file) const
{
    if (file.empty())
        return;
    const auto remove = [file] {
        std::error_code ignored;
        auto alone = file;
        alone.replace_extension(".stretch.flac"); // the new sound
        for (const std::filesystem::path& one : {file, alone}) {
            std::filesystem::remove(one.string() + ".json", ignored);
            std::filesystem::remove(one, ignored);
        }
        return true;
    };
    runInBackground(QCoreApplication::instance(), remove, [](const Result<bool>&) {});
}

double PunchDialog::lineSeconds() const
{
    return secondsOf(m_part.samples);
}

QPushButton& PunchDialog::use()
{
    return *m_buttons->button(QDialogButtonBox::Ok);
}

void PunchDialog::makeWidgets()
{
    int number = 0;
    lineOf(m.model.document(), m.line, &number);
    setWindowTitle(tr("Say a part of line %1 again").arg(number));
    for (QLabel* text : {m_status, m_problem}) {
        text->setWordWrap(true);
        text->setTextFormat(Qt::PlainText);
    }
    m_status->setProperty("muted", true);
    m_problem->setProperty("level", "error");
    m_from->setAccessibleName(tr("Beginning of the part"));
    m_to->setAccessibleName(tr("End of the part"));
    m_from->setRange(0, lineSeconds());
    m_to->setRange(0, lineSeconds());
    m_firstWord->setAccessibleName(tr("First word"));
    m_lastWord->setAccessibleName(tr("Last word"));
    m_wordsName->setBuddy(m_firstWord);
    use().setText(tr("Use it"));
    m_buttons->button(QDialogButtonBox::Cancel)->setText(tr("Cancel"));
    m_hear->setToolTip(tr("The new sound with a second of the line around it"));
    const auto row = [this](QWidget* first, QWidget* last) {
        auto* out = new QHBoxLayout;
        out->addWidget(first);
        auto* between = new QLabel(tr("to"), this);
        out->addWidget(between);
        out->addWidget(last);
        out->addStretch();
        return out;
    };
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(8);
    form->addRow(m_wordsName, row(m_firstWord, m_lastWord));
    auto* partName = new QLabel(tr("&Part"), this);
    partName->setBuddy(m_from);
    form->addRow(partName, row(m_from, m_to));
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_record);
    buttons->addWidget(m_hear);
    buttons->addStretch();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 20, 20, 16);
    layout->setSpacing(10);
    layout->addWidget(m_wave, 1);
    layout->addLayout(form);
    layout->addLayout(buttons);
    layout->addWidget(m_meter);
    layout->addWidget(m_status);
    layout->addWidget(m_problem);
    layout->addWidget(m_buttons);
    resize(fontMetrics().averageCharWidth() * 88, fontMetrics().height() * 27);
}

void PunchDialog::connectWidgets()
{
    m_watch.setInterval(kWatchMs);
    connect(&m_watch, &QTimer::timeout, this, &PunchDialog::watch);
    connect(m_wave, &WaveformView::partDragged, this, &PunchDialog::setSpan);
    const auto typed = [this] { setSpan(m_from->value(), m_to->value()); };
    connect(m_from, &QDoubleSpinBox::valueChanged, this, typed);
    connect(m_to, &QDoubleSpinBox::valueChanged, this, typed);
    for (QComboBox* box : {m_firstWord, m_lastWord})
        connect(box, &QComboBox::activated, this, &PunchDialog::takeWords);
    connect(m_record, &QPushButton::clicked, this, &PunchDialog::toggle);
    connect(m_hear, &QPushButton::clicked, this, &PunchDialog::hearResult);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &PunchDialog::useResult);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(&m.bridge, &SessionBridge::partCut, this, [this](CommandId id, const project::Recording& part) {
        if (id != m_cutting)
            return;
        m_cutting = 0;
        m_cut = part;
        m_looking = m.bridge.session().lookAtSound(m_cut.file, 0);
        refresh();
    });
    connect(&m.bridge, &SessionBridge::soundLooked, this, [this](CommandId id, const std::shared_ptr<const session::SoundLook>& look) {
        if (id != m_looking || look->peakSeconds <= 0)
            return;
        if (look->finished)
            m_looking = 0;
        // Without what is heard around the line.
        const auto skip = std::min(look->peaks.size(), static_cast<std::size_t>(secondsOf(m_cut.first) / look->peakSeconds));
        const auto count = std::min(look->peaks.size() - skip, static_cast<std::size_t>(lineSeconds() / look->peakSeconds) + 1);
        const auto begin = look->peaks.begin() + static_cast<std::ptrdiff_t>(skip);
        m_wave->setSound({begin, begin + static_cast<std::ptrdiff_t>(count)}, look->peakSeconds, lineSeconds());
    });
    connect(&m.bridge, &SessionBridge::commandFailed, this, [this](CommandId id, const Error& error) {
        if (id == 0 || (id != m_cutting && id != m_looking))
            return;
        (id == m_cutting ? m_cutting : m_looking) = 0;
        fail(QString::fromStdString(error.message()));
    });
}

// The part that was meant when this was asked for; all of the line where nothing was.
void PunchDialog::fillWords()
{
    const bool known = m.words && !m.words->empty();
    m_wordsName->setVisible(known);
    m_firstWord->setVisible(known);
    m_lastWord->setVisible(known);
    m_wave->setSound({}, 0, lineSeconds());
    setSpan(0, lineSeconds());
    if (!known)
        return;
    std::vector<WaveformView::Span> shown;
    int first = -1, last = -1;
    for (std::size_t i = 0; i < m.words->size(); ++i) {
        const speech::Word& word = (*m.words)[i];
        const QString text = QString::fromStdString(word.text);
        shown.push_back({word.start, word.end, text});
        for (QComboBox* box : {m_firstWord, m_lastWord})
            box->addItem(tr("%1: %2").arg(i + 1).arg(text));
        if (word.textBegin < m.end && word.textEnd > m.begin) {
            first = first < 0 ? static_cast<int>(i) : first;
            last = static_cast<int>(i);
        }
    }
    m_wave->setWords(std::move(shown));
    m_firstWord->setCurrentIndex(std::max(0, first));
    m_lastWord->setCurrentIndex(last < 0 ? m_lastWord->count() - 1 : last);
    takeWords();
}

// From the middle of the pause before them to the middle of the one behind.
void PunchDialog::takeWords()
{
    const auto& words = *m.words;
    const auto first = static_cast<std::size_t>(m_firstWord->currentIndex());
    const std::size_t last = std::max(first, static_cast<std::size_t>(m_lastWord->currentIndex()));
    m_lastWord->setCurrentIndex(static_cast<int>(last));
    setSpan(first == 0 ? 0 : (words[first - 1].end + words[first].start) / 2,
            last + 1 == words.size() ? lineSeconds() : (words[last].end + words[last + 1].start) / 2);
}

void PunchDialog::setSpan(double from, double to)
{
    const QSignalBlocker blockers[] = {QSignalBlocker(m_from), QSignalBlocker(m_to)};
    m_to->setValue(std::clamp(to, std::min(kShortest, lineSeconds()), lineSeconds()));
    m_from->setValue(std::clamp(from, 0.0, std::max(0.0, m_to->value() - kShortest)));
    m_wave->setPart(m_from->value(), m_to->value());
}

void PunchDialog::toggle()
{
    if (!m_active)
        return startRecording();
    m_stopping = true;
    m.recorder.stop(); // watch() sees what comes of it
}

void PunchDialog::startRecording()
{
    m.speaker.stop();
    forget(std::exchange(m_result, {}));
    m_failure.clear();
    const double before = secondsOf(m_cut.first);
    audio::TakeRequest request;
    request.file = newFile(m.takeFolder, "punch");
    request.punch = audio::PunchIn{m_cut.file, before + m_from->value(), before + m_to->value()};
    m.recorder.record(request);
    m_active = true;
    m_stopping = false;
    m_watch.start();
    refresh();
}

void PunchDialog::watch()
{
    const audio::RecorderState state = m.recorder.state();
    m_meter->setPeak(state.peak);
    switch (state.phase) {
    case Phase::Idle:
        if (m_stopping)
            endRecording({});
        break;
    case Phase::Opening:
    case Phase::Armed:
        m_status->setText(tr("Opening the microphone…"));
        break;
    case Phase::CountIn:
        m_status->setText(tr("Listen: you speak in %n second(s)", nullptr, state.countLeft));
        break;
    case Phase::Recording:
        m_status->setText(tr("Speak now: %1").arg(timeText(state.seconds)));
        break;
    case Phase::Finishing:
        m_status->setText(tr("Putting it together…"));
        break;
    case Phase::Finished:
    case Phase::Failed:
        endRecording(state);
        break;
    }
}

void PunchDialog::endRecording(const audio::RecorderState& state)
{
    m_active = false;
    m_watch.stop();
    m_meter->setPeak(0);
    m_result = state.error ? std::filesystem::path() : state.file;
    m_failure = state.error ? QString::fromStdString(state.error->message()) : QString();
    if (state.clippedRuns > 0 && m_failure.isEmpty())
        m_failure = tr("Too loud: %n place(s) are distorted", nullptr, static_cast<int>(state.clippedRuns));
    refresh();
}

void PunchDialog::hearResult()
{
    const double before = secondsOf(m_cut.first);
    const double from = std::max(0.0, before + m_from->value() - kHeardAround);
    const auto file = m_result.empty() ? m_cut.file : m_result;
    media::AudioReadOptions options;
    options.sampleRate = project::kRecordingRate;
    options.from = std::chrono::microseconds(std::llround(from * 1e6));
    const auto wanted = static_cast<std::size_t>((before + m_to->value() + kHeardAround - from) * project::kRecordingRate);
    const auto read = [file, options, wanted]() -> Result<AudioBlock> {
        LQ_TRY(AudioBlock sound, media::readAudio(file, options));
        sound.samples.resize(std::min(sound.samples.size(), wanted));
        return sound;
    };
    runInBackground(this, read, [this](Result<AudioBlock> sound) {
        if (sound)
            m.speaker.play(std::make_shared<const AudioBlock>(std::move(*sound)));
        else
            fail(QString::fromStdString(sound.error().message()));
    });
}

void PunchDialog::useResult()
{
    if (m_result.empty() || m_active)
        return;
    setEnabled(false);
    runInBackground(this, [file = m_result] { return hashOf(file); }, [this](const Result<std::string>& hash) {
                        setEnabled(true);
                        int number = 0;
                        const project::Line* line = lineOf(m.model.document(), m.line, &number);
                        if (!hash)
                            return fail(QString::fromStdString(hash.error().message()));
                        if (!line || line->recording != m_part)
                            return fail(tr("The line was changed meanwhile."));
                        project::Recording part = m_cut;
                        part.file = m_result;
                        part.sha256 = *hash;
                        auto changed = project::withRecordingReplaced(m.model.document(), number, part);
                        if (!changed)
                            return fail(QString::fromStdString(changed.error().message()));
                        m.model.breakMerge();
                        m.model.edit(EditKind::Punch, tr("Say a part again"), [&](project::Document& document) { document = std::move(*changed); });
                        m.model.breakMerge();
                        m_result.clear(); // it is the project's now
                        Q_EMIT used();
                        accept(); });
}

void PunchDialog::fail(const QString& message)
{
    m_failure = message;
    refresh();
}

void PunchDialog::refresh()
{
    const bool there = !m_cut.file.empty();
    m_record->setEnabled(there);
    m_record->setText(m_active ? tr("Stop") : m_result.empty() ? tr("Record")
                                                               : tr("Record again"));
    m_record->setIcon(icon(m_active ? QStringLiteral("stop") : QStringLiteral("record")));
    m_hear->setEnabled(there && !m_active);
    use().setEnabled(!m_result.empty() && !m_active);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_wave, m_from, m_to, m_firstWord, m_lastWord})
        widget->setEnabled(!m_active);
    m_meter->setEnabled(m_active);
    m_problem->setText(wrappable(m_failure));
    m_problem->setVisible(!m_failure.isEmpty());
    if (m_active)
        return;
    m_status->setText(!there && m_cutting != 0 ? tr("Getting the line out of its recording…")
                      : !there                 ? QString()
                      : m_result.empty()       ? tr("Two seconds of the line are heard first; then speak until the part is over.")
                                               : tr("Recorded. Hear it, use it, or record it again."));
}

QString PunchDialog::statusText() const
{
    return m_status->text();
}

QString PunchDialog::problemText() const
{
    return m_problem->text().remove(QChar(0x200b));
}

} // namespace loquor::ui
