#include "core/speech/styled_speech.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/speech/loudness.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

constexpr double kFadeSeconds = 0.006;   // half of the fade from one reading to the next
constexpr double kShortestPart = 0.001;  // of a sound that a border cuts off; it goes to its neighbour
constexpr int kTaps = 24;                // on each side, of the resampling filter

// Windowed sinc at `x` samples from its middle; `cutoff` 1 = half the sample rate.
double filterAt(double x, double cutoff, double halfWidth)
{
    const double position = x / halfWidth;
    if (std::abs(position) >= 1)
        return 0;
    const double angle = std::numbers::pi * x * cutoff;
    const double sinc = std::abs(angle) < 1e-9 ? 1.0 : std::sin(angle) / angle;
    const double window = 0.5 + 0.5 * std::cos(std::numbers::pi * position);
    return cutoff * sinc * window;
}

std::vector<float> resampled(const std::vector<float>& in, double ratio)
{
    const auto count = static_cast<std::size_t>(std::llround(static_cast<double>(in.size()) / ratio));
    const double cutoff = 0.97 * std::min(1.0, 1 / ratio);
    const double halfWidth = kTaps * std::max(1.0, ratio);
    std::vector<float> out(count);
    const auto last = static_cast<std::int64_t>(in.size()) - 1;
    for (std::size_t i = 0; i < count; ++i) {
        const double at = static_cast<double>(i) * ratio;
        const auto from = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(at - halfWidth)));
        const auto to = std::min<std::int64_t>(last, static_cast<std::int64_t>(std::floor(at + halfWidth)));
        double sum = 0;
        for (std::int64_t k = from; k <= to; ++k)
            sum += static_cast<double>(in[static_cast<std::size_t>(k)]) * filterAt(static_cast<double>(k) - at, cutoff, halfWidth);
        out[i] = static_cast<float>(sum);
    }
    return out;
}

bool hasWord(std::string_view text)
{
    for (std::size_t i = 0; i < text.size();) {
        if (isLetterOrDigit(nextCharacter(text, i)))
            return true;
    }
    return false;
}

bool isSaid(const SpokenSegment& segment)
{
    return segment.isReplaced || hasWord(segment.text);
}

// A piece of one reading: words [firstWord, endWord), samples [begin, end).
struct Piece
{
    std::size_t reading = 0;
    std::size_t firstWord = 0, endWord = 0;
    std::size_t begin = 0, end = 0;
    double gainDb = 0;
};

class Splicer
{
public:
    Splicer(const std::vector<SpokenSound>& readings, std::vector<Piece> pieces)
        : m_readings(readings), m_pieces(std::move(pieces)), m_rate(readings.front().audio.sampleRate)
    {
    }

