// A scratch folder with a project, its locks and autosaves, and other processes that hold it.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include <QTemporaryDir>

#include <unistd.h>

#include "core/platform/child_process.h"
#include "core/project/ids.h"
#include "core/project/project_file.h"
#include "core/project/project_lock.h"
#include "core/project/script_text.h"
#include "tests/support/file_size_limit.h"

namespace loquor::test {

namespace fs = std::filesystem;

class ProjectFolder
{
    QTemporaryDir m_dir;

public:
    explicit ProjectFolder(const std::string& name = "p.loquor") : file(path() / "work" / name)
    {
        fs::create_directories(file.parent_path());
        saved("First words.");
    }
    fs::path path() const { return m_dir.path().toStdString(); }
    fs::path locks() const { return path() / "locks"; }
    fs::path autosaves() const { return path() / "autosaves"; }
    project::LockOptions options() const
    {
        project::LockOptions out;
        out.sharedFolder = locks();
        return out;
    }

    // Saves the project with this script and gives the fingerprint.
    std::string saved(const std::string& text)
    {
        document = with(text);
        const auto done = project::saveProject(document, file);
        return done ? *done : std::string();
    }
    project::Document with(const std::string& text)
    {
        project::Document out = document;
        if (out.id == 0)
            out.id = ids();
        const auto set = project::setScriptText(out.scenes[0], text, ids);
        return set ? out : project::Document();
    }

    // A process that has the project open; nothing when it could not lock it.
    std::optional<platform::ChildProcess> holder(const std::string& text = {}) const
    {
        platform::ChildOptions options;
        options.program = fs::path(LOQUOR_BIN_DIR) / "project_holder";
        options.arguments = {file.string(), locks().string(), autosaves().string(), text};
        options.standardOutput = platform::Stream::Pipe;
        auto child = platform::ChildProcess::start(options);
        if (!child)
            return std::nullopt;
        const platform::FileDescriptor out = child->takeOutput();
        char first = 0;
        if (::read(out.get(), &first, 1) != 1 || first != 'h')
            return std::nullopt;
        return std::move(*child);
    }

    project::Document document;
    project::IdSource ids = project::randomIds();
    fs::path file;
};

inline std::string contentOf(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream out;
    out << stream.rdbuf();
    return out.str();
}

inline std::ptrdiff_t entriesIn(const fs::path& folder)
{
    std::error_code ec;
    return std::distance(fs::directory_iterator(folder, ec), {});
}

// Root may write everywhere; a while without that. Folders to be used must be open to all.
class OrdinaryUser
{
public:
    OrdinaryUser() : m_isRoot(::geteuid() == 0)
    {
        m_changed = m_isRoot && ::seteuid(65534) == 0;
    }
    ~OrdinaryUser()
    {
        if (m_changed && ::seteuid(0) != 0)
            std::abort();
    }
    OrdinaryUser(const OrdinaryUser&) = delete;
    OrdinaryUser& operator=(const OrdinaryUser&) = delete;

private:
    bool m_isRoot, m_changed = false;
};

} // namespace loquor::test
