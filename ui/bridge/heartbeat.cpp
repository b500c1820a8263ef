#include "ui/bridge/heartbeat.h"

#include <algorithm>

#include <QAbstractEventDispatcher>
#include <QCoreApplication>
#include <QEvent>
#include <QMetaEnum>

#include "core/base/log.h"
#include "ui/bridge/background_task.h"

namespace loquor::ui {

namespace {

constexpr double kBeatMs = 50, kLateMs = 100;
constexpr std::size_t kStallsKept = 100;

double milliseconds(std::chrono::steady_clock::duration duration)
{
    return std::chrono::duration<double, std::milli>(duration).count();
}

} // namespace

Heartbeat::Heartbeat(QObject* parent)
    : QObject(parent), m_schedule(QStringLiteral("/proc/thread-self/schedstat")),
      m_lastBeat(Clock::now()), m_lastEvent(m_lastBeat)
{
    m_schedule.open(QIODevice::ReadOnly | QIODevice::Unbuffered);
    m_lastWait = waitedForProcessor();
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(static_cast<int>(kBeatMs));
    connect(&m_timer, &QTimer::timeout, this, &Heartbeat::beat);
    m_timer.start();
    QCoreApplication::instance()->installEventFilter(this);
    QAbstractEventDispatcher* loop = QAbstractEventDispatcher::instance();
    connect(loop, &QAbstractEventDispatcher::aboutToBlock, this, [this] {
        closeGap();
        m_running = {};
        m_isAsleep = true;
    });
    connect(loop, &QAbstractEventDispatcher::awake, this, [this] {
        wake(); // some loops say so before they deliver the events, others after
        m_running = {};
    });
}

void Heartbeat::forget()
{
    m_stalls.clear();
    m_worst = m_longest = 0;
    m_lastBeat = m_lastEvent = Clock::now();
    m_lastWait = waitedForProcessor();
}

// What was running until now took so long.
void Heartbeat::closeGap()
{
    const Clock::time_point now = Clock::now();
    const double took = milliseconds(now - m_lastEvent);
    if (took > m_longest) {
        m_longest = took;
        m_longestSeen = m_running;
    }
    m_lastEvent = now;
}

void Heartbeat::wake()
{
    if (m_isAsleep)
        m_lastEvent = Clock::now(); // the time before was spent waiting
    else
        closeGap();
    m_isAsleep = false;
}

bool Heartbeat::eventFilter(QObject* receiver, QEvent* event)
{
    wake();
    detail::takeOver(); // of an event that another thread posted
    m_running = {receiver->metaObject()->className(),
                 receiver->parent() ? receiver->parent()->metaObject()->className() : nullptr, event->type()};
    return false;
}

double Heartbeat::waitedForProcessor()
{
    if (!m_schedule.isOpen() || !m_schedule.seek(0))
        return 0;
    const QList<QByteArray> numbers = m_schedule.read(128).split(' '); // run, waited (ns), turns
    return numbers.size() > 1 ? numbers[1].toDouble() / 1e6 : 0;
}

QString Heartbeat::nameOf(const Seen& seen) const
{
    if (!seen.receiver)
        return QStringLiteral("between events");
    const char* type = QMetaEnum::fromType<QEvent::Type>().valueToKey(seen.type);
    QString out = QStringLiteral("%1 of %2").arg(type ? QString::fromLatin1(type) : QString::number(seen.type), QString::fromLatin1(seen.receiver));
    if (seen.owner)
        out += QStringLiteral(" in %1").arg(QString::fromLatin1(seen.owner));
    return out;
}

void Heartbeat::beat()
{
    const Clock::time_point now = Clock::now();
    const double waited = waitedForProcessor();
    const double late = milliseconds(now - m_lastBeat) - kBeatMs - (waited - m_lastWait);
    m_lastBeat = now;
    m_lastWait = waited;
    m_worst = std::max(m_worst, late);
    if (late > kLateMs) {
        const Stall stall{late, nameOf(m_longestSeen), m_longest};
        if (m_stalls.size() < kStallsKept)
            m_stalls.push_back(stall);
        log(LogLevel::Info, "ui",
            QStringLiteral("The window stood still for %1 ms; longest: %2, %3 ms")
                .arg(stall.milliseconds, 0, 'f', 0)
                .arg(stall.what)
                .arg(stall.longest, 0, 'f', 0)
                .toStdString());
        Q_EMIT stalled(stall);
    }
    m_longest = 0;
    m_longestSeen = {};
}

} // namespace loquor::ui
