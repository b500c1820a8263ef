// The projects that are being made or wait, on disk: whatever ends the program, none of them is lost.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/platform/file_descriptor.h"
#include "core/session/project_values.h"

namespace loquor::session {

// One file for each program, beside those of others: "<name>.json", replaced as a whole, and "<name>.lock", locked
// while its program lives (the kernel's lock: no clock decides). What lies there without a living program was left
// behind. Any thread.
class QueueFile
{
public:
    // An empty folder: nothing is kept.
    explicit QueueFile(std::filesystem::path folder) : m_folder(std::move(folder)) {}
    // The files stay, unless the queue is empty.
    ~QueueFile();
    QueueFile(const QueueFile&) = delete;
    QueueFile& operator=(const QueueFile&) = delete;

    // Replaces what this program has on disk; nothing is written while it has had nothing.
    Result<void> write(const std::vector<const ProjectRequest*>& queue);
    // What programs that are gone left behind, oldest first, in their order; each project once, as it was asked for
    // last. Of projects with a file, the document as it is there now, if it can be read. Files that make no sense
    // are renamed ("<name>.damaged") and logged.
    std::vector<ProjectRequest> takeOver();
    // The project has been made: what dead programs left to be made of it needs nobody any more.
    void forgetLeft(const ProjectRequest& made);
    // What was taken over is in this program's file now, or finished: the files it came from are removed.
    void forgetTakenOver();

private:
    struct Held
    {
        platform::FileDescriptor lock;
        std::filesystem::path name; // without .json and .lock
    };
    Result<void> open(); // m_mutex held

    const std::filesystem::path m_folder;
    std::mutex m_mutex; // guards all below
    Held m_own;
    bool m_isWritten = false;
    std::vector<Held> m_taken;
};

} // namespace loquor::session
