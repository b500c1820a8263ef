#include "core/project/autosave.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <thread>

#include "core/base/log.h"
#include "core/platform/atomic_file.h"
#include "core/platform/hash.h"
#include "core/platform/paths.h"
#include "core/project/held_file.h"
#include "core/project/project_file.h"
#include "core/project/project_json.h"
#include "core/project/utc_text.h"

namespace loquor::project {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "gen-", kSuffix = ".loquor";
constexpr const char* kOwnerFile = "owner.lock";
constexpr const char* kField = "autosave"; // in the root of a generation
constexpr std::uint64_t kMaxFileBytes = 64U << 20U;

std::uint64_t numberOf(const fs::path& file)
{
    const std::string name = file.filename().native();
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix))
        return 0;
    std::uint64_t number = 0;
    const char* end = name.data() + name.size() - kSuffix.size();
    const auto [read, error] = std::from_chars(name.data() + kPrefix.size(), end, number);
    return error == std::errc() && read == end ? number : 0;
}

// Oldest first; by number, not by time.
std::vector<fs::path> generationsIn(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(folder, ec)) {
        if (numberOf(entry.path()) > 0)
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end(),
              [](const fs::path& a, const fs::path& b) { return numberOf(a) < numberOf(b); });
    return files;
}

void removeAll(const fs::path& folder)
{
    std::error_code ec;
    for (const fs::path& file : generationsIn(folder))
        fs::remove(file, ec);
}

struct Generation
{
    RecoverableWork work;
    std::string base;
    Document document;
};

Result<Generation> readGeneration(const fs::path& file)
{
    LQ_TRY(const std::string content, platform::readTextFile(file, kMaxFileBytes));
    Generation out;
    LQ_TRY(out.document, fromJson(content, file.parent_path()));
    Json kept = Json::parse(out.document.preserved, nullptr, false);
    if (const auto facts = kept.find(kField); facts != kept.end() && facts->is_object()) {
        const auto text = [&](const char* key) {
            const auto it = facts->find(key);
            return it != facts->end() && it->is_string() ? it->get<std::string>() : std::string();
        };
        out.base = text("base");
        out.work.project = pathFromUtf8(text("project"));
        out.work.savedAt = text("savedAt");
        kept.erase(kField);
        out.document.preserved = kept.dump();
    }
    out.work.generation = file;
    return out;
}

// Apart from what reading leaves in `preserved`.
bool isSameContent(const Document& a, const Document& b)
{
    return a.id == b.id && a.scenes == b.scenes && a.output == b.output;
}

bool isNewerThanItsFile(Generation& generation)
{
    const fs::path& project = generation.work.project;
    if (project.empty())
        return true;
    const auto now = fingerprintOf(project);
    if (!now)
        return true; // gone, or not reachable: the work is all there is
    generation.work.fileChangedSince = *now != generation.base;
    if (const auto loaded = loadProject(project); loaded && isSameContent(loaded->document, generation.document))
        return false;
    if (!generation.work.fileChangedSince)
        return true;
    std::error_code ec;
    return fs::last_write_time(generation.work.generation, ec) > fs::last_write_time(project, ec);
}

std::optional<RecoverableWork> newestIn(const fs::path& folder)
{
    std::vector<fs::path> files = generationsIn(folder);
    bool allDamaged = true;
    for (auto file = files.rbegin(); file != files.rend(); ++file) {
        auto generation = readGeneration(*file);
        if (!generation) {
            allDamaged = allDamaged && generation.error().code() == ErrorCode::Corrupt;
            log(LogLevel::Warning, "project", "An autosave cannot be read: " + generation.error().text());
            continue;
        }
        if (!isNewerThanItsFile(*generation))
            return std::nullopt;
        generation->work.generations = static_cast<int>(files.size());
        return generation->work;
    }
    if (allDamaged)
        removeAll(folder); // cannot be offered; must not come again
    return std::nullopt;
}

} // namespace

struct Autosave::Impl
{
    fs::path folder;
    fs::path project;
    HeldFile owner;
    std::uint64_t next = 1;
    std::string last; // hash of what was stored last
};

fs::path autosaveRoot()
{
    return platform::dataFolder() / "autosave";
}

Autosave::Autosave(std::unique_ptr<Impl> impl) : m(std::move(impl)) {}
Autosave::Autosave(Autosave&&) noexcept = default;
Autosave& Autosave::operator=(Autosave&&) noexcept = default;

