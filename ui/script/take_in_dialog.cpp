#include "ui/script/take_in_dialog.h"

#include <algorithm>
#include <cmath>

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>

#include "ui/bridge/strings.h"
#include "ui/widgets/time_box.h"
#include "ui/widgets/waveform_view.h"

namespace loquor::ui {

namespace {

constexpr double kMicroseconds = 1e6, kShortestPart = .1; // seconds
constexpr double kUnknownEnd = 24 * 3600;                 // while the length is not known

double secondsOf(std::chrono::microseconds time)
{
    return static_cast<double>(time.count()) / kMicroseconds;
}

std::chrono::microseconds timeOf(double seconds)
{
    return std::chrono::microseconds(std::llround(seconds * kMicroseconds));
}

std::vector<WaveformView::Span> spansOf(const std::vector<media::SoundSpan>& spans, double rate)
{
    std::vector<WaveformView::Span> out;
    for (const media::SoundSpan& span : spans)
        out.push_back({static_cast<double>(span.first) / rate, static_cast<double>(span.first + span.frames) / rate});
    return out;
}

// "0:12.1, 0:14.0 and 3 more places"
QString placesOf(const std::vector<media::SoundSpan>& spans, double rate, std::int64_t count)
{
    constexpr std::size_t kShown = 4;
    QStringList places;
    for (std::size_t i = 0; i < std::min(kShown, spans.size()); ++i)
        places += timeText(static_cast<double>(spans[i].first) / rate);
    const auto more = static_cast<int>(count - static_cast<std::int64_t>(places.size()));
    return more > 0 ? TakeInDialog::tr("%1 and %n more", nullptr, more).arg(places.join(QStringLiteral(", ")))
                    : places.join(QStringLiteral(", "));
}

} // namespace

TakeInDialog::TakeInDialog(SessionBridge& bridge, const std::filesystem::path& file, const media::SoundImport& import, QWidget* parent)
    : QDialog(parent), m_bridge(bridge), m_file(file), m_before(import), m_wave(new WaveformView(this)), m_stream(new QComboBox(this)),
      m_streamName(new QLabel(tr("S&tream"), this)), m_facts(new QLabel(this)), m_warnings(new QLabel(this)), m_problem(new QLabel(this)),
      m_copying(new QLabel(this)), m_from(new TimeBox(this)), m_to(new TimeBox(this)),
      m_loudness(new QCheckBox(tr("&Loud as speech usually is (-16 LUFS)"), this)),
      m_denoise(new QCheckBox(tr("Without steady &noise"), this)), m_progress(new QProgressBar(this)),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this))
{
    setWindowTitle(tr("Use of the recording"));
    auto* name = new QLabel(wrappable(shownName(file)), this);
    name->setProperty("heading", true);
    name->setTextFormat(Qt::PlainText);
    name->setWordWrap(true);
    for (QLabel* text : {m_facts, m_warnings, m_problem, m_copying}) {
        text->setWordWrap(true);
        text->setTextFormat(Qt::PlainText);
    }
    m_facts->setProperty("muted", true);
    m_copying->setProperty("muted", true);
    m_warnings->setProperty("level", "warning");
    m_problem->setProperty("level", "error");
    m_progress->setTextVisible(false);
    m_progress->setRange(0, 1000);
    m_progress->setAccessibleName(tr("Progress of the copy"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 20, 20, 16);
    layout->setSpacing(10);
    layout->addWidget(name);
    layout->addWidget(m_facts);
    layout->addWidget(m_wave, 1);
    layout->addWidget(m_warnings);
    layout->addLayout(makeForm());
    layout->addWidget(m_problem);
    layout->addWidget(m_copying);
    layout->addWidget(m_progress);
    layout->addWidget(m_buttons);
    resize(fontMetrics().averageCharWidth() * 88, fontMetrics().height() * 30);
    connectWidgets();
    setPart(secondsOf(import.from), import.to.count() > 0 ? secondsOf(import.to) : kUnknownEnd);
    lookAgain();
}

TakeInDialog::~TakeInDialog()
{
    for (const CommandId id : {m_looking, m_taking}) {
        if (id != 0)
            m_bridge.session().cancel(id);
    }
}

QFormLayout* TakeInDialog::makeForm()
{
    m_from->setAccessibleName(tr("Beginning of the part"));
    m_to->setAccessibleName(tr("End of the part"));
    m_from->setRange(0, kUnknownEnd);
    m_to->setRange(0, kUnknownEnd);
    m_loudness->setChecked(m_before.loudness);
    m_denoise->setChecked(m_before.denoise);
    m_loudness->setToolTip(tr("Makes a copy; the file itself stays as it is"));
    m_denoise->setToolTip(m_loudness->toolTip());
    m_stream->addItem(tr("The first with sound"), 0);
    m_streamName->setBuddy(m_stream);
    auto* part = new QHBoxLayout;
    part->addWidget(m_from);
    part->addWidget(new QLabel(tr("to"), this));
    part->addWidget(m_to);
    part->addStretch();
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(8);
    form->addRow(m_streamName, m_stream);
    auto* partName = new QLabel(tr("&Part"), this);
    partName->setBuddy(m_from);
    form->addRow(partName, part);
    form->addRow(tr("Sound"), m_loudness);
    form->addRow(QString(), m_denoise);
    return form;
}

QPushButton& TakeInDialog::use()
{
    return *m_buttons->button(QDialogButtonBox::Ok);
}

void TakeInDialog::connectWidgets()
{
    use().setText(tr("Use so"));
    m_buttons->button(QDialogButtonBox::Cancel)->setText(tr("Cancel"));
    connect(m_buttons, &QDialogButtonBox::accepted, this, &TakeInDialog::take);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &TakeInDialog::reject);
    connect(m_stream, &QComboBox::activated, this, &TakeInDialog::lookAgain);
    connect(m_wave, &WaveformView::partDragged, this, &TakeInDialog::setPart);
    const auto typed = [this] { setPart(m_from->value(), m_to->value()); };
    connect(m_from, &QDoubleSpinBox::valueChanged, this, typed);
    connect(m_to, &QDoubleSpinBox::valueChanged, this, typed);
    for (QCheckBox* box : {m_loudness, m_denoise})
        connect(box, &QCheckBox::toggled, this, &TakeInDialog::refresh);
    connect(&m_bridge, &SessionBridge::soundLooked, this, [this](CommandId id, const std::shared_ptr<const session::SoundLook>& look) {
        if (id == m_looking)
            show(*look);
    });
    connect(&m_bridge, &SessionBridge::soundTaken, this, [this](CommandId id, qint64 samples) {
        if (id != m_taking)
            return;
        m_taking = 0;
        Q_EMIT taken(import(), samples);
        accept();
    });
    connect(&m_bridge, &SessionBridge::commandFailed, this, [this](CommandId id, const Error& error) {
        if (id == 0 || (id != m_looking && id != m_taking))
            return;
        (id == m_looking ? m_looking : m_taking) = 0;
        fail(error.isCancelled() ? QString() : QString::fromStdString(error.message()));
    });
    connect(&m_bridge, &SessionBridge::snapshotChanged, this, [this](const session::Snapshot& now) {
        if (isCopying() && now.copying >= 0)
            m_progress->setValue(static_cast<int>(now.copying * m_progress->maximum()));
    });
}

