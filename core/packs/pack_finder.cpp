#include "core/packs/pack_finder.h"

#include <algorithm>
#include <map>
#include <system_error>

#include "core/base/log.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"

namespace loquor::packs {

namespace fs = std::filesystem;

namespace {

Result<PackManifest> readPack(const fs::path& folder)
{
    const fs::path file = folder / "manifest.json";
    LQ_TRY(const std::string source, platform::readTextFile(file));
    auto pack = parseManifest(source);
    if (!pack)
        return fail(std::move(pack).error().addContext("reading " + platform::quotedPath(file)));
    pack->folder = folder;
    return pack;
}

} // namespace

std::vector<fs::path> packFolders(const fs::path& dataFolder)
{
    return {dataFolder / "packs",
            platform::programFolder().parent_path() / "share" / "loquor" / "packs"};
}

Result<PackManifest> findPack(const std::string& idOrFolder, const std::vector<fs::path>& folders)
{
    if (idOrFolder.find('/') != std::string::npos)
        return readPack(idOrFolder);
    std::error_code ignored;
    if (!idOrFolder.empty() && idOrFolder != "." && idOrFolder != "..") {
        for (const fs::path& folder : folders) {
            if (fs::exists(folder / idOrFolder / "manifest.json", ignored))
                return readPack(folder / idOrFolder);
        }
    }
    std::string known;
    for (const PackManifest& pack : allPacks(folders))
        known += (known.empty() ? "" : ", ") + pack.id;
    if (known.empty())
        return fail(ErrorCode::NotFound, "No engine pack is installed: run packaging/setup.sh.");
    return fail(ErrorCode::InvalidArgument,
                "There is no engine pack named '" + idOrFolder + "'. There are: " + known + " ('loquor-cli packs list' says which are installed).");
}

std::vector<PackManifest> allPacks(const std::vector<fs::path>& folders)
{
    std::map<std::string, PackManifest> found;
    for (const fs::path& folder : folders) {
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(folder, error)) {
            std::error_code ignored;
            if (!fs::exists(entry.path() / "manifest.json", ignored))
                continue;
            if (auto pack = readPack(entry.path()))
                found.emplace(pack->id, std::move(*pack));
            else
                log(LogLevel::Warning, "packs", "A pack is left out: " + pack.error().text());
        }
    }
    std::vector<PackManifest> out;
    out.reserve(found.size());
    for (auto& [id, pack] : found)
        out.push_back(std::move(pack));
    return out;
}

} // namespace loquor::packs
