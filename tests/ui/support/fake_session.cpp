#include "tests/ui/support/fake_session.h"

#include <algorithm>
#include <cmath>

namespace loquor::test {

using session::CheckReport;
using session::CommandId;
using session::Event;
using session::Phase;

namespace {

bool hasSuffix(const std::filesystem::path& file, std::initializer_list<const char*> suffixes)
{
    std::string own = file.extension().string();
    std::transform(own.begin(), own.end(), own.begin(), ::tolower);
    return std::any_of(suffixes.begin(), suffixes.end(), [&](const char* s) { return own == s; });
}

} // namespace

session::FaceInfo faceAt(int index, float x, float y, float size)
{
    session::FaceInfo face;
    face.index = index;
    face.x = x;
    face.y = y;
    face.width = size * 0.75f;
    face.height = size;
    face.eyeDistancePx = 120;
    for (int i = 0; i < 36; ++i) {
        const float angle = static_cast<float>(i) * 6.2831853f / 36;
        face.outline.push_back({x + face.width * (0.5f + 0.5f * std::cos(angle)),
                                y + face.height * (0.5f + 0.5f * std::sin(angle))});
    }
    return face;
}

std::shared_ptr<const Image> drawPortrait(int width, int height)
{
    auto image = std::make_shared<Image>(width, height, 3);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const double dx = (x - width * 0.5) / (height * 0.24),
                         dy = (y - height * 0.42) / (height * 0.32);
            const bool face = dx * dx + dy * dy<1, body = y> height * 0.7 && std::abs(dx) < 1.8;
            std::uint8_t* p = image->row(y) + 3 * x;
            p[0] = face ? 224 : body ? 52
                                     : static_cast<std::uint8_t>(90 + 60 * y / height);
            p[1] = face ? 178 : body ? 70
                                     : static_cast<std::uint8_t>(110 + 60 * y / height);
            p[2] = face ? 150 : body ? 110
                                     : static_cast<std::uint8_t>(130 + 60 * y / height);
        }
    }
    return image;
}

void FakeSession::setWakeup(std::function<void()> wakeup)
{
    m_wakeup = std::move(wakeup);
}

void FakeSession::wake()
{
    if (m_wakeup)
        m_wakeup();
}

void FakeSession::post(Event event)
{
    {
        std::lock_guard lock(m_mutex);
        m_events.push_back(std::move(event));
        ++m_snapshot.revision;
    }
    wake();
}

void FakeSession::setCheck(const std::filesystem::path& file, CheckReport report,
                           std::shared_ptr<const Image> picture)
{
    report.file = file;
    m_answers[file] = {std::move(report), std::move(picture)};
}

FakeSession::Answer FakeSession::answerFor(const std::filesystem::path& file) const
{
    if (const auto it = m_answers.find(file); it != m_answers.end())
        return it->second;
    Answer answer;
    CheckReport& report = answer.report;
    report.file = file;
    report.usable = true;
    report.details = "made for tests";
    if (hasSuffix(file, {".png", ".jpg"})) {
        report.kind = "image";
        report.width = 1200;
        report.height = 900;
        report.faces = {faceAt(1, 0.38f, 0.16f, 0.5f)};
        answer.picture = drawPortrait(400, 300);
    } else if (hasSuffix(file, {".wav", ".mp3", ".flac"})) {
        report.kind = "audio";
        report.durationSeconds = 4;
    } else if (hasSuffix(file, {".txt"})) {
        report.kind = "text";
    } else {
        report.kind = "unknown";
        report.usable = false;
        report.problems = {"this is not a picture, video, sound or text"};
    }
    return answer;
}

CommandId FakeSession::check(const std::filesystem::path& file)
{
    const CommandId id = m_nextId++;
    checkedFiles.push_back(file);
    m_held.emplace_back(id, file);
    if (answerChecks)
        answerHeldChecks();
    return id;
}

void FakeSession::answerHeldChecks()
{
    for (const auto& [id, file] : std::exchange(m_held, {})) {
        Event event;
        event.kind = Event::Kind::Checked;
        event.command = id;
        Answer answer = answerFor(file);
        event.check = std::move(answer.report);
        event.picture = std::move(answer.picture);
        post(std::move(event));
    }
}

CommandId FakeSession::render(session::RenderRequest request)
{
    requests.push_back(std::move(request));
    m_project.reset();
    return startJob();
}

CommandId FakeSession::renderProject(session::ProjectRequest request)
{
    m_project = request.document;
    projectRequests.push_back(std::move(request));
    m_failedLines.clear();
    return startJob();
}

CommandId FakeSession::exportProject(session::ExportRequest request)
{
    exportRequests.push_back(std::move(request));
    const CommandId id = startJob();
    say("export");
    if (finishExports)
        finish();
    return id;
}

CommandId FakeSession::startJob()
{
    const CommandId id = m_nextId++;
    {
        std::lock_guard lock(m_mutex);
        const std::uint64_t revision = m_snapshot.revision;
        m_snapshot = {};
        m_snapshot.revision = revision;
        m_snapshot.job = id;
        m_snapshot.phase = Phase::Preparing;
        m_chunks = 0;
    }
    return id;
}

