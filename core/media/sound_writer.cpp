#include "core/media/sound_writer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <vector>

#include <unistd.h>

#include "core/base/check.h"
#include "core/media/audio_convert.h"
#include "core/media/audio_writer.h"
#include "core/media/ffmpeg_support.h"
#include "core/platform/paths.h"

namespace loquor::media {

namespace fs = std::filesystem;

namespace {

constexpr int kIoBytes = 1 << 15;

// MPEG-1, 2 and 2.5 know these rates.
int mp3Rate(int rate)
{
    constexpr std::array kRates{8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000};
    return std::find(kRates.begin(), kRates.end(), rate) != kRates.end() ? rate : 48000;
}

// As WavWriter rounds, so that FLAC holds the same samples.
std::int16_t rounded(float value)
{
    return static_cast<std::int16_t>(std::clamp(std::lround(value * 32768.0f), -32768L, 32767L));
}

// Encoded by FFmpeg.
class EncodedFile
{
public:
    EncodedFile(platform::AtomicFile file, SoundFormat format) : m_file(std::move(file)), m_format(format) {}
    ~EncodedFile()
    {
        avformat_free_context(m_muxer);
        if (m_io != nullptr) {
            av_freep(static_cast<void*>(&m_io->buffer));
            avio_context_free(&m_io);
        }
    }
    EncodedFile(const EncodedFile&) = delete;
    EncodedFile& operator=(const EncodedFile&) = delete;

    Result<> open(int sampleRate, int channels)
    {
        routeFfmpegLog();
        m_channels = channels;
        LQ_CHECKED(openEncoder(sampleRate));
        return openMuxer();
    }

    Result<> write(const std::vector<float>& samples)
    {
        return write(samples.data(), static_cast<SampleIndex>(samples.size()) / m_channels);
    }
    Result<> write(const float* samples, SampleIndex frames)
    {
        m_pending.insert(m_pending.end(), samples, samples + frames * m_channels);
        const SampleIndex size = m_encoder->frame_size;
        std::size_t used = 0;
        for (; static_cast<SampleIndex>(m_pending.size() - used) >= size * m_channels; used += static_cast<std::size_t>(size * m_channels))
            LQ_CHECKED(send(m_pending.data() + used, size));
        m_pending.erase(m_pending.begin(), m_pending.begin() + static_cast<std::ptrdiff_t>(used));
        return {};
    }

    Result<> finish()
    {
        if (!m_pending.empty())
            LQ_CHECKED(send(m_pending.data(), static_cast<SampleIndex>(m_pending.size()) / m_channels));
        LQ_CHECKED(encode(nullptr));
        if (const int code = av_write_trailer(m_muxer); code < 0)
            return fail(error(code));
        avio_flush(m_io);
        return m_ioErrno != 0 ? fail(error(0)) : m_file.commit();
    }

private:
    static int writeBytes(void* opaque, std::uint8_t* from, int bytes)
    {
        auto* self = static_cast<EncodedFile*>(opaque);
        for (int done = 0; done < bytes;) {
            const ssize_t count = ::write(self->m_file.fd(), from + done, static_cast<std::size_t>(bytes - done));
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0) {
                self->m_ioErrno = errno;
                return AVERROR(errno);
            }
            done += static_cast<int>(count);
        }
        return bytes;
    }
    static int readBytes(void* opaque, std::uint8_t* to, int bytes) // MP3's header is written last, after a look at the file
    {
        const auto* self = static_cast<EncodedFile*>(opaque);
        const ssize_t count = ::read(self->m_file.fd(), to, static_cast<std::size_t>(bytes));
        return count > 0 ? static_cast<int>(count) : count == 0 ? AVERROR_EOF
                                                                : AVERROR(errno);
    }
    static std::int64_t seekTo(void* opaque, std::int64_t offset, int whence)
    {
        const auto* self = static_cast<EncodedFile*>(opaque);
        if ((whence & AVSEEK_SIZE) != 0)
            return AVERROR(ENOSYS);
        const off_t at = ::lseek(self->m_file.fd(), offset, whence & ~AVSEEK_FORCE);
        return at < 0 ? AVERROR(errno) : at;
    }
    Error error(int code) const
    {
        const std::string what = "Cannot write " + platform::quotedPath(m_file.path());
        return m_ioErrno != 0 ? errorFromErrno(m_ioErrno, what) : avError(code, what);
    }

