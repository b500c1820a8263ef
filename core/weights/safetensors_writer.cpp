#include "core/weights/safetensors_writer.h"

#include <array>
#include <cstring>

#include "core/base/json.h"

namespace loquor::weights {

using Json = nlohmann::ordered_json;

Result<std::unique_ptr<SafetensorsWriter>>
SafetensorsWriter::create(const std::filesystem::path& path, const std::vector<std::pair<std::string, TensorInfo>>& tensors,
                          const std::map<std::string, std::string>& metadata, platform::IfExists ifExists)
{
    Json header = Json::object();
    if (!metadata.empty())
        header["__metadata__"] = metadata;
    std::uint64_t end = 0;
    for (const auto& [name, info] : tensors) {
        const auto bytes = denseBytes(info.shape, info.dtype);
        const std::uint64_t begin = end;
        if (name.empty() || name == "__metadata__" || header.contains(name))
            return fail(ErrorCode::InvalidArgument, "A safetensors file cannot hold a tensor with the name \"" + name + "\" here: it is empty or taken.");
        if (sizeOf(info.dtype) == 0 || !bytes || __builtin_add_overflow(begin, *bytes, &end))
            return fail(ErrorCode::InvalidArgument, "Tensor \"" + name + "\" cannot be written as " + toString(info.dtype) + ' ' + toString(info.shape) + '.');
        header[name] = {{"dtype", toString(info.dtype)}, {"shape", info.shape}, {"data_offsets", {begin, end}}};
    }
    std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.append((8 - text.size() % 8) % 8, ' '); // so that the data starts aligned
    std::array<char, 8> length;
    const std::uint64_t size = text.size();
    std::memcpy(length.data(), &size, length.size());

    LQ_TRY(platform::AtomicFile file, platform::AtomicFile::create(path, ifExists));
    LQ_CHECKED(file.reserve(length.size() + size + end));
    LQ_CHECKED(file.write(length.data(), length.size()));
    LQ_CHECKED(file.write(text));
    std::unique_ptr<SafetensorsWriter> writer(new SafetensorsWriter(std::move(file)));
    writer->m_left = end;
    return writer;
}

Result<void> SafetensorsWriter::write(std::span<const std::byte> data)
{
    if (data.size() > m_left)
        return fail(ErrorCode::InvalidArgument, "More data than announced for " + m_file.path().string() + '.');
    LQ_CHECKED(m_file.write(data.data(), data.size()));
    m_left -= data.size();
    return {};
}

Result<void> SafetensorsWriter::finish()
{
    if (m_left != 0)
        return fail(ErrorCode::InvalidArgument, std::to_string(m_left) + " bytes are missing at the end of " + m_file.path().string() + '.');
    return m_file.commit();
}

} // namespace loquor::weights
