#include "core/weights/safetensors.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/json.h"

namespace loquor::weights {

namespace {

using Json = nlohmann::json;

// The format's own limit; a longer header is damage or an attack.
constexpr std::uint64_t kMaxHeader = 100'000'000;

struct Mapping
{
    const std::byte* data = nullptr;
    std::size_t size = 0;

    Mapping() = default;
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping()
    {
        if (data)
            ::munmap(const_cast<std::byte*>(data), size);
    }
};

Result<void> mapFile(const std::filesystem::path& path, Mapping& mapping)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail(errorFromErrno(errno, "cannot open the weights file " + path.string()));
    struct stat info = {};
    const int rc = ::fstat(fd, &info);
    const int statError = errno;
    if (rc != 0 || !S_ISREG(info.st_mode)) {
        ::close(fd);
        return rc != 0 ? fail(errorFromErrno(statError, "cannot examine " + path.string()))
                       : fail(ErrorCode::Unreadable, path.string() + " is not a regular file");
    }
    const auto size = static_cast<std::size_t>(info.st_size);
    if (size < 8) {
        ::close(fd);
        return fail(ErrorCode::Corrupt, path.string() + (size == 0 ? " is empty (0 bytes)" : " is too short (" + std::to_string(size) + " bytes)") +
                                            ", a safetensors file begins with the length of its header. Get the file again.");
    }
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    const int mapError = errno;
    ::close(fd);
    if (data == MAP_FAILED)
        return fail(errorFromErrno(mapError, "cannot map " + path.string()));
    mapping.data = static_cast<const std::byte*>(data);
    mapping.size = size;
    return {};
}

tl::unexpected<Error> corrupt(const std::filesystem::path& path, const std::string& what)
{
    return fail(ErrorCode::Corrupt, path.string() + " is damaged: " + what +
                                        ". Get the file again (for a network of the portrait engine: run the set-up again).");
}

// JSON of the header. The library keeps the last of two equal keys; here they are an error, since two
// readers could then disagree about the file.
Result<Json> parseHeader(const std::filesystem::path& path, std::string_view text)
{
    std::optional<std::string> duplicate;
    std::vector<std::set<std::string>> keys;
    const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start)
            keys.emplace_back();
        else if (event == Json::parse_event_t::object_end)
            keys.pop_back();
        else if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
            duplicate = parsed.get<std::string>();
        return true;
    };
    Json header = Json::parse(text, watch, false);
    if (header.is_discarded())
        return corrupt(path, "its header is not JSON");
    if (!header.is_object())
        return corrupt(path, "its header is not a JSON object");
    if (duplicate)
        return corrupt(path, "its header names \"" + *duplicate + "\" twice");
    return header;
}

// A JSON number that is a non-negative integer; false otherwise.
bool readCount(const Json& value, std::uint64_t& out)
{
    if (!value.is_number_unsigned())
        return false;
    out = value.get<std::uint64_t>();
    return true;
}

struct Extent
{
    std::uint64_t begin = 0, end = 0;
    const std::string* name = nullptr;
};

Result<TensorView> readTensor(const std::filesystem::path& path, const std::string& name,
                              const Json& entry, std::span<const std::byte> data, Extent& extent)
{
    const std::string quoted = "tensor \"" + name + "\"";
    if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") ||
        !entry.contains("data_offsets") || entry.size() != 3)
        return corrupt(path, quoted + " needs exactly dtype, shape and data_offsets");
    TensorView view;
    const Json& dtype = entry["dtype"];
    if (!dtype.is_string())
        return corrupt(path, quoted + " has a dtype that is no text");
    view.dtype = dtypeFromString(dtype.get_ref<const std::string&>());
    if (view.dtype == DType::Unknown)
        return fail(ErrorCode::Unsupported, path.string() + ": " + quoted + " has the unknown type " +
                                                dtype.get<std::string>());

    const Json& shape = entry["shape"];
    if (!shape.is_array())
        return corrupt(path, quoted + " has a shape that is no list");
    for (const Json& dimension : shape) {
        std::uint64_t count = 0;
        if (!readCount(dimension, count) || count > static_cast<std::uint64_t>(INT64_MAX))
            return corrupt(path, quoted + " has an impossible shape");
        view.shape.push_back(static_cast<std::int64_t>(count));
    }
    const auto bytes = denseBytes(view.shape, view.dtype);
    if (!bytes)
        return corrupt(path, quoted + " has an impossible shape");
    const Json& offsets = entry["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2 || !readCount(offsets[0], extent.begin) ||
        !readCount(offsets[1], extent.end) || extent.begin > extent.end)
        return corrupt(path, quoted + " lies outside of the file: its data_offsets are no two growing positions");
    if (extent.end > data.size())
        return corrupt(path, quoted + " lies outside of the file: it ends at byte " + std::to_string(extent.end) +
                                 " of the data, which has " + std::to_string(data.size()));
    if (extent.end - extent.begin != *bytes)
        return corrupt(path, quoted + " has a length that does not fit its shape: " + std::to_string(extent.end - extent.begin) +
                                 " bytes, " + toString(view.dtype) + ' ' + toString(view.shape) + " needs " + std::to_string(*bytes));
    view.data = data.subspan(extent.begin, extent.end - extent.begin);
    return view;
}