    Result<> openEncoder(int sampleRate)
    {
        const bool isMp3 = m_format == SoundFormat::Mp3;
        const AVCodec* codec = isMp3 ? avcodec_find_encoder_by_name("libmp3lame") : avcodec_find_encoder(AV_CODEC_ID_FLAC);
        if (codec == nullptr)
            return fail(ErrorCode::Unsupported, std::string("This FFmpeg has no encoder for ") + (isMp3 ? "MP3" : "FLAC") +
                                                    "; write .wav instead.");
        m_encoder.reset(avcodec_alloc_context3(codec));
        m_encoder->sample_rate = sampleRate;
        m_encoder->sample_fmt = isMp3 ? AV_SAMPLE_FMT_FLTP : AV_SAMPLE_FMT_S16;
        m_encoder->thread_count = 1;
        m_encoder->time_base = {1, sampleRate};
        av_channel_layout_default(&m_encoder->ch_layout, m_channels);
        if (isMp3) {
            m_encoder->flags |= AV_CODEC_FLAG_QSCALE;
            m_encoder->global_quality = 2 * FF_QP2LAMBDA;
        } else {
            m_encoder->compression_level = 5;
        }
        if (const int code = avcodec_open2(m_encoder.get(), codec, nullptr); code < 0)
            return fail(avError(code, "Cannot encode " + std::to_string(m_channels) + " channels at " + std::to_string(sampleRate) + " Hz"));
        return {};
    }

    Result<> openMuxer()
    {
        auto* buffer = static_cast<std::uint8_t*>(av_malloc(kIoBytes));
        LOQUOR_CHECK(buffer != nullptr);
        m_io = avio_alloc_context(buffer, kIoBytes, 1, this, &EncodedFile::readBytes, &EncodedFile::writeBytes, &EncodedFile::seekTo);
        const char* kind = m_format == SoundFormat::Mp3 ? "mp3" : "flac";
        if (const int code = avformat_alloc_output_context2(&m_muxer, nullptr, kind, nullptr); code < 0)
            return fail(error(code));
        m_muxer->pb = m_io;
        m_muxer->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
        AVStream* stream = avformat_new_stream(m_muxer, nullptr);
        LOQUOR_CHECK(stream != nullptr);
        avcodec_parameters_from_context(stream->codecpar, m_encoder.get());
        stream->time_base = m_encoder->time_base;
        const int code = avformat_write_header(m_muxer, nullptr);
        return code < 0 ? Result<>(fail(error(code))) : Result<>();
    }

    Result<> send(const float* samples, SampleIndex count)
    {
        av_frame_unref(m_frame.get());
        m_frame->format = m_encoder->sample_fmt;
        m_frame->nb_samples = static_cast<int>(count);
        m_frame->sample_rate = m_encoder->sample_rate;
        av_channel_layout_copy(&m_frame->ch_layout, &m_encoder->ch_layout);
        if (const int code = av_frame_get_buffer(m_frame.get(), 0); code < 0)
            return fail(error(code));
        const auto values = static_cast<std::size_t>(count * m_channels);
        if (m_format == SoundFormat::Flac) {
            std::transform(samples, samples + values, reinterpret_cast<std::int16_t*>(m_frame->extended_data[0]), rounded);
        } else {
            for (std::size_t i = 0; i < values; ++i)
                reinterpret_cast<float*>(m_frame->extended_data[i % static_cast<std::size_t>(m_channels)])[i / static_cast<std::size_t>(m_channels)] =
                    std::clamp(samples[i], -1.0f, 1.0f);
        }
        m_frame->pts = m_sent;
        m_sent += count;
        return encode(m_frame.get());
    }

