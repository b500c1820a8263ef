// Projects on the fake engine: a session with its own store, documents, and what came of a run.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <QTemporaryDir>

#include "core/session/project_assembly.h"
#include "core/session/session.h"

namespace loquor::test {

// One store and one log of the fake engine; sessions come and go.
class ProjectFixture
{
public:
    ProjectFixture();
    ~ProjectFixture();

    // A project of short lines said by an espeak-ng voice (fast, and the same every time).
    project::Document document(const std::vector<std::string>& texts) const;
    // Orders faults of the fake engine, from now on: "die:2:3:1 fail:1:0:3" (kind:line:chunk:times).
    void orderFaults(const std::string& faults);
    void open(std::chrono::milliseconds silence = std::chrono::milliseconds(20'000));
    void close();
    session::Session& session() { return *m_session; }

    struct Outcome
    {
        std::optional<session::RenderReport> report;
        std::optional<Error> error;
        bool cancelled = false;
        std::vector<session::Event> events; // of the command, all kinds
        int count(session::Event::Kind kind) const;
    };
    // Waits for the end of a job; fails the test after a minute.
    Outcome wait(session::CommandId job);
    static Outcome wait(session::Session& session, session::CommandId job);
    // How many events of a job have come so far.
    int events(session::CommandId job);
    // A second session with the same store, as another program has it.
    std::unique_ptr<session::Session> another() const;
    Outcome render(const project::Document& document, bool everything = false);
    // Cuts a recording as `project add-recording` does; throws what went wrong.
    std::vector<project::Line> cut(session::RecordingRequest request);
    session::ProjectState inspect(const project::Document& document, bool words = false);

    // What the fake engine made since the last call: "N 2 0" (line, chunk), "I 2" (join in front of line).
    std::vector<std::string> takeLog();
    // Bytes of the video of every chunk that is shown, in playback order.
    std::vector<std::string> shown(const project::Document& document);
    // Of the running engine process.
    int enginePid() const;
    // The sound of the video, mono, at the project's rate.
    std::vector<float> heard(const project::Document& document);
    std::filesystem::path folder() const { return m_folder.path().toStdString(); }
    std::filesystem::path storeFolder() const { return folder() / m_store; }
    // Of sessions opened later.
    void showFrames() { m_preview = true; }
    void limitStore(std::uint64_t bytes) { m_storeBytes = bytes; }
    // A fresh store for the next session, the old one stays.
    void useStore(const std::string& name) { m_store = name; }

private:
    session::SessionOptions options() const;
    void collect();
    static Outcome waitFor(session::Session& session, session::CommandId job, std::vector<session::Event>& events);

    session::Assembly assembly(const project::Document& document);
    QTemporaryDir m_folder;
    std::chrono::milliseconds m_silence{20'000};
    std::string m_store = "store";
    bool m_preview = false;
    std::uint64_t m_storeBytes = 20ull << 30;
    std::unique_ptr<session::Session> m_session;
    std::vector<session::Event> m_events;
};

// How many N chunks are in a log, and how many joins.
inline const std::vector<std::string> kFourLines{"The first line says a little.", "A second line follows it at once.",
                                                 "Then comes the third one.", "The fourth line ends it all."};

inline std::vector<project::Line>& linesOf(project::Document& document)
{
    return document.scenes.front().lines;
}

int chunksIn(const std::vector<std::string>& log);
int joinsIn(const std::vector<std::string>& log);

} // namespace loquor::test
