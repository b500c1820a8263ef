// ProjectJob: a line that is made while it is still being said, so that the first picture waits for one clause.
#include <algorithm>

#include "core/session/project_job.h"

namespace loquor::session {

namespace {

// [from, end) of a sound.
AudioBlock behind(const AudioBlock& audio, std::size_t from)
{
    const auto begin = audio.samples.begin() + static_cast<std::ptrdiff_t>(std::min(from, audio.samples.size()));
    return {audio.sampleRate, audio.channels, {begin, audio.samples.end()}};
}

} // namespace

// Only a line that nothing stands in front of is begun early: others are whole before their turn comes. One that
// was begun before, or made, is found by its whole sound.
Result<void> ProjectJob::onSaid(std::size_t index, const SpokenSoFar& soFar)
{
    if (m_paused || m_lettingGo || m_cautious || !m_lookup)
        return {};
    Item& item = m_items[index];
    if (item.open)
        return sendPiece(*item.open, soFar.sound, soFar.known, false);
    skipDone();
    if (item.stage != Stage::Asked || index != m_next || inFlight())
        return {};
    const Item* left = leftOf(index);
    const std::string boundary = left ? left->boundary : std::string();
    m_lookup->nameLine(item);
    LQ_TRY(const auto take, takeToKeep(item, boundary));
    if (take || !m_lookup->boundaryBehind(chunkKey(item.lineKey, 0, boundary)).empty())
        return {};
    return sendOpenLine(item, soFar);
}

Result<void> ProjectJob::sendOpenLine(Item& item, const SpokenSoFar& soFar)
{
    comm::MakeLine line;
    if (const Item* left = leftOf(m_next)) {
        LQ_TRY(line.boundary, m_lookup->boundaryBytes(left->keys.back()));
        line.boundaryFrom = comm::BoundaryFrom::Given;
    }
    LQ_CHECKED(ensureRun());
    line.open = true;
    line.known = soFar.known;
    line.timing = soFar.sound.timing;
    line.cues = soFar.sound.cues;
    line.audio = soFar.sound.audio;
    item.open.emplace();
    item.open->samples = line.audio.samples.size();
    item.open->phonemes = line.timing.phonemes.size();
    item.open->cues = line.cues.size();
    LQ_CHECKED(startWork(item, std::move(line)));
    ++m_next;
    return advance();
}

// What is new in `sound` since the last one.
Result<void> ProjectJob::sendPiece(OpenLine& open, const LineSound& sound, double known, bool isLast)
{
    comm::LinePiece piece;
    piece.job = m_id;
    piece.task = open.task;
    piece.isLast = isLast;
    piece.known = known;
    piece.audio = behind(sound.audio, open.samples);
    const auto& phonemes = sound.timing.phonemes;
    piece.timing.phonemes.assign(phonemes.begin() + static_cast<std::ptrdiff_t>(std::min(open.phonemes, phonemes.size())),
                                 phonemes.end());
    piece.cues.assign(sound.cues.begin() + static_cast<std::ptrdiff_t>(std::min(open.cues, sound.cues.size())),
                      sound.cues.end());
    open.samples = sound.audio.samples.size();
    open.phonemes = phonemes.size();
    open.cues = sound.cues.size();
    return m_tools.rank.send(piece);
}

// Its sound is in the store. Another program may have put its own there, which differs in its noise: then the line
// is made from that one.
Result<void> ProjectJob::completeOpenLine(Item& item, const LineSound& sound)
{
    OpenLine open = *std::exchange(item.open, std::nullopt);
    if (m_lettingGo)
        return {};
    LQ_TRY(const LineSound stored, m_lookup->loadSound(item));
    if (stored.audio.samples != sound.audio.samples) {
        letGo();
        return {};
    }
    LQ_CHECKED(sendPiece(open, stored, stored.timing.durationSeconds, true));
    for (const comm::ChunkMade& made : open.held)
        LQ_CHECKED(onMade(made));
    return advance();
}

} // namespace loquor::session
