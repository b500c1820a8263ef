#include "core/project/project_lock.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <sys/vfs.h>
#include <unistd.h>

#include "core/base/json.h"
#include "core/platform/hash.h"
#include "core/platform/paths.h"
#include "core/project/held_file.h"
#include "core/project/utc_text.h"

namespace loquor::project {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

fs::path realPath(const fs::path& file)
{
    std::error_code ec;
    const fs::path real = fs::weakly_canonical(fs::absolute(file, ec), ec);
    return ec ? file : real;
}

std::string hostName()
{
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// File systems whose locks may not reach the other machine.
bool isRemoteFolder(const fs::path& folder)
{
    struct statfs info{};
    if (::statfs(folder.c_str(), &info) != 0)
        return false;
    constexpr std::uint32_t kRemote[] = {0x6969, 0x517B, 0xFF534D42, 0xFE534D42,
                                         0x65735546, 0x01021997, 0x5346414F, 0x00C36400};
    const auto kind = static_cast<std::uint32_t>(info.f_type);
    return std::find(std::begin(kRemote), std::end(kRemote), kind) != std::end(kRemote);
}

std::optional<LockHolder> holderFrom(const std::string& content)
{
    if (content.empty())
        return std::nullopt;
    LockHolder holder;
    const Json json = Json::parse(content, nullptr, false);
    if (!json.is_object())
        return holder;
    const auto text = [&](const char* key) {
        const auto it = json.find(key);
        return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
    };
    holder.program = text("program");
    holder.host = text("host");
    holder.since = text("since");
    if (const auto pid = json.find("pid"); pid != json.end() && pid->is_number_integer())
        holder.pid = static_cast<int>(std::clamp<std::int64_t>(pid->get<std::int64_t>(), 0, 1 << 30));
    return holder;
}

std::string contentFor(const LockOptions& options, const std::string& host)
{
    Json json = Json::object();
    json["program"] = options.program;
    json["pid"] = static_cast<int>(::getpid());
    json["host"] = host;
    json["since"] = utcText("%Y-%m-%d %H:%M:%S");
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

struct ProjectLock::Impl
{
    HeldFile shared, beside;
    std::optional<LockHolder> previous;
};

// Makes the object; everybody else only moves it.
struct LockAccess
{
    static ProjectLock make(std::unique_ptr<ProjectLock::Impl> impl) { return ProjectLock(std::move(impl)); }
    static std::unique_ptr<ProjectLock::Impl> impl() { return std::make_unique<ProjectLock::Impl>(); }
    using Impl = ProjectLock::Impl;
};

ProjectLock::ProjectLock(std::unique_ptr<Impl> impl) : m(std::move(impl)) {}
ProjectLock::~ProjectLock() = default;
ProjectLock::ProjectLock(ProjectLock&&) noexcept = default;
ProjectLock& ProjectLock::operator=(ProjectLock&&) noexcept = default;

const std::optional<LockHolder>& ProjectLock::takenOverFrom() const
{
    return m->previous;
}

bool ProjectLock::isBesideProject() const
{
    return m->beside.isHeld();
}

fs::path lockFileOf(const fs::path& file)
{
    const fs::path real = realPath(file);
    const std::string name = real.filename().native();
    constexpr std::string_view kSuffix = ".lock";
    if (name.size() + 1 + kSuffix.size() <= platform::kMaxNameBytes)
        return real.parent_path() / ("." + name + std::string(kSuffix));
    const std::string hash = platform::sha256(name).substr(0, 16);
    const std::size_t room = platform::kMaxNameBytes - 2 - hash.size() - kSuffix.size();
    return real.parent_path() / ("." + platform::truncatedUtf8(name, room) + "-" + hash + std::string(kSuffix));
}

Result<LockOutcome> lockProject(const fs::path& file, const LockOptions& options)
{
    const fs::path real = realPath(file);
    const fs::path shared = options.sharedFolder.empty() ? platform::dataFolder() / "locks" : options.sharedFolder;
    const std::string host = options.host.empty() ? hostName() : options.host;
    auto impl = LockAccess::impl();
    const auto busy = [](const HeldFile& held) {
        return LockOutcome{std::nullopt, holderFrom(held.found()).value_or(LockHolder{})};
    };

    const auto made = platform::makeFolder(shared);
    const std::string key = platform::sha256(real.native()).substr(0, 32);
    const auto first = made ? impl->shared.acquire(shared / (key + ".lock")) : HeldFile::Outcome::Impossible;
    if (first == HeldFile::Outcome::Busy)
        return busy(impl->shared);
    const auto second = impl->beside.acquire(lockFileOf(file));
    if (second == HeldFile::Outcome::Busy)
        return busy(impl->beside);
    if (first == HeldFile::Outcome::Impossible && second == HeldFile::Outcome::Impossible)
        return fail(ErrorCode::PermissionDenied,
                    "The project " + platform::quotedPath(file) + " cannot be locked: neither its folder nor " +
                        platform::quotedPath(shared) + " can be written (" + std::strerror(impl->beside.error()) + ").");

    impl->previous = holderFrom(impl->beside.isHeld() ? impl->beside.found() : impl->shared.found());
    const bool isRemote = options.isRemote.value_or(isRemoteFolder(real.parent_path()));
    if (isRemote && impl->beside.isHeld() && impl->previous && impl->previous->host != host) {
        impl->beside.leave(); // his file; whether he lives cannot be seen from here
        return LockOutcome{std::nullopt, impl->previous};
    }
    const std::string content = contentFor(options, host);
    impl->shared.write(content);
    impl->beside.write(content);
    return LockOutcome{LockAccess::make(std::move(impl)), std::nullopt};
}

std::string describe(const LockHolder& holder)
{
    std::string details;
    const auto add = [&](const std::string& detail) { details += (details.empty() ? "" : ", ") + detail; };
    if (holder.pid > 0)
        add("process " + std::to_string(holder.pid) + (holder.host.empty() ? "" : " on " + holder.host));
    if (!holder.since.empty())
        add("since " + holder.since + " UTC");
    return (holder.program.empty() ? "another program" : holder.program) + (details.empty() ? "" : " (" + details + ")");
}

Error projectInUse(const fs::path& file, const LockHolder& holder)
{
    std::string message = "The project " + platform::quotedPath(file) + " is open in " + describe(holder) +
                          ". Close it there, or wait until that program has ended. Meanwhile the project can be looked at: "
                          "loquor-cli project status.";
    if (!holder.host.empty() && holder.host != hostName())
        message += " If nothing on that machine works with it any more, delete " +
                   platform::quotedPath(lockFileOf(file)) + ".";
    return Error(ErrorCode::PermissionDenied, std::move(message));
}

} // namespace loquor::project
