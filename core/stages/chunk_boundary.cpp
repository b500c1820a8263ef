#include "core/stages/chunk_boundary.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace loquor::stages {

namespace {

constexpr std::uint32_t kMagic = 0x42434C51; // "QLCB"
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMostFrames = 1u << 20, kMostState = 1u << 24;

struct Header
{
    std::uint32_t magic = kMagic, version = kVersion;
    std::uint32_t frames = 0, goesOn = 0, state = 0, unused = 0;
};
static_assert(std::is_trivially_copyable_v<portrait::Motion>, "stored as it is");

std::uint64_t checksumOf(std::span<const std::byte> bytes)
{
    std::uint64_t hash = 0xCBF29CE484222325ULL; // FNV-1a
    for (const std::byte byte : bytes)
        hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3ULL;
    return hash;
}

template<class T>
void put(std::vector<std::byte>& out, const std::vector<T>& values)
{
    const auto bytes = std::as_bytes(std::span(values));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

template<class T>
std::vector<T> take(std::span<const std::byte>& from, std::size_t count)
{
    std::vector<T> out(count);
    if (count > 0)
        std::memcpy(out.data(), from.data(), count * sizeof(T));
    from = from.subspan(count * sizeof(T));
    return out;
}

bool isFinite(const std::vector<portrait::Motion>& frames)
{
    return std::ranges::all_of(frames, [](const portrait::Motion& motion) {
        return std::ranges::all_of(motion.value, [](float value) { return std::isfinite(value); });
    });
}

} // namespace

std::vector<std::byte> serialise(const ChunkBoundary& boundary)
{
    Header header;
    header.frames = static_cast<std::uint32_t>(boundary.frames.size());
    header.goesOn = static_cast<std::uint32_t>(boundary.goesOn.size());
    header.state = static_cast<std::uint32_t>(boundary.state.size());
    std::vector<std::uint8_t> shut = boundary.lipsShut;
    shut.resize(boundary.frames.size());
    std::vector<std::byte> out;
    put(out, std::vector<Header>{header});
    put(out, boundary.frames);
    put(out, boundary.goesOn);
    put(out, shut);
    put(out, boundary.state);
    put(out, std::vector<std::uint64_t>{checksumOf(out)});
    return out;
}

Result<ChunkBoundary> parseBoundary(std::span<const std::byte> bytes)
{
    const auto wrong = [](const std::string& what) {
        return fail(ErrorCode::Corrupt, "The data at the border of a chunk " + what + "; make the chunk again.");
    };
    Header header;
    std::uint64_t sum = 0;
    if (bytes.size() < sizeof header + sizeof sum)
        return wrong("are cut off");
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.magic != kMagic || header.version != kVersion)
        return wrong("are of another kind or version");
    const std::size_t size = sizeof header + (std::size_t{header.frames} + header.goesOn) * sizeof(portrait::Motion) +
                             header.frames + header.state + sizeof sum;
    if (header.frames > kMostFrames || header.goesOn > kMostFrames || header.state > kMostState || bytes.size() != size)
        return wrong("have the wrong length");
    std::memcpy(&sum, bytes.data() + size - sizeof sum, sizeof sum);
    if (sum != checksumOf(bytes.first(size - sizeof sum)))
        return wrong("are damaged");
    std::span<const std::byte> rest = bytes.subspan(sizeof header);
    ChunkBoundary out;
    out.frames = take<portrait::Motion>(rest, header.frames);
    out.goesOn = take<portrait::Motion>(rest, header.goesOn);
    out.lipsShut = take<std::uint8_t>(rest, header.frames);
    out.state = take<std::uint8_t>(rest, header.state);
    if (!isFinite(out.frames) || !isFinite(out.goesOn))
        return wrong("hold values that are no numbers");
    return out;
}

} // namespace loquor::stages
