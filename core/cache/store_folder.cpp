#include "core/cache/store_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/cache/descriptions.h"
#include "core/platform/atomic_file.h"
#include "core/platform/hash.h"
#include "core/platform/paths.h"

namespace loquor::cache {

namespace fs = std::filesystem;
using platform::FileDescriptor;
using platform::quotedPath;

namespace {

Result<> syncFolder(const fs::path& folder)
{
    const FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // File systems that cannot sync folders say EINVAL; there is nothing better to do on them.
    if (!fd.isOpen() || (::fsync(fd.get()) != 0 && errno != EINVAL))
        return fail(storeError(errno, "Cannot store a chunk", folder));
    return {};
}

// Names in a folder without "." and ".."; empty when it cannot be read.
std::vector<std::string> namesIn(const fs::path& folder, int* errnum = nullptr)
{
    std::vector<std::string> out;
    DIR* listing = ::opendir(folder.c_str());
    if (listing == nullptr) {
        if (errnum != nullptr)
            *errnum = errno;
        return out;
    }
    while (const dirent* entry = ::readdir(listing)) {
        const std::string name = entry->d_name;
        if (name != "." && name != "..")
            out.push_back(name);
    }
    ::closedir(listing);
    return out;
}

} // namespace

Error storeError(int errnum, const std::string& what, const fs::path& path)
{
    Error error = errorFromErrno(errnum, what + " in " + quotedPath(path));
    if (error.code() == ErrorCode::DiskFull)
        return Error(error.code(), error.message() + " Everything finished is kept.");
    if (error.code() == ErrorCode::PermissionDenied)
        return Error(error.code(), error.message() + ". Allow writing there, or choose another cache folder.");
    return error;
}

StoreFolder::StoreFolder(fs::path root, std::function<int(CommitStep)> atStep)
    : m_root(std::move(root)), m_atStep(std::move(atStep))
{
}

fs::path StoreFolder::entry(const std::string& key) const
{
    return objects() / key.substr(0, 2) / key;
}

Result<> StoreFolder::make() const
{
    for (const fs::path& folder : {m_root, objects(), stagings(), takes(), clients()})
        LQ_CHECKED(platform::makeFolder(folder));
    return {};
}

Result<> StoreFolder::step(CommitStep step, const fs::path& at) const
{
    if (!m_atStep)
        return {};
    const int errnum = m_atStep(step);
    if (errnum != 0)
        return fail(storeError(errnum, "Cannot store a chunk", at));
    return {};
}

Result<fs::path> StoreFolder::makeStaging(const std::string& client)
{
    fs::path folder = stagings() / (client + '-' + std::to_string(++m_stagingCount));
    if (::mkdir(folder.c_str(), 0777) != 0)
        return fail(storeError(errno, "Cannot make room for a chunk", folder));
    return folder;
}

Result<> StoreFolder::checkNames(const fs::path& staging, const EntryFacts& facts) const
{
    int errnum = 0;
    const std::vector<std::string> found = namesIn(staging, &errnum);
    if (errnum != 0)
        return fail(storeError(errnum, "Cannot read a chunk that was just made", staging));
    const std::set<std::string> wanted(facts.parts.begin(), facts.parts.end());
    for (const std::string& name : wanted)
        if (std::find(found.begin(), found.end(), name) == found.end())
            return fail(ErrorCode::InvalidArgument, "The chunk made in " + quotedPath(staging) + " lacks its part '" + name + "'.");
    for (const std::string& name : found)
        if (!wanted.contains(name))
            return fail(ErrorCode::InvalidArgument,
                        "The chunk made in " + quotedPath(staging) + " holds " + quotedPath(name) + ", which is none of its parts.");
    return {};
}

Result<PartInfo> StoreFolder::sealPart(const fs::path& file, const std::string& name) const
{
    struct stat info{};
    if (::lstat(file.c_str(), &info) != 0)
        return fail(storeError(errno, "Cannot read a chunk that was just made", file));
    if (!S_ISREG(info.st_mode))
        return fail(ErrorCode::InvalidArgument, "The part " + quotedPath(file) + " of a chunk is not a regular file.");
    LQ_TRY(std::string digest, platform::sha256File(file));
    return PartInfo{name, static_cast<std::uint64_t>(info.st_size), std::move(digest)};
}

Result<EntryInfo> StoreFolder::seal(const fs::path& staging, const EntryFacts& facts, const std::string& createdAt) const
{
    LQ_CHECKED(checkNames(staging, facts));
    EntryInfo entry{facts.key, facts.kind, facts.facts, {}, 0, createdAt};
    for (const std::string& name : facts.parts) {
        LQ_TRY(PartInfo part, sealPart(staging / name, name));
        entry.bytes += part.bytes;
        entry.parts.push_back(std::move(part));
    }
    LQ_CHECKED(step(CommitStep::PartsChecked, staging));
    for (const PartInfo& part : entry.parts) {
        const FileDescriptor fd(::open((staging / part.name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (!fd.isOpen() || ::fsync(fd.get()) != 0)
            return fail(storeError(errno, "Cannot store a chunk", staging / part.name));
    }
    LQ_CHECKED(step(CommitStep::PartsSynced, staging));
    const std::string text = formatEntry(entry);
    entry.bytes += text.size();
    const fs::path description = staging / kEntryFile;
    const FileDescriptor fd(::open(description.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!fd.isOpen())
        return fail(storeError(errno, "Cannot store a chunk", description));
    if (const auto written = platform::writeAll(fd.get(), text.data(), text.size(), "Cannot write"); !written)
        return fail(storeError(written.error().code() == ErrorCode::DiskFull ? ENOSPC : EIO, "Cannot store a chunk", description));
    if (::fsync(fd.get()) != 0)
        return fail(storeError(errno, "Cannot store a chunk", description));
    LQ_CHECKED(step(CommitStep::EntryWritten, staging));
    LQ_CHECKED(syncFolder(staging));
    LQ_CHECKED(step(CommitStep::StagingSynced, staging));
    return entry;
}

Result<bool> StoreFolder::publish(const fs::path& staging, const std::string& key) const
{
    const fs::path target = entry(key);
    const fs::path parent = target.parent_path();
    if (::mkdir(parent.c_str(), 0777) == 0)
        LQ_CHECKED(syncFolder(objects()));
    else if (errno != EEXIST)
        return fail(storeError(errno, "Cannot store a chunk", parent));
    LQ_CHECKED(step(CommitStep::FolderMade, parent));
    // Renaming onto a folder that holds something fails: whoever is first wins.
    if (::rename(staging.c_str(), target.c_str()) != 0) {
        if (errno == ENOTEMPTY || errno == EEXIST)
            return false;
        return fail(storeError(errno, "Cannot store a chunk", target));
    }
    LQ_CHECKED(step(CommitStep::Renamed, target));
    LQ_CHECKED(syncFolder(parent));
    LQ_CHECKED(step(CommitStep::ParentSynced, target));
    return true;
}

bool StoreFolder::exists(const std::string& key) const
{
    return ::access((entry(key) / kEntryFile).c_str(), F_OK) == 0;
}

Result<EntryInfo> StoreFolder::read(const std::string& key) const
{
    const fs::path file = entry(key) / kEntryFile;
    LQ_TRY(const std::string text, platform::readTextFile(file, kMaxDescriptionBytes));
    auto parsed = parseEntry(text);
    if (!parsed)
        return fail(std::move(parsed).error().addContext("reading " + quotedPath(file)));
    if (parsed->key != key)
        return fail(ErrorCode::Corrupt, "The description " + quotedPath(file) + " belongs to another chunk.");
    return parsed;
}

Result<> StoreFolder::check(const EntryInfo& entryInfo, const CancelToken& cancel) const
{
    for (const PartInfo& part : entryInfo.parts) {
        const fs::path file = entry(entryInfo.key) / part.name;
        struct stat info{};
        if (::stat(file.c_str(), &info) != 0)
            return fail(errorFromErrno(errno, "The part " + quotedPath(file) + " cannot be read"));
        if (static_cast<std::uint64_t>(info.st_size) != part.bytes)
            return fail(ErrorCode::Corrupt, "The part " + quotedPath(file) + " is damaged: it has " +
                                                std::to_string(info.st_size) + " bytes instead of " +
                                                std::to_string(part.bytes) + '.');
        LQ_TRY(const std::string digest, platform::sha256File(file, cancel));
        if (digest != part.sha256)
            return fail(ErrorCode::Corrupt, "The part " + quotedPath(file) + " is damaged: its checksum differs.");
    }
    return {};
}

Result<> StoreFolder::remove(const std::string& key, const std::string& client)
{
    const fs::path folder = entry(key);
    const fs::path grave = stagings() / (client + "-x" + std::to_string(++m_stagingCount));
    if (::rename(folder.c_str(), grave.c_str()) == 0) {
        erase(grave);
        return {};
    }
    if (errno == ENOENT)
        return {};
    if (errno == EACCES || errno == EPERM || errno == EROFS)
        return fail(storeError(errno, "Cannot remove a chunk", folder));
    // No room for another name: without its description it is no entry any more.
    if (::unlink((folder / kEntryFile).c_str()) != 0 && errno != ENOENT)
        return fail(storeError(errno, "Cannot remove a chunk", folder));
    erase(folder);
    return {};
}

void StoreFolder::erase(const fs::path& folder)
{
    std::error_code ignored;
    fs::remove_all(folder, ignored);
}

Result<std::vector<std::string>> StoreFolder::entryKeys() const
{
    std::vector<std::string> out;
    int errnum = 0;
    for (const std::string& two : namesIn(objects(), &errnum)) {
        if (two.size() != 2)
            continue;
        for (std::string& name : namesIn(objects() / two))
            if (isValidKey(name) && name.starts_with(two))
                out.push_back(std::move(name));
    }
    if (errnum != 0 && errnum != ENOENT)
        return fail(storeError(errnum, "Cannot read the chunk store", objects()));
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace loquor::cache
