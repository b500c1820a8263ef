// Progress for people: a bar on a terminal, otherwise a line a second when there is something new.
#pragma once

#include <chrono>
#include <set>
#include <string>

#include "core/session/session.h"
#include "core/session/shown_progress.h"

namespace loquor::cli {

// Writes to stderr. One thread.
class Progress
{
public:
    enum class Style {
        Quiet = 1,
        Bar,
        Lines,
    };
    // Bar when stderr is a terminal, else lines; quiet on request.
    static Style styleFor(bool quiet);

    explicit Progress(Style style) : m_style(style) {}
    void show(const session::Snapshot& snapshot);
    // Prints a message without tearing the bar; the same words only once.
    void message(const std::string& text);
    // Removes the bar.
    void finish();

private:
    void clearBar();
    Style m_style;
    session::ShownProgress m_shown;
    std::chrono::steady_clock::time_point m_last{};
    bool m_barShown = false;
    std::string m_line;           // printed last
    std::set<std::string> m_said; // messages so far
};

// Shows the making of a processed copy of a recording, for work that no session does; on one thread.
media::ImportProgress copyProgress(Progress::Style style);

// "  42 %  210/500 frames  61 fps  5 s left"; used by both styles.
std::string describe(const session::Snapshot& snapshot, const session::ShownProgress& shown);

} // namespace loquor::cli