// What was seen of another stream is not of this one.
void TakeInDialog::lookAgain()
{
    if (m_looking != 0)
        m_bridge.session().cancel(m_looking);
    m_seen = false;
    m_failure.clear();
    m_wave->setSound({}, 0, 0);
    m_wave->setSilences({});
    m_wave->setClipped({});
    const int stream = m_stream->count() > 1 ? m_stream->currentData().toInt() : m_before.stream;
    m_looking = m_bridge.session().lookAtSound(m_file, stream);
    refresh();
}

void TakeInDialog::show(const session::SoundLook& look)
{
    if (look.finished) {
        m_looking = 0;
        m_seen = true;
    }
    showStreams(look);
    showFaults(look);
    const double seconds = look.report.seconds();
    m_wave->setSound(look.peaks, look.peakSeconds, seconds);
    if (look.finished) {
        const double before = m_to->value();
        const QSignalBlocker blockers[] = {QSignalBlocker(m_from), QSignalBlocker(m_to)};
        m_from->setMaximum(std::max(0.0, seconds - kShortestPart));
        m_to->setMaximum(seconds);
        setPart(std::min(m_from->value(), m_from->maximum()), std::min(before, seconds));
    }
    refresh();
}

void TakeInDialog::showStreams(const session::SoundLook& look)
{
    if (m_stream->count() == 1 && look.streams.size() > 1) {
        const QSignalBlocker blocker(m_stream);
        for (const media::AudioStreamInfo& stream : look.streams) {
            QStringList facts{QString::fromStdString(stream.codec), QString::fromStdString(stream.layout)};
            if (!stream.language.empty())
                facts += QString::fromStdString(stream.language);
            m_stream->addItem(tr("%1: %2").arg(stream.number).arg(facts.join(QStringLiteral(", "))), stream.number);
        }
        m_stream->setCurrentIndex(std::max(0, m_stream->findData(look.stream)));
    }
    QStringList facts{timeText(look.report.seconds()), tr("%1 Hz").arg(look.report.sampleRate)};
    const auto chosen = std::find_if(look.streams.begin(), look.streams.end(), [&](const media::AudioStreamInfo& stream) {
        return stream.number == std::max(1, look.stream);
    });
    if (chosen != look.streams.end())
        facts += {QString::fromStdString(chosen->layout), QString::fromStdString(chosen->codec)};
    m_facts->setText(facts.join(QStringLiteral(" · ")));
}

