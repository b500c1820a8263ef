// Writes safetensors files for tests, valid ones and damaged ones.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace loquor::test {

// Header text and data as they are, valid or not; `claimedLength` < 0 means the true length.
inline void writeRawSafetensors(const std::filesystem::path& path, const std::string& header,
                                const std::string& data, std::int64_t claimedLength = -1)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    const auto length = claimedLength < 0 ? static_cast<std::uint64_t>(header.size())
                                          : static_cast<std::uint64_t>(claimedLength);
    char prefix[8];
    std::memcpy(prefix, &length, 8);
    file.write(prefix, 8);
    file << header << data;
}

struct BuilderTensor
{
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};

// A valid file of float32 tensors. Metadata keys and values must need no JSON escapes but newlines.
inline void writeSafetensors(const std::filesystem::path& path, const std::vector<BuilderTensor>& tensors,
                             const std::vector<std::pair<std::string, std::string>>& metadata = {})
{
    std::string header = "{";
    std::string data;
    const auto separate = [&] { header += header.size() > 1 ? "," : ""; };
    if (!metadata.empty()) {
        header += "\"__metadata__\":{";
        for (std::size_t i = 0; i < metadata.size(); ++i) {
            header += (i ? ",\"" : "\"") + metadata[i].first + "\":\"";
            for (const char c : metadata[i].second)
                header += c == '\n' ? std::string("\\n") : std::string(1, c);
            header += "\"";
        }
        header += "}";
    }
    for (const BuilderTensor& tensor : tensors) {
        separate();
        header += "\"" + tensor.name + "\":{\"dtype\":\"F32\",\"shape\":[";
        for (std::size_t i = 0; i < tensor.shape.size(); ++i)
            header += (i ? "," : "") + std::to_string(tensor.shape[i]);
        header += "],\"data_offsets\":[" + std::to_string(data.size());
        data.append(reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size() * 4);
        header += "," + std::to_string(data.size()) + "]}";
    }
    writeRawSafetensors(path, header + "}", data);
}

} // namespace loquor::test
