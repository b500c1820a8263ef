// Looks at files that need no face networks: sound and text.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/session/session.h"

namespace loquor::session {

// Pure functions on a worker thread per file. Engine thread only; `done` is called on the worker.
class FileChecker
{
public:
    using Done = std::function<void(CommandId, CheckReport)>;
    explicit FileChecker(Done done);
    ~FileChecker();

    // True when this class answers (sound, text, what cannot be read at all); false: it is a picture or
    // clip, ask the rank.
    bool startLocally(CommandId id, const std::filesystem::path& file);
    // The report of a file that could not be looked at.
    static CheckReport failed(const std::filesystem::path& file, const Error& error);

private:
    Done m_done;
    CancelSource m_cancel;
    std::vector<std::thread> m_workers;
};

// Blocking forms, for tests and for the worker.
CheckReport checkSound(const std::filesystem::path& file, const CancelToken& cancel);
CheckReport checkText(const std::filesystem::path& file);

} // namespace loquor::session