    SpokenSound run()
    {
        setBorders();
        SpokenSound out;
        out.audio.sampleRate = m_rate;
        out.audio.channels = 1;
        out.timing.language = m_readings.front().timing.language;
        out.timing.source = m_readings.front().timing.source;
        for (std::size_t i = 0; i < m_pieces.size(); ++i)
            append(out, i);
        out.timing.durationSeconds = out.audio.seconds();
        if (!out.timing.phonemes.empty())
            out.timing.phonemes.back().end = out.timing.durationSeconds;
        applyGainLimited(out.audio, 0);
        return out;
    }

private:
    // Where a reading goes over from the word before `word` to it: in the middle of the pause between them.
    std::size_t borderOf(std::size_t reading, std::size_t word) const
    {
        const auto& words = m_readings[reading].timing.words;
        const double seconds = (words[word - 1].end + words[word].start) / 2;
        return std::min(static_cast<std::size_t>(std::llround(seconds * m_rate)), m_readings[reading].audio.samples.size());
    }
    void setBorders()
    {
        for (std::size_t i = 0; i < m_pieces.size(); ++i) {
            Piece& piece = m_pieces[i];
            piece.begin = i == 0 ? 0 : borderOf(piece.reading, piece.firstWord);
            piece.end = i + 1 == m_pieces.size() ? m_readings[piece.reading].audio.samples.size()
                                                 : borderOf(piece.reading, piece.endWord);
        }
    }
    void append(SpokenSound& out, std::size_t index) const
    {
        const Piece& piece = m_pieces[index];
        const SpokenSound& reading = m_readings[piece.reading];
        const std::size_t start = out.audio.samples.size();
        const auto gain = static_cast<float>(std::pow(10.0, piece.gainDb / 20));
        for (std::size_t k = piece.begin; k < piece.end; ++k)
            out.audio.samples.push_back(reading.audio.samples[k] * gain);
        if (index > 0)
            fade(out.audio.samples, start, m_pieces[index - 1], piece);
        appendTimes(out.timing, piece, static_cast<double>(start) / m_rate);
    }
    // From what the last reading goes on with to what this one comes from; the length stays.
    void fade(std::vector<float>& samples, std::size_t start, const Piece& before, const Piece& after) const
    {
        const auto& a = m_readings[before.reading].audio.samples;
        const auto& b = m_readings[after.reading].audio.samples;
        const double gainA = std::pow(10.0, before.gainDb / 20), gainB = std::pow(10.0, after.gainDb / 20);
        const auto half = std::min({static_cast<std::size_t>(kFadeSeconds * m_rate), start, before.end - before.begin, after.end - after.begin,
                                    after.begin, a.size() - before.end, samples.size() - start});
        for (std::size_t k = 0; k < 2 * half; ++k) {
            const double weight = (static_cast<double>(k) + 0.5) / static_cast<double>(2 * half);
            const double from = gainA * static_cast<double>(a[before.end - half + k]), to = gainB * static_cast<double>(b[after.begin - half + k]);
            samples[start - half + k] = static_cast<float>((1 - weight) * from + weight * to);
        }
    }
    void appendTimes(Timing& out, const Piece& piece, double start) const
    {
        const Timing& in = m_readings[piece.reading].timing;
        const double first = static_cast<double>(piece.begin) / m_rate, last = static_cast<double>(piece.end) / m_rate;
        double done = start;
        for (Phoneme p : in.phonemes) {
            const double end = start + std::min(p.end, last) - first;
            if (p.end <= first || p.start >= last || end - done < kShortestPart)
                continue;
            // Silence, and a sound that the border goes through.
            const bool isCut = p.start + kShortestPart < first && start > 0;
            const bool joins = !out.phonemes.empty() && out.phonemes.back().symbol == p.symbol && (p.symbol.empty() || isCut);
            if (joins) {
                out.phonemes.back().end = end;
            } else {
                p.start = done;
                p.end = end;
                out.phonemes.push_back(std::move(p));
            }
            done = end;
        }
        if (!out.phonemes.empty())
            out.phonemes.back().end = start + last - first;
        for (std::size_t i = piece.firstWord; i < piece.endWord; ++i) {
            Word w = in.words[i];
            w.start = start + std::max(w.start, first) - first;
            w.end = start + std::min(w.end, last) - first;
            if (w.end > w.start)
                out.words.push_back(std::move(w));
        }
    }

    const std::vector<SpokenSound>& m_readings;
    std::vector<Piece> m_pieces;
    const int m_rate;
};

// The styles of the words, one entry for each different way of reading the clause.
struct Styles
{
    std::vector<SpokenStyle> readings; // without gain
    std::vector<std::size_t> ofSegment;
    std::vector<double> gains; // of segments
};

Styles stylesOf(std::span<const SpokenSegment> segments)
{
    Styles out;
    for (const SpokenSegment& segment : segments) {
        SpokenStyle style = segment.style;
        style.gainDb = 0;
        auto at = std::find(out.readings.begin(), out.readings.end(), style);
        if (at == out.readings.end() && isSaid(segment))
            at = out.readings.insert(at, style);
        out.ofSegment.push_back(static_cast<std::size_t>(at - out.readings.begin()));
        out.gains.push_back(segment.style.gainDb);
    }
    if (out.readings.empty())
        out.readings.push_back({});
    return out;
}

// One style for all of it: that of most of its text.
Styles mostUsed(std::span<const SpokenSegment> segments, Styles styles)
{
    std::vector<std::size_t> bytes(styles.readings.size());
    std::size_t best = 0;
    double gain = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (!isSaid(segments[i]))
            continue;
        std::size_t& sum = bytes[styles.ofSegment[i]];
        sum += static_cast<std::size_t>(segments[i].end - segments[i].begin);
        if (sum > bytes[best] || best == styles.ofSegment[i]) {
            best = styles.ofSegment[i];
            gain = styles.gains[i];
        }
    }
    return {{styles.readings[best]}, std::vector<std::size_t>(segments.size(), 0), std::vector<double>(segments.size(), gain)};
}

