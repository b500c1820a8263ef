// Makes PyTorch files byte by byte: what torch.save writes, and what no torch would.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <zip.h>

namespace loquor::test {

// A pickle of protocol 2, written by hand.
class Pickle
{
public:
    Pickle() : m_bytes("\x80\x02") {}
    Pickle& raw(const std::string& bytes)
    {
        m_bytes += bytes;
        return *this;
    }
    Pickle& text(const std::string& value) { return raw('X' + number(value.size(), 4) + value); }
    Pickle& integer(std::uint64_t value) { return raw("\x8a\x08" + number(value, 8)); }
    Pickle& global(const std::string& module, const std::string& name) { return raw('c' + module + '\n' + name + '\n'); }
    Pickle& integers(const std::vector<std::uint64_t>& values)
    {
        raw("(");
        for (const std::uint64_t value : values)
            integer(value);
        return raw("t");
    }
    // One entry of a dict: name and tensor.
    Pickle& tensor(const std::string& name, const std::string& storageType, const std::string& key, std::uint64_t elements,
                   const std::vector<std::uint64_t>& shape, const std::vector<std::uint64_t>& strides, std::uint64_t offset = 0)
    {
        text(name).global("torch._utils", "_rebuild_tensor_v2").raw("((");
        text("storage").global("torch", storageType).text(key).text("cpu").integer(elements).raw("tQ");
        return integer(offset).integers(shape).integers(strides).raw("\x89").global("collections", "OrderedDict").raw(")RtR");
    }
    std::string done() const { return m_bytes + '.'; }

private:
    static std::string number(std::uint64_t value, std::size_t bytes)
    {
        std::string out;
        for (std::size_t i = 0; i < bytes; ++i)
            out += static_cast<char>(value >> (8 * i) & 0xff);
        return out;
    }
    std::string m_bytes;
};

using ZipEntries = std::vector<std::pair<std::string, std::string>>;

// Entries stored, or deflated when asked for.
inline bool writeZip(const std::filesystem::path& path, const ZipEntries& entries, bool deflated = false)
{
    int code = 0;
    zip_t* file = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (!file)
        return false;
    for (const auto& [name, data] : entries) {
        zip_source_t* source = zip_source_buffer(file, data.data(), data.size(), 0);
        const zip_int64_t index = zip_file_add(file, name.c_str(), source, ZIP_FL_ENC_UTF_8);
        if (index < 0 || zip_set_file_compression(file, static_cast<zip_uint64_t>(index), deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0) != 0) {
            zip_discard(file);
            return false;
        }
    }
    return zip_close(file) == 0;
}

} // namespace loquor::test
