#include "core/project/project_file.h"

#include <algorithm>

#include "core/platform/atomic_file.h"
#include "core/platform/hash.h"
#include "core/platform/paths.h"
#include "core/project/project_json.h"

namespace loquor::project {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxFileBytes = 64U << 20U; // a script of ten million words

fs::path folderOf(const fs::path& file)
{
    std::error_code ec;
    return fs::absolute(file, ec).parent_path();
}

int versionOf(const std::string& json)
{
    const Json root = Json::parse(json, nullptr, false);
    if (!root.is_object())
        return 0;
    const auto version = root.find("version");
    return version != root.end() && version->is_number_integer() ? version->get<int>() : 0;
}

// A file of an older version stays beside the new one, once.
Result<void> keepOldVersion(const Document& document, const fs::path& file)
{
    const int readVersion = versionOf(document.preserved);
    if (readVersion == 0 || readVersion >= kFormatVersion)
        return {};
    const auto content = platform::readTextFile(file, kMaxFileBytes);
    const int version = content ? versionOf(*content) : 0;
    if (version == 0 || version >= kFormatVersion)
        return {}; // another file, or already in the new form
    const std::string suffix = ".v" + std::to_string(version);
    const std::string name = platform::truncatedUtf8(file.filename().native(),
                                                     platform::kMaxNameBytes - suffix.size());
    const auto kept = platform::writeFile(file.parent_path() / (name + suffix), *content,
                                          platform::IfExists::Refuse);
    if (!kept && kept.error().code() != ErrorCode::AlreadyExists)
        return fail(Error(kept.error()).addContext("keeping a copy of the old project file"));
    return {};
}

} // namespace

std::vector<fs::path> missingFiles(const Document& document)
{
    std::vector<fs::path> missing;
    const auto note = [&](const fs::path& used) {
        std::error_code ec;
        if (!used.empty() && !fs::exists(used, ec) &&
            std::find(missing.begin(), missing.end(), used) == missing.end())
            missing.push_back(used);
    };
    for (const Scene& scene : document.scenes) {
        note(scene.reference.file);
        note(scene.speech.audioFile);
        if (!scene.background.starts_with('#'))
            note(pathFromUtf8(scene.background));
        for (const Line& line : scene.lines) {
            if (line.recording)
                note(line.recording->file);
        }
    }
    return missing;
}

Result<std::string> fingerprintOf(const fs::path& file)
{
    return platform::sha256File(file);
}

Result<LoadedProject> loadProject(const fs::path& file)
{
    LQ_TRY(const std::string content, platform::readTextFile(file, kMaxFileBytes));
    ReadNotes notes;
    auto document = fromJson(content, folderOf(file), &notes);
    if (!document)
        return fail(std::move(document).error().addContext("opening " + platform::quotedPath(file)));
    LoadedProject loaded;
    loaded.document = std::move(*document);
    loaded.fingerprint = platform::sha256(content);
    loaded.warnings = std::move(notes.warnings);
    loaded.mustBeSaved = notes.idsGiven || notes.version < kFormatVersion;
    loaded.mustBeSaved = giveIds(loaded.document, randomIds()) || loaded.mustBeSaved;
    loaded.missing = missingFiles(loaded.document);
    return loaded;
}

Result<std::string> saveProject(const Document& document, const fs::path& file,
                                const std::string& expectedFingerprint)
{
    LQ_TRY(const std::string content, toJson(document, folderOf(file)));
    if (!expectedFingerprint.empty()) {
        const auto now = fingerprintOf(file);
        if (now && *now != expectedFingerprint)
            return fail(ErrorCode::PermissionDenied,
                        platform::quotedPath(file) +
                            " was changed by another program since it was opened. Save under "
                            "another name, or open it again.");
    }
    LQ_CHECKED(keepOldVersion(document, file));
    LQ_CHECKED(platform::writeFile(file, content));
    return platform::sha256(content);
}

} // namespace loquor::project
