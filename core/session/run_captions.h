// The captions of a run, made while its lines are.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "core/session/export_captions.h"
#include "core/session/speech_source.h"

namespace loquor::session {

// Takes the pieces of a run in order and gives them back, each line with its captions at its first piece. A line is held
// until it is known as a whole, where its pictures need the captions; else pieces come back at once and only the
// captions wait. Engine thread.
class RunCaptions
{
public:
    // `room`: of the pictures they are drawn into; nothing: they are not drawn, and no piece is held.
    RunCaptions(int sampleRate, std::optional<media::CaptionRoom> room);

    void add(SpokenLine piece);
    std::optional<SpokenLine> next();
    // Of all lines that are known as a whole, in seconds of the run.
    const std::vector<speech::CaptionCue>& all() const { return m_all; }

private:
    void endLine();

    const int m_sampleRate;
    const std::optional<media::CaptionRoom> m_room;
    std::vector<SpokenLine> m_line; // the pieces of the present one; without sound where none is held
    std::deque<SpokenLine> m_ready;
    SampleIndex m_start = 0, m_end = 0; // of the present line in the run
    std::vector<speech::CaptionCue> m_all;
};

} // namespace loquor::session
