// The thread that makes speech ahead of the picture.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "core/base/cancel.h"
#include "core/base/queue.h"
#include "core/session/speech_source.h"

namespace loquor::session {

// Runs a source on its own thread and holds a few lines ready. `wake` is called (on that thread) whenever
// there is news. All else from the engine thread. Destruction cancels and joins.
class SpeechFeeder
{
public:
    SpeechFeeder(std::unique_ptr<SpeechSource> source, std::function<void()> wake);
    ~SpeechFeeder();

    // Each piece of news once.
    std::optional<SpeechFacts> takeFacts();
    std::optional<SpokenLine> takeLine();
    std::vector<std::string> takeWarnings();
    std::optional<Error> takeError();
    // CPU seconds its thread has used so far.
    double cpuSeconds() const;

private:
    void run();
    Result<void> feed();

    CancelSource m_cancel;
    std::unique_ptr<SpeechSource> m_source; // feeder thread only
    std::function<void()> m_wake;           // immutable
    BoundedQueue<SpokenLine> m_lines;
    mutable std::mutex m_mutex;             // guards the four below
    std::optional<SpeechFacts> m_facts;
    std::optional<Error> m_error;
    std::vector<std::string> m_warnings;
    double m_cpuSeconds = 0;
    std::thread m_thread;
};

} // namespace loquor::session
