#include "core/speech/segment_cache.h"

#include <bit>
#include <chrono>
#include <cstring>
#include <vector>

#include "core/base/log.h"
#include "core/platform/atomic_file.h"
#include "core/platform/folder_limit.h"
#include "core/platform/hash.h"
#include "core/platform/paths.h"

namespace loquor::speech {

namespace fs = std::filesystem;

namespace {

// Goes up whenever the code between a voice's model and its sound changes: gains, limiter, times, clauses' ends.
constexpr int kSynthesisVersion = 2;
constexpr std::string_view kMagic = "loquor segment 1\n";
constexpr std::size_t kHashBytes = 64;
constexpr std::uint64_t kLargestSegment = 256ULL << 20;
constexpr const char* kSuffix = ".segment";

class Writer
{
public:
    template<class T>
    void number(T value)
    {
        static_assert(std::is_arithmetic_v<T>);
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void text(std::string_view value)
    {
        number(static_cast<std::uint64_t>(value.size()));
        m_bytes.append(value);
    }
    std::string& bytes() { return m_bytes; }

private:
    std::string m_bytes;
};

class Reader
{
public:
    explicit Reader(std::string_view bytes) : m_rest(bytes) {}
    template<class T>
    T number()
    {
        T value{};
        if (const auto from = take(sizeof value); from.size() == sizeof value)
            from.copy(reinterpret_cast<char*>(&value), sizeof value);
        return value;
    }
    std::string text() { return std::string(take(number<std::uint64_t>())); }
    // How many items of at least that size follow; 0 when they cannot.
    std::size_t count(std::size_t itemBytes)
    {
        const auto n = number<std::uint64_t>();
        m_isGood = m_isGood && n <= m_rest.size() / itemBytes;
        return m_isGood ? n : 0;
    }
    bool isDone() const { return m_isGood && m_rest.empty(); }

private:
    std::string_view take(std::uint64_t bytes)
    {
        m_isGood = m_isGood && bytes <= m_rest.size();
        const std::string_view out = m_rest.substr(0, m_isGood ? bytes : 0);
        m_rest.remove_prefix(out.size());
        return out;
    }
    std::string_view m_rest;
    bool m_isGood = true;
};

std::string bytesOf(const std::string& key, const SpokenSound& sound)
{
    Writer w;
    w.bytes() = kMagic;
    w.text(key);
    w.number(sound.audio.sampleRate);
    w.number(sound.audio.channels);
    w.text({reinterpret_cast<const char*>(sound.audio.samples.data()), sound.audio.samples.size() * sizeof(float)});
    const Timing& t = sound.timing;
    w.text(t.language);
    w.number(static_cast<int>(t.source));
    w.number(t.durationSeconds);
    w.number(static_cast<std::uint64_t>(t.words.size()));
    for (const Word& word : t.words) {
        w.text(word.text);
        w.number(word.start);
        w.number(word.end);
        w.number(word.textBegin);
        w.number(word.textEnd);
        w.number(word.confidence);
    }
    w.number(static_cast<std::uint64_t>(t.phonemes.size()));
    for (const Phoneme& p : t.phonemes) {
        w.text(p.symbol);
        w.number(p.start);
        w.number(p.end);
        w.number(p.confidence);
        w.number(p.stressed);
    }
    w.number(static_cast<std::uint64_t>(sound.notes.size()));
    for (const std::string& note : sound.notes)
        w.text(note);
    w.bytes() += platform::sha256(w.bytes());
    return std::move(w.bytes());
}

std::optional<SpokenSound> soundOf(std::string_view bytes, const std::string& key)
{
    if (bytes.size() < kMagic.size() + kHashBytes || !bytes.starts_with(kMagic))
        return std::nullopt;
    const std::string_view content = bytes.substr(0, bytes.size() - kHashBytes);
    if (platform::sha256(content.data(), content.size()) != bytes.substr(content.size()))
        return std::nullopt;
    Reader r(content.substr(kMagic.size()));
    if (r.text() != key)
        return std::nullopt;
    SpokenSound out;
    out.audio.sampleRate = r.number<int>();
    out.audio.channels = r.number<int>();
    const std::string samples = r.text();
    out.audio.samples.resize(samples.size() / sizeof(float));
    if (!samples.empty())
        std::memcpy(out.audio.samples.data(), samples.data(), out.audio.samples.size() * sizeof(float));
    Timing& t = out.timing;
    t.language = r.text();
    t.source = static_cast<TimingSource>(r.number<int>());
    t.durationSeconds = r.number<double>();
    t.words.resize(r.count(8 + 8 + 8 + 4 + 4 + 4));
    for (Word& word : t.words) {
        word.text = r.text();
        word.start = r.number<double>();
        word.end = r.number<double>();
        word.textBegin = r.number<std::int32_t>();
        word.textEnd = r.number<std::int32_t>();
        word.confidence = r.number<float>();
    }
    t.phonemes.resize(r.count(8 + 8 + 8 + 4 + 1));
    for (Phoneme& p : t.phonemes) {
        p.symbol = r.text();
        p.start = r.number<double>();
        p.end = r.number<double>();
        p.confidence = r.number<float>();
        p.stressed = r.number<bool>();
    }
    out.notes.resize(r.count(8));
    for (std::string& note : out.notes)
        note = r.text();
    if (!r.isDone() || out.audio.samples.empty())
        return std::nullopt;
    return out;
}

class CachedVoice : public Voice
{
public:
    CachedVoice(std::unique_ptr<Voice> voice, std::shared_ptr<SegmentCache> cache, const std::string& helperVersion)
        : m_voice(std::move(voice)), m_cache(std::move(cache))
    {
        const VoiceDescription& d = m_voice->description();
        Writer w;
        w.number(kSynthesisVersion);
        for (const std::string& text : {d.id, d.language, d.fingerprint, helperVersion})
            w.text(text);
        w.number(d.speaker);
        w.number(d.sampleRate);
        m_prefix = std::move(w.bytes());
    }
    const VoiceDescription& description() const override { return m_voice->description(); }

