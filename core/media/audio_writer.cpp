#include "core/media/audio_writer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <vector>

#include <unistd.h>

#include "core/platform/paths.h"

namespace loquor::media {

namespace {

constexpr std::size_t kHeaderBytes = 44;
constexpr std::uint64_t kMostBytes = 0xFFFFFFFFu - kHeaderBytes;

std::array<char, kHeaderBytes> header(int sampleRate, int channels, WavFormat format,
                                      std::uint64_t dataBytes)
{
    std::array<char, kHeaderBytes> bytes{};
    const auto put = [&](std::size_t at, std::uint64_t value, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i)
            bytes[at + i] = static_cast<char>((value >> (8 * i)) & 0xFF);
    };
    const std::uint64_t sampleBytes = format == WavFormat::Int16 ? 2 : 4;
    const auto frameBytes = sampleBytes * static_cast<std::uint64_t>(channels);
    std::memcpy(bytes.data(), "RIFF", 4);
    put(4, dataBytes + kHeaderBytes - 8, 4);
    std::memcpy(bytes.data() + 8, "WAVEfmt ", 8);
    put(16, 16, 4);
    put(20, format == WavFormat::Int16 ? 1 : 3, 2);
    put(22, static_cast<std::uint64_t>(channels), 2);
    put(24, static_cast<std::uint64_t>(sampleRate), 4);
    put(28, static_cast<std::uint64_t>(sampleRate) * frameBytes, 4);
    put(32, frameBytes, 2);
    put(34, sampleBytes * 8, 2);
    std::memcpy(bytes.data() + 36, "data", 4);
    put(40, dataBytes, 4);
    return bytes;
}

} // namespace

WavWriter::WavWriter(platform::AtomicFile file, int sampleRate, int channels, WavFormat format)
    : m_file(std::move(file)), m_sampleRate(sampleRate), m_channels(channels), m_format(format)
{
}

Result<WavWriter> WavWriter::create(const std::filesystem::path& file, int sampleRate, int channels,
                                    WavFormat format, platform::IfExists ifExists)
{
    if (sampleRate <= 0 || channels <= 0 || channels > 0xFFFF)
        return fail(ErrorCode::InvalidArgument, "A WAV file needs a sample rate and channels.");
    LQ_TRY(platform::AtomicFile target, platform::AtomicFile::create(file, ifExists));
    WavWriter writer(std::move(target), sampleRate, channels, format);
    const auto bytes = header(sampleRate, channels, format, 0);
    LQ_CHECKED(writer.m_file.write(bytes.data(), bytes.size()));
    return writer;
}

Result<> WavWriter::write(const float* samples, SampleIndex frames)
{
    const auto count = static_cast<std::size_t>(frames * m_channels);
    const std::uint64_t bytes = count * (m_format == WavFormat::Int16 ? 2u : 4u);
    if (m_dataBytes + bytes > kMostBytes)
        return fail(ErrorCode::Unsupported, "The WAV file " + platform::quotedPath(m_file.path()) +
                                                " would be larger than 4 GB.");
    m_dataBytes += bytes;
    if (m_format == WavFormat::Float32)
        return m_file.write(samples, static_cast<std::size_t>(bytes));
    std::vector<std::int16_t> rounded(count);
    for (std::size_t i = 0; i < count; ++i)
        rounded[i] = static_cast<std::int16_t>(
            std::clamp(std::lround(samples[i] * 32768.0f), -32768L, 32767L));
    return m_file.write(rounded.data(), static_cast<std::size_t>(bytes));
}

Result<> WavWriter::finish()
{
    const auto bytes = header(m_sampleRate, m_channels, m_format, m_dataBytes);
    if (::pwrite(m_file.fd(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        return fail(errorFromErrno(errno, "Cannot write " + platform::quotedPath(m_file.path())));
    return m_file.commit();
}

Result<> writeWav(const std::filesystem::path& file, const AudioBlock& block, WavFormat format,
                  platform::IfExists ifExists)
{
    LQ_TRY(WavWriter writer,
           WavWriter::create(file, block.sampleRate, block.channels, format, ifExists));
    LQ_CHECKED(writer.write(block.samples.data(), block.frames()));
    return writer.finish();
}

} // namespace loquor::media
