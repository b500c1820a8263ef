// A recording aligned with its text while it is read: the first words are there after some seconds of it,
// and hours need no more memory than minutes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"
#include "core/speech/script.h"
#include "core/speech/timing.h"

namespace loquor::speech {

class WindowAligner;

// Words and sounds of the next stretch of a recording, in seconds from its start. Where the text could not
// be found there are none: callers then go by the sound.
struct AlignedStretch
{
    Timing timing;
    double end = 0; // all before is decided
};

// Made by Aligner::stream(), which must outlive it; one thread at a time, the aligner's. Windows end in pauses; the first
// ones are short. When three windows in a row hold nothing of the text, the other way to find it is tried on them and on what
// follows, if there is one, and once it has failed, too, the stream gives up.
class AlignStream
{
public:
    // Another aligner for the text from this place on.
    using Other = std::function<std::unique_ptr<WindowAligner>(std::int32_t textBegin)>;
    // other: for what `windows` is not fit for; may be empty.
    AlignStream(std::unique_ptr<WindowAligner> windows, std::string language, std::vector<std::string> warnings, Other other = {});
    ~AlignStream();
    AlignStream(const AlignStream&) = delete;
    AlignStream& operator=(const AlignStream&) = delete;

    // 16 kHz mono sound behind what was added before.
    void add(const std::vector<float>& samples);
    // False: next() can work without more sound.
    bool wantsSound() const;
    // `ended`: there is no more sound than was added. Call until isOver(). Errors: Cancelled, Internal.
    Result<AlignedStretch> next(bool ended, const CancelToken& cancel);
    // The text is used up, or nothing of it could be found for too long.
    bool isOver() const { return m_over; }
    // Sentences for the user that came up since the last call.
    std::vector<std::string> takeWarnings();

private:
    bool tryAgain();
    void takeOther(const std::string& why);
    void tell(std::string warning);
    void pass(std::size_t samples);
    bool isLost(double seconds);
    void giveUp();
    void judge(const Timing& timing);
    double reach() const;

    std::unique_ptr<WindowAligner> m_aligner;
    Other m_other; // empty once it was taken
    bool m_isSecondTry = false;
    std::vector<float> m_missed;     // from m_missedFrom on, while there is another way
    std::vector<std::string> m_told; // each once
    const std::string m_language;
    std::vector<float> m_sound;      // from m_start on
    double m_start = 0;              // seconds
    int m_windows = 0, m_misses = 0; // misses: in a row
    double m_missedFrom = 0;
    double m_confidence = 0;
    std::size_t m_judged = 0;        // words that m_confidence sums up
    bool m_over = false, m_doubted = false;
    std::vector<std::string> m_warnings;
};

} // namespace loquor::speech
