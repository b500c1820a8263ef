#include "core/weights/checkpoint.h"

#include <algorithm>
#include <set>

#include "core/base/json.h"
#include "core/platform/atomic_file.h"

namespace loquor::weights {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxIndexBytes = 64u << 20;

// Tensor -> file, in the order of the names.
using WeightMap = std::map<std::string, std::string>;

tl::unexpected<Error> badIndex(const fs::path& index, const std::string& what)
{
    return fail(ErrorCode::Corrupt, index.string() + " is no usable index of weights: " + what + ". Get the file again.");
}

Result<WeightMap> parseIndex(const fs::path& index)
{
    LQ_TRY(const std::string text, platform::readTextFile(index, kMaxIndexBytes));
    std::vector<std::set<std::string>> keys;
    std::string duplicate;
    const auto watch = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
        if (event == nlohmann::json::parse_event_t::object_start)
            keys.emplace_back();
        else if (event == nlohmann::json::parse_event_t::object_end)
            keys.pop_back();
        else if (event == nlohmann::json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
            duplicate = parsed.get<std::string>();
        return true;
    };
    const auto json = nlohmann::json::parse(text, watch, false);
    if (json.is_discarded())
        return badIndex(index, text.empty() ? "it is empty (0 bytes)" : "it is not JSON");
    if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object() || json["weight_map"].empty())
        return badIndex(index, "it has no \"weight_map\" that names tensors");
    if (!duplicate.empty())
        return badIndex(index, "it names \"" + duplicate + "\" twice");
    WeightMap map;
    for (const auto& [tensor, file] : json["weight_map"].items()) {
        if (!file.is_string())
            return badIndex(index, "the file of tensor \"" + tensor + "\" is no text");
        map[tensor] = file.get<std::string>();
    }
    return map;
}

// A name that stays in the folder: no way up, no other root. Links are allowed, download caches are made of them.
bool staysInside(const std::string& name)
{
    const fs::path path(name);
    return !name.empty() && name.find('\0') == std::string::npos && !path.is_absolute() && path.has_filename() &&
           std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".." || part == "."; });
}

std::string misplaced(const std::string& tensor, const std::string& file, const char* fault)
{
    return "it puts tensor \"" + tensor + "\" into " + file + fault;
}

Result<void> checkPresence(const fs::path& index, const fs::path& folder, const WeightMap& map)
{
    std::map<std::string, std::pair<std::string, std::size_t>> missing; // file -> a tensor, how many
    for (const auto& [tensor, file] : map) {
        if (!staysInside(file))
            return badIndex(index, misplaced(tensor, '"' + file + '"', ", a file outside of its folder"));
        std::error_code ignored;
        if (!fs::exists(folder / file, ignored))
            ++missing.try_emplace(file, tensor, 0).first->second.second;
    }
    if (missing.empty())
        return {};
    std::string text;
    for (const auto& [file, what] : missing)
        text += (text.empty() ? "" : "; ") + file + " (" + std::to_string(what.second) + " tensors, such as \"" + what.first + "\")";
    return fail(ErrorCode::NotFound, "Of the weights in " + index.string() + ", " + std::to_string(missing.size()) +
                                         (missing.size() == 1 ? " file is" : " files are") + " missing: " + text + ". Download them into the same folder.");
}

} // namespace

Result<fs::path> findWeights(const fs::path& folder)
{
    std::vector<fs::path> indices, files;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename().string();
        if (name.ends_with(".safetensors.index.json"))
            indices.push_back(it->path());
        else if (name.ends_with(".safetensors"))
            files.push_back(it->path());
    }
    if (error)
        return fail(errorFromErrno(error.value(), "cannot look into " + folder.string()));
    const auto& choice = indices.empty() ? files : indices;
    if (choice.size() == 1)
        return choice.front();
    if (choice.empty())
        return fail(ErrorCode::NotFound, "There are no weights in " + folder.string() + ": a .safetensors file, or a .safetensors.index.json with its files, is expected.");
    std::vector<std::string> names;
    for (const fs::path& path : choice)
        names.push_back(path.filename().string());
    std::sort(names.begin(), names.end());
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return fail(ErrorCode::InvalidArgument, "There are several weights files in " + folder.string() + ": " + text + ". Name the one to use.");
}

Result<std::shared_ptr<const Checkpoint>> Checkpoint::open(const fs::path& path)
{
    std::shared_ptr<Checkpoint> checkpoint(new Checkpoint);
    checkpoint->m_path = path;
    fs::path file = path;
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        LQ_TRY(file, findWeights(path));
    }
    if (file.extension() == ".json")
        LQ_CHECKED(checkpoint->openIndex(file));
    else
        LQ_CHECKED(checkpoint->add(file));
    return std::shared_ptr<const Checkpoint>(std::move(checkpoint));
}

Result<void> Checkpoint::openIndex(const fs::path& index)
{
    LQ_TRY(const WeightMap map, parseIndex(index));
    const fs::path folder = index.parent_path();
    LQ_CHECKED(checkPresence(index, folder, map));
    std::set<std::string> files;
    for (const auto& [tensor, file] : map)
        files.insert(file);
    std::map<std::string, std::string> fileOf;
    for (const std::string& file : files) {
        const std::size_t before = m_files.size();
        LQ_CHECKED(add(folder / file));
        for (const auto& [tensor, view] : m_files[before]->tensors())
            fileOf[tensor] = file;
    }
    for (const auto& [tensor, file] : map) {
        const auto found = fileOf.find(tensor);
        if (found == fileOf.end())
            return badIndex(index, misplaced(tensor, file, ", which does not hold it"));
        if (found->second != file)
            return badIndex(index, misplaced(tensor, file, ", but it lies in ").append(found->second));
    }
    return {};
}

Result<void> Checkpoint::add(const fs::path& file)
{
    LQ_TRY(std::shared_ptr<const SafetensorsFile> opened, SafetensorsFile::open(file));
    for (const auto& [name, view] : opened->tensors()) {
        if (!m_tensors.emplace(name, view).second)
            return fail(ErrorCode::Corrupt, file.string() + " holds tensor \"" + name + "\", which another file of the same network holds too. Get the files again.");
    }
    m_files.push_back(std::move(opened));
    return {};
}

Result<TensorView> Checkpoint::tensor(const std::string& name) const
{
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end())
        return fail(ErrorCode::NotFound, m_path.string() + " holds no tensor \"" + name + "\"");
    return found->second;
}

TensorList Checkpoint::list() const
{
    TensorList list;
    for (const auto& [name, view] : m_tensors)
        list.emplace(name, TensorInfo{view.dtype, view.shape});
    return list;
}

} // namespace loquor::weights
