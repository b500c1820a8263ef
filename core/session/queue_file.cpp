#include "core/session/queue_file.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/json.h"
#include "core/base/log.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"
#include "core/project/project_file.h"

namespace loquor::session {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

fs::path with(const fs::path& name, const char* extension)
{
    return fs::path(name).concat(extension);
}

// The lock of a name: nothing when somebody has it, or had it and removed it just now.
platform::FileDescriptor lockOf(const fs::path& name, int flags)
{
    const fs::path file = with(name, ".lock");
    platform::FileDescriptor fd(::open(file.c_str(), O_RDWR | O_CLOEXEC | flags, 0600));
    struct stat held{}, there{};
    if (!fd.isOpen() || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 || ::fstat(fd.get(), &held) != 0 ||
        ::stat(file.c_str(), &there) != 0 || held.st_ino != there.st_ino)
        return {};
    return fd;
}

void removeFiles(const fs::path& name)
{
    std::error_code ignored;
    fs::remove(with(name, ".json"), ignored);
    fs::remove(with(name, ".lock"), ignored); // last: whoever gets the lock finds nothing
}

// Of all programs, oldest first.
std::vector<fs::path> namesIn(const fs::path& folder)
{
    std::vector<fs::path> out;
    std::error_code error;
    for (fs::directory_iterator it(folder, error); !error && it != fs::directory_iterator(); it.increment(error)) {
        if (it->path().extension() == ".lock")
            out.push_back(fs::path(it->path()).replace_extension());
    }
    std::sort(out.begin(), out.end());
    return out;
}

Result<std::string> textOf(const std::vector<const ProjectRequest*>& queue, const fs::path& folder)
{
    Json projects = Json::array();
    for (const ProjectRequest* request : queue) {
        LQ_TRY(const std::string document, project::toJson(request->document, folder));
        projects.push_back({{"file", request->file.string()},
                            {"everything", request->everything},
                            {"document", Json::parse(document)}});
    }
    try {
        return Json{{"format", kFormat}, {"projects", std::move(projects)}}.dump(1) + "\n";
    } catch (const nlohmann::json::exception& error) { // a path that is no UTF-8
        return fail(ErrorCode::InvalidArgument, error.what());
    }
}

Result<std::vector<ProjectRequest>> readQueue(const fs::path& file)
{
    LQ_TRY(const std::string text, platform::readTextFile(file));
    std::vector<ProjectRequest> out;
    try {
        const Json json = Json::parse(text);
        if (json.at("format").get<int>() != kFormat)
            return fail(ErrorCode::Unsupported, "It was written by another version.");
        for (const Json& entry : json.at("projects")) {
            ProjectRequest request;
            request.file = entry.at("file").get<std::string>();
            request.everything = entry.at("everything").get<bool>();
            LQ_TRY(request.document, project::fromJson(entry.at("document").dump(), file.parent_path()));
            if (!request.file.empty()) {
                if (auto now = project::loadProject(request.file); now && now->document.id == request.document.id)
                    request.document = std::move(now->document);
            }
            out.push_back(std::move(request));
        }
    } catch (const nlohmann::json::exception& error) {
        return fail(ErrorCode::Corrupt, jsonProblem(error));
    }
    return out;
}

} // namespace

QueueFile::~QueueFile()
{
    if (m_own.lock.isOpen() && !m_isWritten)
        removeFiles(m_own.name);
}

Result<void> QueueFile::open()
{
    if (m_own.lock.isOpen())
        return {};
    LQ_CHECKED(platform::makeFolder(m_folder));
    for (int attempt = 0; attempt < 100; ++attempt) {
        const auto now = std::chrono::system_clock::now().time_since_epoch(); // for the order of programs
        const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
        fs::path name = m_folder / (std::to_string(milliseconds) + "-" + std::to_string(::getpid()) + "-" +
                                    std::to_string(attempt));
        errno = EEXIST;
        if (platform::FileDescriptor lock = lockOf(name, O_CREAT | O_EXCL); lock.isOpen()) {
            m_own = {std::move(lock), std::move(name)};
            return {};
        }
    }
    return fail(errorFromErrno(errno, "The queue cannot be kept in " + platform::quotedPath(m_folder)));
}

Result<void> QueueFile::write(const std::vector<const ProjectRequest*>& queue)
{
    std::lock_guard lock(m_mutex);
    if (m_folder.empty() || (queue.empty() && !m_isWritten))
        return {};
    LQ_CHECKED(open());
    const fs::path file = with(m_own.name, ".json");
    if (queue.empty()) {
        std::error_code error;
        fs::remove(file, error);
        m_isWritten = false;
        return {};
    }
    LQ_TRY(const std::string text, textOf(queue, m_folder));
    LQ_CHECKED(platform::writeFile(file, text));
    m_isWritten = true;
    return {};
}

std::vector<ProjectRequest> QueueFile::takeOver()
{
    std::lock_guard lock(m_mutex);
    std::error_code error;
    std::vector<ProjectRequest> out;
    for (const fs::path& name : namesIn(m_folder)) {
        platform::FileDescriptor held = lockOf(name, 0);
        if (!held.isOpen())
            continue;
        const fs::path file = with(name, ".json");
        auto left = fs::exists(file, error) ? readQueue(file) : Result<std::vector<ProjectRequest>>{};
        if (!left) {
            log(LogLevel::Warning, "session", "The queue " + platform::quotedPath(file) + " cannot be read: " + left.error().message());
            fs::rename(file, with(name, ".damaged"), error);
        } else {
            for (ProjectRequest& request : *left) {
                std::erase_if(out, [&](const ProjectRequest& known) {
                    return known.document.id == request.document.id && known.file == request.file;
                });
                out.push_back(std::move(request));
            }
        }
        m_taken.push_back({std::move(held), name});
    }
    return out;
}

void QueueFile::forgetLeft(const ProjectRequest& made)
{
    std::lock_guard lock(m_mutex);
    for (const fs::path& name : namesIn(m_folder)) {
        const platform::FileDescriptor held = lockOf(name, 0);
        const fs::path file = with(name, ".json");
        auto left = held.isOpen() ? readQueue(file) : Result<std::vector<ProjectRequest>>{};
        if (!left || left->empty()) // damaged ones are for takeOver()
            continue;
        std::vector<const ProjectRequest*> others;
        for (const ProjectRequest& request : *left) {
            if (request.document.id != made.document.id || request.file != made.file)
                others.push_back(&request);
        }
        if (others.size() == left->size())
            continue;
        if (others.empty()) {
            removeFiles(name);
        } else if (const auto text = textOf(others, m_folder)) {
            if (const auto written = platform::writeFile(file, *text); !written)
                log(LogLevel::Info, "session", written.error().logText());
        }
    }
}

void QueueFile::forgetTakenOver()
{
    std::lock_guard lock(m_mutex);
    for (const Held& held : m_taken)
        removeFiles(held.name);
    m_taken.clear();
}

} // namespace loquor::session
