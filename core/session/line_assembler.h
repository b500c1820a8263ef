// Cuts a stream of sound into pieces that last whole numbers of frames, without changing a sample.
#pragma once

#include "core/base/time.h"
#include "core/media/audio_block.h"

namespace loquor::session {

// Sound goes in at the end, pieces come out at the front. What does not fill a frame stays for the next
// piece; only the end of the run may be ragged. Value-like; one thread.
class LineAssembler
{
public:
    LineAssembler(int sampleRate, int channels, Rational fps);

    // Appends; LOQUOR_CHECKs rate and channels.
    void add(const AudioBlock& audio);
    void addSilence(double seconds);
    // Silence up to the next frame boundary: the pause behind a line absorbs the remainder.
    void padToFrame();

    // The longest front part that ends on a frame boundary; may be empty.
    AudioBlock takeWhole();
    // Everything: the end of the run.
    AudioBlock takeAll();

    // Position of the end of all sound added, and of the front, in samples of the run.
    SampleIndex end() const { return m_start + m_pending.frames(); }
    SampleIndex start() const { return m_start; }

private:
    AudioBlock take(SampleIndex samples);
    Rational m_fps;
    SampleIndex m_start = 0; // of the run, at the front of m_pending
    AudioBlock m_pending;
};

} // namespace loquor::session
