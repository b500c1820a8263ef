// Engine: what is worked on beside the jobs: recordings, and what is said to be heard.
#include "core/session/engine.h"
#include "core/session/line_speech.h"
#include "core/session/recording_lines.h"
#include "core/session/sound_look.h"
#include "core/session/speech_check.h"

namespace loquor::session {

namespace {

constexpr const char* kCutting = "recording"; // activity while nothing but a recording is worked on

void showCutting(Snapshot& s, CommandId id, FrameIndex done, FrameIndex total)
{
    if (s.activity != kCutting && !s.activity.empty()) // a job that runs comes first
        return;
    s.job = id;
    s.activity = kCutting;
    s.framesDone = done;
    s.framesTotal = total;
    s.framesReady = 0;
    s.fpsNow = 0;
    s.secondsLeft = -1;
}

void endCutting(StateBoard& board, CommandId id)
{
    board.update([&](Snapshot& s) {
        if (s.activity == kCutting && s.job == id)
            s.activity.clear();
    });
}

} // namespace

// The board outlives the desks.
WorkDesk& Engine::desk(std::unique_ptr<WorkDesk>& made, const char* name)
{
    if (!made)
        made = std::make_unique<WorkDesk>(name, [&board = m_shared.board](CommandId id, Error error) {
            endCutting(board, id);
            Event failed = makeEvent(Event::Kind::CommandFailed, id);
            failed.error = std::move(error);
            board.post(std::move(failed));
        });
    return *made;
}

void Engine::cutRecording(RecordingNote& note)
{
    desk(m_recordings, "cutting recordings").ask(note.id, [&board = m_shared.board, voices = m_voices, id = note.id, request = std::move(note.request)](const CancelToken& cancel) -> Result<void> {
        const auto tell = [&](FrameIndex done, FrameIndex total) {
            board.update([&](Snapshot& s) { showCutting(s, id, done, total); });
        };
        LQ_TRY(RecordedLines lines, cutIntoLines(request, voices, cancel, tell));
        endCutting(board, id);
        Event event = makeEvent(Event::Kind::RecordingCut, id);
        event.lines = std::move(lines);
        board.post(std::move(event));
        return {};
    });
}

void Engine::say(SayNote& note)
{
    desk(m_heard, "saying to be heard").ask(note.id, [&board = m_shared.board, voices = m_voices, id = note.id, request = std::move(note.request)](const CancelToken& cancel) -> Result<void> {
        LineWish wish;
        wish.text = request.text;
        wish.voice = request.voice;
        wish.language = request.language;
        wish.fps = {25, 1};
        wish.pronunciations = std::make_shared<const speech::Pronunciations>(request.pronunciations);
        LQ_TRY(LineSound said, speakLine(wish, *voices, cancel));
        Event event = makeEvent(Event::Kind::Said, id);
        event.sound = std::make_shared<const AudioBlock>(std::move(said.audio));
        board.post(std::move(event));
        return {};
    });
}

void Engine::look(LookNote& note)
{
    desk(m_sounds, "looking at sounds").ask(note.id, [&board = m_shared.board, note](const CancelToken& cancel) {
        return lookThrough(note.file, note.stream, cancel, [&](SoundLook look) {
            Event event = makeEvent(Event::Kind::SoundLooked, note.id);
            event.look = std::make_shared<const SoundLook>(std::move(look));
            board.post(std::move(event));
        });
    });
}

void Engine::takeIn(TakeInNote& note)
{
    desk(m_sounds, "looking at sounds").ask(note.id, [&board = m_shared.board, voices = m_voices, note](const CancelToken& cancel) -> Result<void> {
        LQ_CHECKED(refuseSilence(note.file, note.import, cancel));
        LQ_TRY(const ImportedSound sound, voices->imports()->get(note.file, note.import, cancel));
        Event event = makeEvent(Event::Kind::SoundTaken, note.id);
        LQ_TRY(event.samples, lengthOf(sound, cancel));
        board.post(std::move(event));
        return {};
    });
}

void Engine::cutPart(CutPartNote& note)
{
    desk(m_sounds, "looking at sounds").ask(note.id, [&board = m_shared.board, voices = m_voices, note](const CancelToken& cancel) -> Result<void> {
        Event event = makeEvent(Event::Kind::PartCut, note.id);
        LQ_TRY(event.part, copyPart(note.part, note.target, voices->imports(), cancel));
        board.post(std::move(event));
        return {};
    });
}

} // namespace loquor::session
