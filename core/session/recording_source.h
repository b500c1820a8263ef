// Speech from a recording, streamed: hours of it cost no memory.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/media/audio_reader.h"
#include "core/pipeline/line_grid.h"
#include "core/session/speech_source.h"
#include "core/session/voice_shelf.h"
#include "core/speech/pronunciations.h"
#include "core/speech/script.h"

namespace loquor::session {

// How a recording is cut.
struct RecordingShape
{
    int sampleRate = 0, channels = 0; // 0 = as in the file, where the output format allows it
    pipeline::CutLimits limits;
    bool wholeWords = false; // cuts lie between the words that were found
    speech::Pronunciations pronunciations = {}; // of the project; they go before the user's
};

// Cut at pauses on frame boundaries; no sample is changed, beyond a change of rate where the output
// format needs one. With a transcript the recording is aligned some seconds ahead of its lines; without, or where that
// fails, lines carry no phonemes and lips follow the sound alone.
class RecordingSource : public SpeechSource
{
public:
    RecordingSource(SpeechInput input, Rational fps, std::shared_ptr<VoiceShelf> voices, RecordingShape shape = {});
    Result<SpeechFacts> open(const CancelToken& cancel) override;
    Result<std::optional<SpokenLine>> next(const CancelToken& cancel) override;
    std::vector<std::string> takeWarnings() override;

private:
    Result<void> fill(const CancelToken& cancel);
    // Prepares the alignment; `facts` says why when it is not possible.
    Result<void> openAlignment(SpeechFacts& facts, const CancelToken& cancel);
    // Aligns on until the times before `seconds` are known.
    Result<void> alignUntil(double seconds, const CancelToken& cancel);
    void keepTimes(const speech::Timing& timing);
    void readTags(const speech::Script& script);
    double estimatedSeconds() const;
    // The frame boundary nearest to the middle of the longest gap between words, when `cut` lies in a word.
    SampleIndex betweenWords(SampleIndex cut) const;
    std::size_t endOfMarks(const speech::Word& word) const;
    void takeTimes(double start, double end, SpokenLine& line);

    SpeechInput m_input;
    Rational m_fps;
    std::shared_ptr<VoiceShelf> m_voices;
    const RecordingShape m_shape;
    speech::Timing m_timing;          // known, not yet handed out with a line
    std::vector<speech::ScriptTag> m_tags; // of the transcript; places in all of it
    std::size_t m_nextTag = 0;
    std::vector<comm::LineCue> m_cues;     // known, not yet handed out
    speech::AlignOptions m_how;
    std::unique_ptr<speech::AlignStream> m_stream;
    std::optional<media::AudioReader> m_listener; // reads ahead for m_stream
    bool m_heardAll = false;
    double m_alignedUntil = 0, m_lastWordEnd = 0; // seconds
    std::vector<std::string> m_warnings;
    ImportedSound m_sound; // what is read for m_input.audioFile
    std::optional<media::AudioReader> m_reader;
    AudioBlock m_pending;        // read, not yet handed out
    SampleIndex m_start = 0;     // of m_pending in the run
    bool m_ended = false, m_finished = false;
    int m_number = 0;
    std::size_t m_warningsTaken = 0;
};

} // namespace loquor::session
