#include "core/audio/punch_in.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/media/audio_reader.h"
#include "core/media/flac_writer.h"

namespace loquor::audio {

namespace {

constexpr SampleIndex kBlock = 1 << 15;

// How much of the new is heard, and of the old: equal power, because the two have nothing to do with each other.
struct Mix
{
    float fresh = 1, old = 0;
};

Mix mixAt(double share)
{
    const double angle = std::clamp(share, 0.0, 1.0) * std::numbers::pi / 2;
    return {static_cast<float>(std::sin(angle)), static_cast<float>(std::cos(angle))};
}

// The new sound on the time line of the old take.
struct Stretch
{
    AudioBlock sound;
    SampleIndex begin = 0, fadeIn = 0, fadeOut = 0;

    SampleIndex end() const { return begin + sound.frames(); }
    Mix at(SampleIndex frame) const
    {
        if (frame < begin || frame >= end())
            return {0, 1};
        if (frame < begin + fadeIn)
            return mixAt(static_cast<double>(frame - begin) / static_cast<double>(fadeIn));
        if (frame >= end() - fadeOut)
            return mixAt(static_cast<double>(end() - frame) / static_cast<double>(fadeOut));
        return {1, 0};
    }
};

} // namespace

Result<SampleIndex> assemblePunch(const PunchParts& parts, const std::filesystem::path& file)
{
    media::AudioReadOptions options;
    options.channels = 0;
    LQ_TRY(media::AudioReader old, media::AudioReader::open(parts.old, options));
    const double rate = old.sampleRate();
    const auto channels = static_cast<std::size_t>(old.channels());
    Stretch stretch;
    options.sampleRate = old.sampleRate();
    options.channels = old.channels();
    LQ_TRY(stretch.sound, media::readAudio(parts.stretch, options));
    stretch.begin = std::max<SampleIndex>(0, std::llround((parts.from - parts.leadSeconds) * rate));
    const auto most = static_cast<SampleIndex>(std::llround((parts.to + kPunchFadeSeconds) * rate)) - stretch.begin;
    if (stretch.sound.frames() > most)
        stretch.sound.samples.resize(static_cast<std::size_t>(most) * channels);
    const auto fade = static_cast<SampleIndex>(kPunchFadeSeconds * rate);
    stretch.fadeIn = std::min(static_cast<SampleIndex>(parts.leadSeconds * rate), stretch.sound.frames() / 2);
    stretch.fadeOut = std::min(fade, stretch.sound.frames() / 2);

    LQ_TRY(media::FlacWriter writer, media::FlacWriter::create(file, old.sampleRate(), old.channels()));
    SampleIndex at = 0;
    for (;;) {
        LQ_TRY(AudioBlock block, old.read(kBlock));
        const bool ended = block.samples.empty();
        if (ended && at >= stretch.end())
            break;
        if (ended) // the new reaches beyond the end of the old
            block.samples.assign(static_cast<std::size_t>(std::min(kBlock, stretch.end() - at)) * channels, 0.f);
        for (SampleIndex i = 0; i < block.frames(); ++i) {
            const Mix mix = stretch.at(at + i);
            for (std::size_t c = 0; c < channels && mix.fresh > 0; ++c) {
                float& value = block.samples[static_cast<std::size_t>(i) * channels + c];
                const auto from = static_cast<std::size_t>(at + i - stretch.begin) * channels + c;
                value = mix.old * value + mix.fresh * stretch.sound.samples[from];
            }
        }
        LQ_CHECKED(writer.write(block.samples.data(), block.frames()));
        at += block.frames();
    }
    LQ_CHECKED(writer.finish());
    return at;
}

} // namespace loquor::audio
