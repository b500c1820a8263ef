// Says one line of a script, clause after clause, so that the first sound is there early.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/speech/clauses.h"
#include "core/speech/script.h"
#include "core/speech/segments.h"
#include "core/speech/voice.h"

namespace loquor::speech {

struct SpokenClause
{
    SpokenSound sound;            // times from the start of this clause, pauses of directions included
    double start = 0;             // seconds of the line at which it begins
    std::vector<TimedTag> cues;   // directions that fall into it, seconds from the start of this clause
    bool isLast = false;
};

// One thread at a time; the voice and the line must outlive it. The sounds of all clauses joined are the
// sound of the line. ScriptLine::pauseAfter is not included: the caller rounds it to frames.
class LineSpeaker
{
public:
    LineSpeaker(Voice& voice, const ScriptLine& line, SpeechOptions options = {}, ClauseLimits limits = {});
    // Nothing after the last clause. Blocks while the voice works.
    Result<std::optional<SpokenClause>> next(const CancelToken& cancel);

private:
    Voice& m_voice;
    const ScriptLine& m_line;
    SpeechOptions m_options;
    std::vector<Clause> m_clauses;
    std::vector<SpokenSegment> m_segments; // empty: nothing is said otherwise
    std::size_t m_next = 0;
    std::size_t m_nextTag = 0;
    double m_start = 0;
};

} // namespace loquor::speech