CommandId FakeSession::inspectProject(project::Document document)
{
    const CommandId id = m_nextId++;
    ++inspections;
    m_asked.emplace_back(id, std::move(document));
    if (answerInspections)
        answerHeldInspections();
    return id;
}

void FakeSession::answerHeldInspections()
{
    for (const auto& [id, document] : std::exchange(m_asked, {})) {
        Event event;
        event.kind = Event::Kind::ProjectInspected;
        event.command = id;
        event.project = m_store.inspect(document);
        post(std::move(event));
    }
}

void FakeSession::cancel(CommandId job)
{
    cancelled.push_back(job);
}

void FakeSession::begin(std::int64_t framesTotal)
{
    {
        std::lock_guard lock(m_mutex);
        m_snapshot.framesTotal = framesTotal;
        m_snapshot.phase = Phase::Rendering;
        m_snapshot.activity = "render";
    }
    if (m_project)
        m_store.begin(*m_project, framesTotal);
    Event event;
    event.kind = Event::Kind::JobStarted;
    event.command = m_snapshot.job;
    post(std::move(event));
}

void FakeSession::makeFrames(std::int64_t count)
{
    if (m_project) {
        for (session::ChunkReport& chunk : m_store.make(*m_project, count)) {
            Event made;
            made.kind = Event::Kind::ChunkFinished;
            made.command = m_snapshot.job;
            {
                std::lock_guard lock(m_mutex);
                m_snapshot.framesDone += chunk.frames;
                m_snapshot.framesReady += chunk.frames;
                chunk.index = m_chunks++;
            }
            made.chunk = chunk;
            post(std::move(made));
        }
        return;
    }
    Event event;
    event.kind = Event::Kind::ChunkFinished;
    {
        std::lock_guard lock(m_mutex);
        m_snapshot.framesDone += count;
        m_snapshot.framesReady += count;
        event.command = m_snapshot.job;
        event.chunk.emplace();
        event.chunk->index = m_chunks++;
        event.chunk->frames = static_cast<int>(count);
    }
    post(std::move(event));
}

void FakeSession::addWord(const std::string& text, double start, double end)
{
    if (m_project)
        return m_store.addWord(*m_project, text, start, end);
    Event event;
    event.kind = Event::Kind::LineTimed;
    event.command = m_snapshot.job;
    speech::Word word;
    word.text = text;
    word.start = start;
    word.end = end;
    speech::Timing timing; // by itself: GCC 12 sees an empty one in the event as read
    timing.words.push_back(std::move(word));
    event.timing = std::move(timing);
    post(std::move(event));
}

void FakeSession::warn(const std::string& text)
{
    Event event;
    event.kind = Event::Kind::Warning;
    event.command = m_snapshot.job;
    event.text = text;
    post(std::move(event));
}

void FakeSession::say(const std::string& activity, double fps, double secondsLeft)
{
    {
        std::lock_guard lock(m_mutex);
        m_snapshot.activity = activity;
        m_snapshot.fpsNow = fps;
        m_snapshot.secondsLeft = secondsLeft;
        ++m_snapshot.revision;
    }
    wake();
}

void FakeSession::end(Phase phase)
{
    std::lock_guard lock(m_mutex);
    m_snapshot.phase = phase;
}

void FakeSession::finish()
{
    end(Phase::Done);
    Event event;
    event.kind = Event::Kind::JobFinished;
    event.command = m_snapshot.job;
    event.report.emplace();
    event.report->frames = m_snapshot.framesReady;
    if (m_project) {
        m_store.complete(*m_project);
        event.report->frames = m_store.frames(*m_project);
        event.report->failedLines = m_failedLines;
    }
    event.report->fps = m_project ? m_project->output.fps : requests.back().settings.fps;
    event.report->durationSeconds =
        static_cast<double>(event.report->frames) / event.report->fps.toDouble();
    event.report->totalSeconds = 2;
    event.report->realtimeFactor = event.report->durationSeconds / 2;
    post(std::move(event));
}

void FakeSession::fail(Error error)
{
    end(Phase::Failed);
    Event event;
    event.kind = Event::Kind::JobFailed;
    event.command = m_snapshot.job;
    event.error = std::move(error);
    post(std::move(event));
}

void FakeSession::acknowledgeCancel()
{
    end(Phase::Cancelled);
    Event event;
    event.kind = Event::Kind::JobCancelled;
    event.command = m_snapshot.job;
    post(std::move(event));
}

void FakeSession::finishCut(const std::vector<std::string>& texts)
{
    Event event;
    event.kind = Event::Kind::RecordingCut;
    event.command = m_cut;
    event.lines.emplace();
    for (const std::string& text : texts) {
        project::Line line = project::makeLine(900 + event.lines->lines.size(), text);
        const auto first = static_cast<std::int64_t>(event.lines->lines.size()) * project::kRecordingRate;
        line.recording = project::Recording{cuts.back().file, "hash", first, project::kRecordingRate};
        event.lines->lines.push_back(std::move(line));
    }
    event.lines->warnings = {"The recording is quiet."};
    post(std::move(event));
}

