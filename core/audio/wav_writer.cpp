#include "core/audio/wav_writer.h"

#include <cerrno>
#include <cstring>

namespace loquor::audio {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kHeaderBytes = 58;
constexpr std::uint64_t kMaxDataBytes = 0xFFFF'0000ULL;

std::uint8_t* put(std::uint8_t* at, const char* tag)
{
    std::memcpy(at, tag, 4);
    return at + 4;
}
std::uint8_t* put(std::uint8_t* at, std::uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; ++i)
        *at++ = static_cast<std::uint8_t>(value >> (8 * i));
    return at;
}

} // namespace

Result<std::unique_ptr<WavWriter>> WavWriter::create(const fs::path& file, int sampleRate,
                                                     int channels)
{
    std::error_code ec;
    fs::create_directories(file.parent_path(), ec);
    fs::path part = file;
    part += ".part";
    std::FILE* stream = std::fopen(part.c_str(), "wb");
    if (!stream)
        return fail(errorFromErrno(errno, "Cannot record to '" + file.string() + "'"));
    std::unique_ptr<WavWriter> writer(new WavWriter(file, stream, sampleRate, channels));
    LQ_CHECKED(writer->writeHeader());
    return writer;
}

WavWriter::WavWriter(fs::path file, std::FILE* stream, int sampleRate, int channels)
    : m_file(std::move(file)), m_part(m_file.string() + ".part"), m_stream(stream),
      m_sampleRate(sampleRate), m_channels(channels)
{
}

WavWriter::~WavWriter()
{
    if (m_stream)
        std::fclose(m_stream);
}

Result<void> WavWriter::writeHeader()
{
    std::uint8_t header[kHeaderBytes];
    const auto rate = static_cast<std::uint64_t>(m_sampleRate);
    const auto channels = static_cast<std::uint64_t>(m_channels);
    std::uint8_t* at = put(header, "RIFF");
    at = put(at, m_dataBytes + kHeaderBytes - 8, 4);
    at = put(put(at, "WAVE"), "fmt ");
    at = put(at, 18, 4);
    at = put(at, 3, 2); // IEEE float
    at = put(at, channels, 2);
    at = put(at, rate, 4);
    at = put(at, rate * channels * 4, 4);
    at = put(at, channels * 4, 2);
    at = put(at, 32, 2);
    at = put(at, 0, 2);
    at = put(put(at, "fact"), 4, 4);
    at = put(at, m_dataBytes / (4 * channels), 4);
    put(put(at, "data"), m_dataBytes, 4);
    if (std::fseek(m_stream, 0, SEEK_SET) != 0 ||
        std::fwrite(header, 1, kHeaderBytes, m_stream) != kHeaderBytes ||
        std::fseek(m_stream, 0, SEEK_END) != 0)
        return fail(errorFromErrno(errno, "Cannot record to '" + m_file.string() + "'"));
    return {};
}

Result<void> WavWriter::write(const float* samples, std::size_t count)
{
    if (m_dataBytes + count * 4 > kMaxDataBytes)
        return fail(ErrorCode::Unsupported,
                    "The recording reached the largest size of a WAV file (4 GiB); it was kept");
    // Floats are written as they lie in memory: every platform this runs on is little-endian.
    if (std::fwrite(samples, 4, count, m_stream) != count)
        return fail(errorFromErrno(errno, "Cannot record to '" + m_file.string() + "'"));
    m_dataBytes += count * 4;
    return {};
}

Result<void> WavWriter::flush()
{
    LQ_CHECKED(writeHeader());
    if (std::fflush(m_stream) != 0)
        return fail(errorFromErrno(errno, "Cannot record to '" + m_file.string() + "'"));
    return {};
}

Result<void> WavWriter::finish()
{
    LQ_CHECKED(flush());
    std::fclose(m_stream);
    m_stream = nullptr;
    std::error_code ec;
    fs::rename(m_part, m_file, ec);
    if (ec)
        return fail(
            errorFromErrno(ec.value(), "Cannot name the recording '" + m_file.string() + "'"));
    return {};
}

void WavWriter::discard()
{
    if (m_stream)
        std::fclose(m_stream);
    m_stream = nullptr;
    std::error_code ec;
    fs::remove(m_part, ec);
}

} // namespace loquor::audio
