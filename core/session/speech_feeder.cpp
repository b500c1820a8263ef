#include "core/session/speech_feeder.h"

#include "core/base/guarded_thread.h"
#include "core/base/trace.h"

namespace loquor::session {

namespace {

constexpr std::size_t kLinesAhead = 3;
constexpr std::size_t kBytesAhead = 64u << 20;

} // namespace

SpeechFeeder::SpeechFeeder(std::unique_ptr<SpeechSource> source, std::function<void()> wake)
    : m_source(std::move(source)), m_wake(std::move(wake)),
      m_lines(QueueLimits{kLinesAhead, kBytesAhead, std::chrono::microseconds{0}})
{
    m_thread = guardedThread("feeding speech", [this] { run(); });
}

SpeechFeeder::~SpeechFeeder()
{
    m_cancel.cancel();
    m_lines.abort();
    m_thread.join();
}

void SpeechFeeder::run()
{
    Result<void> result;
    if (auto error = caught("making the speech", [&] { result = feed(); }))
        result = fail(std::move(*error));
    {
        std::lock_guard lock(m_mutex);
        m_cpuSeconds = threadCpuSeconds();
        if (!result && !m_cancel.isCancelled())
            m_error = std::move(result).error();
    }
    m_wake();
}

Result<void> SpeechFeeder::feed()
{
    LQ_TRY(SpeechFacts facts, m_source->open(m_cancel.token()));
    {
        std::lock_guard lock(m_mutex);
        m_facts = std::move(facts);
    }
    m_wake();
    for (;;) {
        LQ_TRY(std::optional<SpokenLine> line, m_source->next(m_cancel.token()));
        {
            std::lock_guard lock(m_mutex);
            m_cpuSeconds = threadCpuSeconds();
            for (std::string& warning : m_source->takeWarnings())
                m_warnings.push_back(std::move(warning));
        }
        if (!line)
            return {};
        const std::size_t bytes = line->audio.samples.size() * sizeof(float);
        if (!m_lines.push(std::move(*line), {bytes, std::chrono::microseconds{0}}))
            return cancelled();
        m_wake();
    }
}

std::optional<SpeechFacts> SpeechFeeder::takeFacts()
{
    std::lock_guard lock(m_mutex);
    return std::exchange(m_facts, std::nullopt);
}

std::optional<SpokenLine> SpeechFeeder::takeLine()
{
    return m_lines.tryPop();
}

std::vector<std::string> SpeechFeeder::takeWarnings()
{
    std::lock_guard lock(m_mutex);
    return std::exchange(m_warnings, {});
}

std::optional<Error> SpeechFeeder::takeError()
{
    std::lock_guard lock(m_mutex);
    return std::exchange(m_error, std::nullopt);
}

double SpeechFeeder::cpuSeconds() const
{
    std::lock_guard lock(m_mutex);
    return m_cpuSeconds;
}

} // namespace loquor::session