Autosave::~Autosave()
{
    if (!m)
        return;
    const bool isEmpty = generationsIn(m->folder).empty();
    m->owner.release();
    std::error_code ec;
    if (isEmpty)
        fs::remove(m->folder, ec); // fails, as it should, when somebody else has begun there
}

const fs::path& Autosave::folder() const
{
    return m->folder;
}

Result<Autosave> Autosave::open(const fs::path& project, const fs::path& root)
{
    auto impl = std::make_unique<Impl>();
    if (project.empty()) {
        impl->folder = root / ("unnamed-" + idText(randomIds()()));
    } else {
        std::error_code ec;
        impl->project = fs::weakly_canonical(fs::absolute(project, ec), ec);
        impl->folder = root / platform::sha256(impl->project.native()).substr(0, 32);
    }
    HeldFile::Outcome outcome = HeldFile::Outcome::Impossible;
    for (int attempt = 0; attempt < 10 && outcome != HeldFile::Outcome::Held; ++attempt) {
        if (attempt > 0) // a program that looks for lost work holds every folder for a moment
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        LQ_CHECKED(platform::makeFolder(impl->folder));
        outcome = impl->owner.acquire(impl->folder / kOwnerFile);
    }
    switch (outcome) {
    case HeldFile::Outcome::Held: break;
    case HeldFile::Outcome::Busy:
        return fail(ErrorCode::PermissionDenied, "The unsaved work of " + platform::quotedPath(project) +
                                                     " is being kept by another program.");
    case HeldFile::Outcome::Impossible:
        return fail(errorFromErrno(impl->owner.error(), "Cannot keep unsaved work in " + platform::quotedPath(impl->folder)));
    }
    if (const auto files = generationsIn(impl->folder); !files.empty())
        impl->next = numberOf(files.back()) + 1;
    return Autosave(std::move(impl));
}

Result<void> Autosave::store(const Document& document, const std::string& base)
{
    LQ_TRY(const std::string plain, toJson(document, m->folder));
    const std::string hash = platform::sha256(base + plain);
    if (hash == m->last)
        return {};
    Json root = Json::parse(plain);
    root[kField] = {{"project", utf8Text(m->project)}, {"base", base}, {"savedAt", utcText("%Y-%m-%dT%H:%M:%SZ")}};
    std::array<char, 40> name{};
    std::snprintf(name.data(), name.size(), "gen-%010llu.loquor", static_cast<unsigned long long>(m->next));
    const std::string content = root.dump(2, ' ', false, Json::error_handler_t::replace);
    LQ_CHECKED(platform::writeFile(m->folder / name.data(), content));
    ++m->next;
    m->last = hash;
    auto files = generationsIn(m->folder);
    std::error_code ec;
    for (std::size_t i = 0; i + kAutosaveGenerations < files.size(); ++i)
        fs::remove(files[i], ec);
    return {};
}

void Autosave::clean()
{
    removeAll(m->folder);
    m->last.clear();
}

std::vector<RecoverableWork> findRecoverable(const fs::path& root)
{
    std::vector<std::pair<fs::file_time_type, RecoverableWork>> found;
    std::error_code ec;
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(root, ec)) {
        if (entry.is_directory(ec))
            folders.push_back(entry.path());
    }
    for (const fs::path& folder : folders) {
        HeldFile owner;
        if (owner.acquire(folder / kOwnerFile) != HeldFile::Outcome::Held)
            continue; // that program is alive
        if (auto work = newestIn(folder))
            found.emplace_back(fs::last_write_time(work->generation, ec), std::move(*work));
        const bool isEmpty = generationsIn(folder).empty();
        owner.release();
        if (isEmpty)
            fs::remove(folder, ec);
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<RecoverableWork> out;
    for (auto& [time, work] : found)
        out.push_back(std::move(work));
    return out;
}

Result<Document> loadRecoverable(const RecoverableWork& work)
{
    LQ_TRY(Generation generation, readGeneration(work.generation));
    return std::move(generation.document);
}

void discardRecoverable(const RecoverableWork& work)
{
    const fs::path folder = work.generation.parent_path();
    HeldFile owner;
    if (owner.acquire(folder / kOwnerFile) != HeldFile::Outcome::Held)
        return;
    removeAll(folder);
    owner.release();
    std::error_code ec;
    fs::remove(folder, ec);
}

} // namespace loquor::project