// The data must be covered once and completely.
Result<void> checkCover(const std::filesystem::path& path, std::vector<Extent>& extents,
                        std::size_t size)
{
    std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t reached = 0;
    for (const Extent& extent : extents) {
        if (extent.begin != reached)
            return corrupt(path, "tensor \"" + *extent.name + "\" " +
                                     (extent.begin < reached ? "overlaps another one" : "follows a hole"));
        reached = extent.end;
    }
    if (reached != size)
        return corrupt(path, "its data is " + std::to_string(size) + " bytes long, its tensors need " +
                                 std::to_string(reached));
    return {};
}

} // namespace

struct SafetensorsFile::Impl
{
    std::filesystem::path path;
    Mapping mapping;
    std::map<std::string, TensorView> tensors;
    std::map<std::string, std::string> metadata;

    Result<void> readMetadata(const Json& entry)
    {
        if (!entry.is_object())
            return corrupt(path, "its metadata is not a JSON object");
        for (const auto& [key, value] : entry.items()) {
            if (!value.is_string())
                return corrupt(path, "its metadata entry \"" + key + "\" is no text");
            metadata[key] = value.get<std::string>();
        }
        return {};
    }

    Result<void> read()
    {
        LQ_CHECKED(mapFile(path, mapping));
        std::uint64_t length = 0;
        std::memcpy(&length, mapping.data, sizeof length); // little-endian, like every machine we run on
        if (length > kMaxHeader || length > mapping.size - 8)
            return corrupt(path, "its header is longer than the file or than the format allows: " + std::to_string(length) +
                                     " bytes in a file of " + std::to_string(mapping.size));
        const auto* text = reinterpret_cast<const char*>(mapping.data + 8);
        LQ_TRY(const Json header, parseHeader(path, std::string_view(text, length)));
        const std::span<const std::byte> data(mapping.data + 8 + length, mapping.size - 8 - length);
        std::vector<Extent> extents;
        for (const auto& [name, entry] : header.items()) {
            if (name == "__metadata__") {
                LQ_CHECKED(readMetadata(entry));
                continue;
            }
            Extent extent;
            LQ_TRY(TensorView view, readTensor(path, name, entry, data, extent));
            extent.name = &tensors.emplace(name, std::move(view)).first->first;
            extents.push_back(extent);
        }
        return checkCover(path, extents, data.size());
    }
};

SafetensorsFile::SafetensorsFile() : m(std::make_unique<Impl>()) {}
SafetensorsFile::~SafetensorsFile() = default;

Result<std::shared_ptr<const SafetensorsFile>>
SafetensorsFile::open(const std::filesystem::path& path)
{
    std::shared_ptr<SafetensorsFile> file(new SafetensorsFile);
    file->m->path = path;
    LQ_CHECKED(file->m->read());
    return std::shared_ptr<const SafetensorsFile>(std::move(file));
}

const std::filesystem::path& SafetensorsFile::path() const
{
    return m->path;
}

const std::map<std::string, TensorView>& SafetensorsFile::tensors() const
{
    return m->tensors;
}

Result<TensorView> SafetensorsFile::tensor(const std::string& name) const
{
    const auto found = m->tensors.find(name);
    if (found == m->tensors.end())
        return fail(ErrorCode::NotFound, m->path.string() + " holds no tensor \"" + name + "\"");
    return found->second;
}

const std::map<std::string, std::string>& SafetensorsFile::metadata() const
{
    return m->metadata;
}

} // namespace loquor::weights