    Result<> encode(const AVFrame* in)
    {
        int code = avcodec_send_frame(m_encoder.get(), in);
        while (code >= 0) {
            code = avcodec_receive_packet(m_encoder.get(), m_packet.get());
            if (code >= 0) {
                av_packet_rescale_ts(m_packet.get(), m_encoder->time_base, m_muxer->streams[0]->time_base);
                code = av_write_frame(m_muxer, m_packet.get());
            }
            av_packet_unref(m_packet.get());
        }
        if (code != AVERROR(EAGAIN) && code != AVERROR_EOF)
            return fail(error(code));
        return m_ioErrno != 0 ? fail(error(0)) : Result<>();
    }

    platform::AtomicFile m_file;
    const SoundFormat m_format;
    int m_channels = 0, m_ioErrno = 0;
    CodecPtr m_encoder;
    AvFramePtr m_frame = makeFrame();
    PacketPtr m_packet = makePacket();
    AVIOContext* m_io = nullptr;
    AVFormatContext* m_muxer = nullptr;
    std::vector<float> m_pending;
    SampleIndex m_sent = 0;
};

} // namespace

std::optional<SoundFormat> soundFormatOf(const fs::path& file)
{
    std::string ending = file.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (ending == ".wav")
        return SoundFormat::Wav;
    if (ending == ".flac")
        return SoundFormat::Flac;
    if (ending == ".mp3")
        return SoundFormat::Mp3;
    return std::nullopt;
}

struct SoundWriter::Impl
{
    std::optional<WavWriter> wav;
    std::unique_ptr<EncodedFile> encoded; // where it is not a WAV
    std::optional<AudioConverter> converter;
    std::vector<float> converted;
};

SoundWriter::SoundWriter(std::unique_ptr<Impl> impl) : m(std::move(impl))
{
}
SoundWriter::~SoundWriter() = default;
SoundWriter::SoundWriter(SoundWriter&&) noexcept = default;
SoundWriter& SoundWriter::operator=(SoundWriter&&) noexcept = default;

Result<SoundWriter> SoundWriter::create(const fs::path& file, int sampleRate, int channels, platform::IfExists ifExists)
{
    LOQUOR_CHECK(sampleRate > 0 && (channels == 1 || channels == 2));
    const auto format = soundFormatOf(file);
    if (!format)
        return fail(ErrorCode::InvalidArgument, "Sound is written as WAV, FLAC or MP3: the name " + platform::quotedPath(file) +
                                                    " has to end in .wav, .flac or .mp3.");
    auto impl = std::make_unique<Impl>();
    if (*format == SoundFormat::Wav) {
        LQ_TRY(impl->wav, WavWriter::create(file, sampleRate, channels, WavFormat::Int16, ifExists));
        return SoundWriter(std::move(impl));
    }
    LQ_TRY(platform::AtomicFile target, platform::AtomicFile::create(file, ifExists));
    const int rate = *format == SoundFormat::Mp3 ? mp3Rate(sampleRate) : sampleRate;
    if (rate != sampleRate) {
        LQ_TRY(impl->converter, AudioConverter::create(sampleRate, channels, rate, channels));
    }
    impl->encoded = std::make_unique<EncodedFile>(std::move(target), *format);
    LQ_CHECKED(impl->encoded->open(rate, channels));
    return SoundWriter(std::move(impl));
}

Result<> SoundWriter::write(const float* samples, SampleIndex frames)
{
    if (m->wav)
        return m->wav->write(samples, frames);
    if (!m->converter)
        return m->encoded->write(samples, frames);
    m->converted.clear();
    LQ_CHECKED(m->converter->push(samples, frames, m->converted));
    return m->encoded->write(m->converted);
}

Result<> SoundWriter::finish()
{
    if (m->wav)
        return m->wav->finish();
    if (m->converter) {
        m->converted.clear();
        LQ_CHECKED(m->converter->finish(m->converted));
        LQ_CHECKED(m->encoded->write(m->converted));
    }
    return m->encoded->finish();
}

} // namespace loquor::media
