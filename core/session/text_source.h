// Speech from a script: sentence by sentence, clause by clause.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/session/line_assembler.h"
#include "core/session/speech_source.h"
#include "core/session/voice_shelf.h"
#include "core/speech/line_speaker.h"
#include "core/speech/script.h"

namespace loquor::session {

// Each clause becomes a piece of its line as soon as it is spoken; pieces end on frame boundaries without
// a sample being changed, lines end with their pause, padded to a frame.
class TextSource : public SpeechSource
{
public:
    TextSource(SpeechInput input, Rational fps, std::shared_ptr<VoiceShelf> voices);
    Result<SpeechFacts> open(const CancelToken& cancel) override;
    Result<std::optional<SpokenLine>> next(const CancelToken& cancel) override;
    std::vector<std::string> takeWarnings() override;

private:
    Result<std::optional<SpokenLine>> speakClause(const CancelToken& cancel);
    void addPause(double seconds, speech::Timing& timing);
    SpokenLine piece(const speech::SpokenClause& clause, double start);
    std::uint64_t lineId(const std::string& text);

    SpeechInput m_input;
    Rational m_fps;
    std::shared_ptr<VoiceShelf> m_voices;
    std::shared_ptr<speech::Voice> m_voice;
    speech::Script m_script;
    std::string m_language;
    std::size_t m_line = 0;
    std::unique_ptr<speech::LineSpeaker> m_speaker; // of the current line
    std::uint64_t m_id = 0;
    bool m_continues = false;
    std::optional<LineAssembler> m_assembler;
    std::vector<std::string> m_warnings; // what the voice could not do as asked
    std::set<std::string> m_told;        // each is told once
    std::map<std::string, int> m_seen; // how often a text came up: equal lines get different ids
};

} // namespace loquor::session
