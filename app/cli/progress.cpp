#include "app/cli/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include <unistd.h>

namespace loquor::cli {

namespace {

const char* activityText(const session::Snapshot& snapshot)
{
    if (snapshot.activity == "reference")
        return "Preparing the reference";
    if (snapshot.activity == "finish")
        return "Finishing the file";
    if (snapshot.activity == "export")
        return "Putting the video together";
    if (snapshot.activity == "recording")
        return "Listening to the recording";
    return snapshot.activity.empty() ? "Starting" : "Preparing the speech";
}

// "40 s", "12:30 min", "2:05:00 h"
std::string timeLeft(double seconds)
{
    const auto whole = static_cast<long>(std::ceil(seconds));
    char text[40];
    if (whole < 100)
        std::snprintf(text, sizeof text, "%ld s", whole);
    else if (whole < 3600)
        std::snprintf(text, sizeof text, "%ld:%02ld min", whole / 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%ld:%02ld:%02ld h", whole / 3600, whole / 60 % 60, whole % 60);
    return text;
}

std::string bar(double part)
{
    constexpr int kWidth = 30;
    const int filled = static_cast<int>(std::clamp(part, 0.0, 1.0) * kWidth);
    return '[' + std::string(static_cast<std::size_t>(filled), '#') +
           std::string(static_cast<std::size_t>(kWidth - filled), ' ') + ']';
}

} // namespace

media::ImportProgress copyProgress(Progress::Style style)
{
    return [progress = std::make_shared<Progress>(style)](double done) {
        session::Snapshot now;
        now.copying = done;
        progress->show(now);
        if (done >= 1)
            progress->finish();
    };
}

std::string describe(const session::Snapshot& s, const session::ShownProgress& shown)
{
    if (shown.done() <= 0 && s.copying >= 0) {
        char copying[60];
        std::snprintf(copying, sizeof copying, "%3d %%  Preparing the recording", static_cast<int>(100 * s.copying));
        return copying;
    }
    if (shown.done() <= 0 || s.activity == "finish")
        return activityText(s);
    char text[160];
    const auto done = static_cast<long long>(shown.done()), total = static_cast<long long>(shown.total());
    const int percent = static_cast<int>(100 * shown.part());
    if (s.activity == "recording" && total > 0) {
        std::snprintf(text, sizeof text, "%3d %%  %s", percent, activityText(s));
        return text;
    }
    if (total > 0 && s.secondsLeft >= 0)
        std::snprintf(text, sizeof text, "%3d %%  %lld/%lld frames  %.0f fps  %s left", percent, done, total, s.fpsNow,
                      timeLeft(s.secondsLeft).c_str());
    else if (total > 0)
        std::snprintf(text, sizeof text, "%3d %%  %lld/%lld frames", percent, done, total);
    else if (s.fpsNow > 0)
        std::snprintf(text, sizeof text, "%lld frames  %.0f fps", done, s.fpsNow);
    else
        std::snprintf(text, sizeof text, "%lld frames", done);
    return text;
}

Progress::Style Progress::styleFor(bool quiet)
{
    if (quiet)
        return Style::Quiet;
    return ::isatty(STDERR_FILENO) ? Style::Bar : Style::Lines;
}

void Progress::show(const session::Snapshot& snapshot)
{
    m_shown.update(snapshot);
    const auto now = std::chrono::steady_clock::now();
    const auto every = m_style == Style::Bar ? std::chrono::milliseconds(100) : std::chrono::milliseconds(1000);
    if (m_style == Style::Quiet || now - m_last < every)
        return;
    m_last = now;
    const std::string text = describe(snapshot, m_shown);
    if (m_style == Style::Lines) {
        if (text != m_line) // a step that takes long is named once
            std::fprintf(stderr, "%s\n", text.c_str());
        m_line = text;
        return;
    }
    const bool copies = snapshot.copying >= 0 && m_shown.done() <= 0;
    std::fprintf(stderr, "\r\x1b[K%s %s", bar(copies ? snapshot.copying : m_shown.part()).c_str(), text.c_str());
    std::fflush(stderr);
    m_barShown = true;
}

void Progress::message(const std::string& text)
{
    if (!m_said.insert(text).second)
        return;
    clearBar();
    std::fprintf(stderr, "%s\n", text.c_str());
}

void Progress::finish()
{
    clearBar();
}

void Progress::clearBar()
{
    if (m_barShown)
        std::fprintf(stderr, "\r\x1b[K");
    m_barShown = false;
}

} // namespace loquor::cli
