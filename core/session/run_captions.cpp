#include "core/session/run_captions.h"

#include <iterator>
#include <utility>

namespace loquor::session {

RunCaptions::RunCaptions(int sampleRate, std::optional<media::CaptionRoom> room) : m_sampleRate(sampleRate), m_room(room)
{
}

void RunCaptions::add(SpokenLine piece)
{
    if (!piece.continues && !m_line.empty())
        endLine();
    const bool isLast = piece.isLast;
    m_end += piece.audio.frames();
    if (m_room) {
        m_line.push_back(std::move(piece));
    } else {
        SpokenLine words;
        words.text = piece.text;
        words.timing.language = piece.timing.language;
        words.timing.words = piece.timing.words;
        m_line.push_back(std::move(words));
        m_ready.push_back(std::move(piece));
    }
    if (isLast)
        endLine();
}

std::optional<SpokenLine> RunCaptions::next()
{
    if (m_ready.empty())
        return std::nullopt;
    std::optional<SpokenLine> out(std::move(m_ready.front()));
    m_ready.pop_front();
    return out;
}

void RunCaptions::endLine()
{
    const double start = static_cast<double>(m_start) / m_sampleRate;
    SaidText said;
    said.start = start;
    said.length = static_cast<double>(m_end - m_start) / m_sampleRate;
    said.text = m_line.front().text;
    said.timing.language = m_line.front().timing.language;
    for (const SpokenLine& piece : m_line) {
        for (speech::Word word : piece.timing.words) {
            word.start -= start;
            word.end -= start;
            said.timing.words.push_back(std::move(word));
        }
    }
    std::vector<speech::CaptionCue> cues;
    if (!said.timing.words.empty())
        cues = captionsOf({said}, m_room ? &*m_room : nullptr);
    if (m_room) {
        m_line.front().captions = burntCaptions(cues);
        std::move(m_line.begin(), m_line.end(), std::back_inserter(m_ready));
    }
    std::move(cues.begin(), cues.end(), std::back_inserter(m_all));
    m_line.clear();
    m_start = m_end;
}

} // namespace loquor::session