void FakeSession::failCut(Error error)
{
    Event event;
    event.kind = Event::Kind::CommandFailed;
    event.command = m_cut;
    event.error = std::move(error);
    post(std::move(event));
}

CommandId FakeSession::say(session::SayRequest request)
{
    says.push_back(std::move(request));
    const CommandId id = m_nextId++;
    m_said = id;
    if (answerSays) {
        Event event;
        event.kind = Event::Kind::Said;
        event.command = id;
        event.sound = std::make_shared<const AudioBlock>(AudioBlock{48000, 1, std::vector<float>(24000, 0.1f)});
        post(std::move(event));
    }
    return id;
}

void FakeSession::failSay(Error error)
{
    Event event;
    event.kind = Event::Kind::CommandFailed;
    event.command = m_said;
    event.error = std::move(error);
    post(std::move(event));
}

CommandId FakeSession::lookAtSound(const std::filesystem::path& file, int stream)
{
    looks.emplace_back(file, stream);
    m_sound = m_nextId++;
    Event event;
    event.kind = Event::Kind::SoundLooked;
    event.command = m_sound;
    auto seen = std::make_shared<session::SoundLook>(look);
    seen->stream = stream;
    seen->finished = true;
    event.look = std::move(seen);
    post(std::move(event));
    return m_sound;
}

CommandId FakeSession::takeIn(const std::filesystem::path& file, const media::SoundImport& import)
{
    takenIn.emplace_back(file, import);
    return m_sound = m_nextId++;
}

CommandId FakeSession::cutPart(const project::Recording&, const std::filesystem::path& target)
{
    cutTargets.push_back(target);
    return m_sound = m_nextId++;
}

void FakeSession::showCopying(double done)
{
    {
        std::lock_guard lock(m_mutex);
        m_snapshot.copying = done;
        ++m_snapshot.revision;
    }
    wake();
}

void FakeSession::finishTakeIn(SampleIndex samples)
{
    Event event;
    event.kind = Event::Kind::SoundTaken;
    event.command = m_sound;
    event.samples = samples;
    post(std::move(event));
}

void FakeSession::finishCutPart(project::Recording part)
{
    Event event;
    event.kind = Event::Kind::PartCut;
    event.command = m_sound;
    event.part = std::move(part);
    post(std::move(event));
}

void FakeSession::failSound(Error error)
{
    Event event;
    event.kind = Event::Kind::CommandFailed;
    event.command = m_sound;
    event.error = std::move(error);
    post(std::move(event));
}

void FakeSession::restartEngine(const std::string& text)
{
    Event event;
    event.kind = Event::Kind::EngineRestarted;
    event.text = text;
    post(std::move(event));
}

session::Snapshot FakeSession::snapshot() const
{
    std::lock_guard lock(m_mutex);
    return m_snapshot;
}

std::vector<Event> FakeSession::takeEvents()
{
    std::lock_guard lock(m_mutex);
    return std::exchange(m_events, {});
}

FramePtr FakeSession::latestFrame(std::int64_t afterIndex)
{
    const std::int64_t newest = snapshot().framesReady - 1;
    return newest > afterIndex ? frameAt(newest) : nullptr;
}

FramePtr FakeSession::frameAt(std::int64_t index)
{
    ++framesAsked;
    return framesThere && index >= 0 && index < snapshot().framesReady ? paint(index) : nullptr;
}

FramePtr FakeSession::projectFrame(session::ProjectPlace place)
{
    ++framesAsked;
    return framesThere && m_store.has(place) ? paint(place.frame) : nullptr;
}

FramePtr FakeSession::paint(std::int64_t index) const
{
    auto frame = std::make_shared<VideoFrame>();
    frame->index = index;
    if (background) {
        frame->image = *background;
    } else {
        frame->image = Image(pictureWidth, pictureHeight, 3);
        std::fill(frame->image.data.begin(), frame->image.data.end(),
                  static_cast<std::uint8_t>(index));
    }
    return frame;
}

std::size_t FakeSession::readAudio(std::int64_t from, float* out, std::size_t count)
{
    std::int64_t there = 0;
    {
        std::lock_guard lock(m_mutex);
        there = m_snapshot.framesReady * audioRate() / 25 - from;
    }
    const std::size_t got = there <= 0 ? 0 : std::min(count, static_cast<std::size_t>(there));
    std::fill(out, out + got, 0.1f);
    return got;
}

std::vector<session::VoiceInfo> FakeSession::voices() const
{
    session::VoiceInfo joe, maria;
    joe.id = "en-joe";
    joe.name = "Joe";
    joe.language = "en-us";
    maria.id = "es-maria";
    maria.name = "María";
    maria.language = "es";
    return {joe, maria};
}

} // namespace loquor::test