    Result<SpokenSound> synthesize(const Utterance& utterance, const SpeechOptions& options, const CancelToken& cancel) override
    {
        if (cancel.isCancelled())
            return cancelled();
        const std::string key = platform::sha256(m_prefix + soundKey(utterance, options));
        // Kept as of a line of its own: where it stands in its line does not change how it sounds.
        Utterance alone = utterance;
        alone.textBegin = 0;
        auto sound = m_cache->find(key);
        if (!sound) {
            LQ_TRY(sound, m_voice->synthesize(alone, options, cancel));
            m_cache->store(key, *sound);
        }
        for (Word& w : sound->timing.words) {
            w.textBegin += utterance.textBegin;
            w.textEnd += utterance.textBegin;
        }
        return std::move(*sound);
    }

private:
    const std::unique_ptr<Voice> m_voice;
    const std::shared_ptr<SegmentCache> m_cache;
    std::string m_prefix;
};

} // namespace

SegmentCache::SegmentCache(fs::path folder, std::uint64_t mostBytes) : m_folder(std::move(folder)), m_mostBytes(mostBytes)
{
}

std::optional<SpokenSound> SegmentCache::find(const std::string& key) const
{
    const fs::path file = m_folder / (key + kSuffix);
    const auto bytes = platform::readFile(file, kLargestSegment);
    if (!bytes)
        return std::nullopt;
    auto sound = soundOf({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, key);
    std::error_code ignored;
    if (sound) {
        fs::last_write_time(file, fs::file_time_type::clock::now(), ignored); // used: it stays longest
    } else {
        log(LogLevel::Warning, "speech", platform::quotedPath(file) + " is damaged; it is made again.");
        fs::remove(file, ignored);
    }
    return sound;
}

void SegmentCache::store(const std::string& key, const SpokenSound& sound)
{
    const std::string bytes = bytesOf(key, sound);
    if (bytes.size() > m_mostBytes || sound.audio.samples.empty())
        return;
    Result<void> done = platform::makeFolder(m_folder);
    if (done)
        done = platform::writeFile(m_folder / (key + kSuffix), bytes);
    std::lock_guard lock(m_mutex);
    if (!done) {
        if (!m_hasComplained)
            log(LogLevel::Warning, "speech", "Speech is not kept for the next time: " + done.error().text());
        m_hasComplained = true;
        return;
    }
    if (m_bytes)
        *m_bytes += bytes.size();
    if (!m_bytes || *m_bytes > m_mostBytes)
        trim();
}

void SegmentCache::trim()
{
    // Some more than needed, so that not every utterance has to look at them all.
    m_bytes = platform::limitFolder(m_folder, kSuffix, m_mostBytes, m_mostBytes - m_mostBytes / 8).bytesLeft;
}

std::unique_ptr<Voice> withCache(std::unique_ptr<Voice> voice, std::shared_ptr<SegmentCache> cache, const std::string& helperVersion)
{
    if (!cache || !voice->description().isRepeatable)
        return voice;
    return std::make_unique<CachedVoice>(std::move(voice), std::move(cache), helperVersion);
}

} // namespace loquor::speech
