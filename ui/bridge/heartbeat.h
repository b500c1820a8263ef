// Notices when the UI thread does not come back to its event loop in time, and what kept it.
#pragma once

#include <chrono>
#include <vector>

#include <QFile>
#include <QObject>
#include <QString>
#include <QTimer>

namespace loquor::ui {

// A timer that ought to come every 50 ms; a beat that is more than 100 ms late is a stall. While it
// waits, every event of the thread is seen before it is delivered: the one that took longest names the
// stall ("Timer of loquor::ui::MainWindow"). Time in which the system let other processes run does not
// count. Stalls go to the log (LOQUOR_LOG=info). Make and keep it on the UI thread.
class Heartbeat : public QObject
{
    Q_OBJECT

public:
    struct Stall
    {
        double milliseconds = 0; // beyond the beat
        QString what;            // the event that took longest meanwhile
        double longest = 0;      // milliseconds of it
    };

    explicit Heartbeat(QObject* parent = nullptr);
    const std::vector<Stall>& stalls() const { return m_stalls; } // the first hundred
    double worst() const { return m_worst; }                      // milliseconds a beat was late
    void forget();

Q_SIGNALS:
    void stalled(const loquor::ui::Heartbeat::Stall& stall);

protected:
    bool eventFilter(QObject* receiver, QEvent* event) override;

private:
    using Clock = std::chrono::steady_clock;
    struct Seen // what runs; class names are literals
    {
        const char* receiver = nullptr;
        const char* owner = nullptr;
        int type = 0;
    };
    void beat();
    void closeGap();
    void wake();
    double waitedForProcessor(); // milliseconds so far; 0 where the system does not tell
    QString nameOf(const Seen& seen) const;

    QTimer m_timer;
    QFile m_schedule;
    bool m_isAsleep = false; // the loop waits for events
    Clock::time_point m_lastBeat, m_lastEvent;
    double m_lastWait = 0, m_worst = 0, m_longest = 0;
    Seen m_running, m_longestSeen;
    std::vector<Stall> m_stalls;
};

} // namespace loquor::ui
