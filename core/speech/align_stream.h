// A recording aligned with its text while it is read: the first words are there after some seconds of it,
// and hours need no more memory than minutes.
#pragma once

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
// ones are short. When three windows in a row hold nothing of the text it gives up.
class AlignStream
{
public:
    AlignStream(std::unique_ptr<WindowAligner> windows, std::string language, std::vector<std::string> warnings);
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
    void missed(double seconds);
    void judge(const Timing& timing);
    double reach() const;

    const std::unique_ptr<WindowAligner> m_aligner;
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