std::vector<Piece> piecesOf(const Timing& timing, std::span<const SpokenSegment> segments, const Styles& styles, std::int32_t textBegin)
{
    std::vector<Piece> pieces;
    std::size_t s = 0;
    for (std::size_t i = 0; i < timing.words.size(); ++i) {
        while (s + 1 < segments.size() && segments[s].end <= timing.words[i].textBegin - textBegin)
            ++s;
        const std::size_t reading = std::min(styles.ofSegment[s], styles.readings.size() - 1);
        if (pieces.empty() || pieces.back().reading != reading || pieces.back().gainDb != styles.gains[s])
            pieces.push_back({reading, i, i, 0, 0, styles.gains[s]});
        pieces.back().endWord = i + 1;
    }
    return pieces;
}

bool sameWords(const Timing& a, const Timing& b)
{
    return std::equal(a.words.begin(), a.words.end(), b.words.begin(), b.words.end(),
                      [](const Word& x, const Word& y) { return x.textBegin == y.textBegin; });
}

} // namespace

Result<SpokenSound> speakStyled(Voice& voice, Utterance utterance, std::span<const SpokenSegment> segments,
                                const SpeechOptions& options, const CancelToken& cancel)
{
    const VoiceSupport& can = voice.description().supports;
    std::vector<std::string> notes;
    const auto cannot = [&](const char* what) {
        notes.push_back("The voice " + voice.description().name + " cannot follow the tags for " + what + "; it says the text without.");
    };
    for (const SpokenSegment& segment : segments) {
        if (!segment.isReplaced)
            continue;
        const bool isSounds = !segment.ipa.empty();
        if (isSounds && !can.sounds)
            cannot("sounds ([ipa])");
        else
            utterance.replacements.push_back({segment.begin, segment.end, isSounds ? segment.ipa : segment.text, isSounds});
    }
    Styles styles = stylesOf(segments);
    if (styles.readings.size() > 1 && !can.singleWords) {
        cannot("words inside a clause");
        styles = mostUsed(segments, std::move(styles));
    }
    std::vector<SpokenSound> readings;
    for (const SpokenStyle& style : styles.readings) {
        SpeechOptions as = options;
        as.speed *= style.rate;
        as.pitch += can.pitch ? style.pitch : 0;
        if (style.pitch != 0 && !can.pitch)
            cannot("pitch");
        LQ_TRY(SpokenSound reading, voice.synthesize(utterance, as, cancel));
        notes.insert(notes.end(), reading.notes.begin(), reading.notes.end());
        if (!readings.empty() && !sameWords(readings.front().timing, reading.timing))
            return fail(ErrorCode::Internal, "The voice " + voice.description().id + " reads the same words in two ways: " + utterance.text);
        readings.push_back(std::move(reading));
    }
    auto pieces = piecesOf(readings.front().timing, segments, styles, utterance.textBegin);
    SpokenSound out;
    if (pieces.size() > 1) {
        out = Splicer(readings, std::move(pieces)).run();
    } else {
        out = std::move(readings[pieces.empty() ? 0 : pieces[0].reading]);
        if (!pieces.empty() && pieces[0].gainDb != 0)
            applyGainLimited(out.audio, pieces[0].gainDb);
    }
    std::sort(notes.begin(), notes.end());
    notes.erase(std::unique(notes.begin(), notes.end()), notes.end());
    out.notes = std::move(notes);
    return out;
}

void playFaster(SpokenSound& sound, double ratio)
{
    const double before = sound.audio.seconds();
    sound.audio.samples = resampled(sound.audio.samples, ratio);
    const double scale = before > 0 ? sound.audio.seconds() / before : 1;
    for (Phoneme& p : sound.timing.phonemes) {
        p.start *= scale;
        p.end *= scale;
    }
    for (Word& w : sound.timing.words) {
        w.start *= scale;
        w.end *= scale;
    }
    sound.timing.durationSeconds = sound.audio.seconds();
    if (!sound.timing.phonemes.empty())
        sound.timing.phonemes.back().end = sound.timing.durationSeconds;
}

} // namespace loquor::speech
