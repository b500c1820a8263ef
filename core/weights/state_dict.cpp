#include "core/weights/state_dict.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/weights/unpickler.h"
#include "core/weights/zip_archive.h"

namespace loquor::weights {

namespace {

constexpr std::uint64_t kMaxPickleBytes = 16u << 20;

tl::unexpected<Error> corrupt(const std::filesystem::path& path, const std::string& what)
{
    return fail(ErrorCode::Corrupt, path.string() + " cannot be read as a PyTorch file: " + what + '.');
}

// The folder inside of the archive that holds data.pkl: "" or "name/".
Result<std::string> rootOf(const ZipArchive& archive)
{
    std::vector<std::string> found;
    for (const auto& [name, entry] : archive.entries()) {
        if (name == "data.pkl" || name.ends_with("/data.pkl"))
            found.push_back(name.substr(0, name.size() - std::strlen("data.pkl")));
    }
    if (found.size() != 1)
        return corrupt(archive.path(), found.empty() ? "it has no data.pkl" : "it has more than one data.pkl");
    if (archive.entries().contains(found[0] + "constants.pkl"))
        return corrupt(archive.path(), "it holds a TorchScript program, not a state dict: save model.state_dict() alone");
    return found[0];
}

} // namespace

struct StateDictFile::Impl
{
    std::unique_ptr<ZipArchive> archive;
    std::string root;
    std::map<std::string, StoredTensor> stored;
    TensorList list;

    std::string entryOf(const StoredTensor& tensor) const { return root + "data/" + tensor.storage; }

    Result<void> open(const std::filesystem::path& path)
    {
        LQ_TRY(archive, ZipArchive::open(path));
        LQ_TRY(root, rootOf(*archive));
        if (archive->entries().contains(root + "byteorder")) {
            LQ_TRY(const std::string order, archive->readText(root + "byteorder", 16));
            if (order != "little")
                return fail(ErrorCode::Unsupported, path.string() + " was written on a big-endian machine: save it again on another one.");
        }
        LQ_TRY(const std::string pickle, archive->readText(root + "data.pkl", kMaxPickleBytes));
        LQ_TRY(stored, unpickleStateDict(pickle, path.string()));
        for (const auto& [name, tensor] : stored) {
            const auto entry = archive->entries().find(entryOf(tensor));
            if (entry == archive->entries().end())
                return corrupt(path, "the numbers of tensor \"" + name + "\" are missing (entry " + entryOf(tensor) + ')');
            const auto bytes = denseBytes({static_cast<std::int64_t>(tensor.storageElements)}, tensor.info.dtype);
            if (!bytes || entry->second.bytes != *bytes)
                return corrupt(path, "the numbers of tensor \"" + name + "\" are " + std::to_string(entry->second.bytes) + " bytes, " +
                                         std::to_string(tensor.storageElements) + " of " + toString(tensor.info.dtype) + " are expected");
            list.emplace(name, tensor.info);
        }
        return {};
    }

    // The bytes [begin, begin + length) of the entry. All of it is read, so that its checksum is compared.
    Result<void> readRange(const std::string& entry, std::uint64_t begin, std::uint64_t length, const Sink& sink) const
    {
        std::uint64_t at = 0;
        return archive->read(entry, [&](std::span<const std::byte> piece) -> Result<void> {
            const std::uint64_t from = std::clamp(begin, at, at + piece.size());
            const std::uint64_t to = std::clamp(begin + length, at, at + piece.size());
            const std::uint64_t base = at;
            at += piece.size();
            if (from == to)
                return {};
            return sink(piece.subspan(from - base, to - from));
        });
    }

    Result<void> readScattered(const StoredTensor& tensor, const Sink& sink) const
    {
        std::vector<std::byte> storage;
        storage.reserve(tensor.storageElements * sizeOf(tensor.info.dtype));
        LQ_CHECKED(archive->read(entryOf(tensor), [&](std::span<const std::byte> piece) -> Result<void> {
            storage.insert(storage.end(), piece.begin(), piece.end());
            return {};
        }));
        const std::size_t size = sizeOf(tensor.info.dtype);
        std::vector<std::byte> dense(*denseBytes(tensor.info.shape, tensor.info.dtype));
        Shape index(tensor.info.shape.size(), 0);
        for (std::size_t out = 0; out < dense.size(); out += size) {
            std::uint64_t element = tensor.offset;
            for (std::size_t d = 0; d < index.size(); ++d)
                element += static_cast<std::uint64_t>(index[d] * tensor.strides[d]);
            std::memcpy(dense.data() + out, storage.data() + element * size, size);
            for (std::size_t d = index.size(); d-- > 0;) {
                if (++index[d] < tensor.info.shape[d])
                    break;
                index[d] = 0;
            }
        }
        return sink(dense);
    }
};

StateDictFile::StateDictFile() : m(std::make_unique<Impl>()) {}
StateDictFile::~StateDictFile() = default;

Result<std::unique_ptr<StateDictFile>> StateDictFile::open(const std::filesystem::path& path)
{
    std::unique_ptr<StateDictFile> file(new StateDictFile);
    LQ_CHECKED(file->m->open(path));
    return file;
}

const std::filesystem::path& StateDictFile::path() const
{
    return m->archive->path();
}

const TensorList& StateDictFile::tensors() const
{
    return m->list;
}

Result<void> StateDictFile::read(const std::string& name, const Sink& sink) const
{
    const auto found = m->stored.find(name);
    if (found == m->stored.end())
        return fail(ErrorCode::NotFound, path().string() + " holds no tensor \"" + name + "\"");
    const StoredTensor& tensor = found->second;
    if (!tensor.isContiguous())
        return m->readScattered(tensor, sink);
    const std::uint64_t size = sizeOf(tensor.info.dtype);
    return m->readRange(m->entryOf(tensor), tensor.offset * size, *denseBytes(tensor.info.shape, tensor.info.dtype), sink);
}

} // namespace loquor::weights