void TakeInDialog::showFaults(const session::SoundLook& look)
{
    const media::SoundReport& report = look.report;
    const double rate = std::max(1, report.sampleRate);
    m_wave->setSilences(spansOf(report.silences, rate));
    m_wave->setClipped(spansOf(report.clipped, rate));
    QStringList said;
    if (look.finished && report.peak <= media::SoundReport::kSilenceLevel)
        said += tr("Nobody can be heard in it.");
    else if (report.silenceCount > 0)
        said += tr("Silent at %1.").arg(placesOf(report.silences, rate, report.silenceCount));
    if (report.clippedRuns > 0)
        said += tr("Too loud, distorted at %1.").arg(placesOf(report.clipped, rate, std::max(report.clippedRuns, static_cast<std::int64_t>(report.clipped.size()))));
    m_warnings->setText(said.join(QLatin1Char('\n')));
}

// Ends that would cross push each other.
void TakeInDialog::setPart(double from, double to)
{
    const QSignalBlocker blockers[] = {QSignalBlocker(m_from), QSignalBlocker(m_to)};
    m_to->setValue(std::max(to, kShortestPart));
    m_from->setValue(std::clamp(from, 0.0, std::max(0.0, m_to->value() - kShortestPart)));
    m_wave->setPart(m_from->value(), m_to->value());
    refresh();
}

media::SoundImport TakeInDialog::import() const
{
    media::SoundImport out;
    out.stream = m_stream->count() > 1 ? m_stream->currentData().toInt() : m_before.stream;
    out.from = timeOf(m_from->value());
    // An end that is the end of the sound is none.
    const bool toEnd = m_to->value() >= m_to->maximum() - .0015;
    out.to = toEnd ? std::chrono::microseconds(0) : timeOf(m_to->value());
    out.loudness = m_loudness->isChecked();
    out.denoise = m_denoise->isChecked();
    return out;
}

void TakeInDialog::take()
{
    if (isCopying() || !m_seen)
        return;
    m_failure.clear();
    m_progress->setValue(0);
    m_taking = m_bridge.session().takeIn(m_file, import());
    refresh();
}

void TakeInDialog::reject()
{
    if (!isCopying())
        return QDialog::reject();
    m_bridge.session().cancel(std::exchange(m_taking, 0));
    refresh();
}

void TakeInDialog::fail(const QString& message)
{
    m_failure = message;
    refresh();
}

void TakeInDialog::refresh()
{
    const bool copying = isCopying();
    m_stream->setVisible(m_stream->count() > 1);
    m_streamName->setVisible(m_stream->count() > 1);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_wave, m_stream, m_from, m_to, m_loudness, m_denoise})
        widget->setEnabled(!copying);
    m_warnings->setVisible(!m_warnings->text().isEmpty());
    m_problem->setText(wrappable(m_failure));
    m_problem->setVisible(!m_failure.isEmpty());
    m_progress->setVisible(copying);
    m_copying->setVisible(copying || !m_seen);
    m_copying->setText(copying ? tr("Making the copy that will be heard…") : m_looking != 0 ? tr("Looking at the sound…")
                                                                                            : QString());
    use().setEnabled(m_seen && !copying);
    m_buttons->button(QDialogButtonBox::Cancel)->setText(copying ? tr("Stop") : tr("Cancel"));
}

QString TakeInDialog::factsText() const
{
    return m_facts->text();
}

QString TakeInDialog::warningText() const
{
    return m_warnings->text();
}

QString TakeInDialog::problemText() const
{
    return m_problem->text().remove(QChar(0x200b));
}

} // namespace loquor::ui
