#include "tests/core/session/project_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <QElapsedTimer>
#include <QTest>

#include "core/media/audio_reader.h"
#include "tests/support/folders.h"
#include "tests/support/small_disk.h"

namespace loquor::test {

using namespace loquor::session;

namespace {

std::filesystem::path dataRoot()
{
    return std::filesystem::path(LOQUOR_DEPS_DIR).parent_path();
}

} // namespace

ProjectFixture::ProjectFixture() : m_folder(quickTemplate("project"))
{
    std::ofstream(folder() / "photo.png") << "any bytes: the fake engine does not look";
    ::setenv("LOQUOR_FAKE_FOLDER", folder().c_str(), 1);
    orderFaults("");
}

ProjectFixture::~ProjectFixture()
{
    close();
}

project::Document ProjectFixture::document(const std::vector<std::string>& texts) const
{
    project::Document out;
    out.id = 77;
    out.output.width = 320;
    out.output.height = 180;
    project::Scene& scene = out.scenes.front();
    scene.reference.file = folder() / "photo.png";
    scene.speech.voice = "espeak-en-us";
    std::uint64_t id = 1000;
    for (const std::string& text : texts) {
        project::Line line;
        line.id = ++id;
        line.text = text;
        scene.lines.push_back(std::move(line));
    }
    return out;
}

void ProjectFixture::orderFaults(const std::string& faults)
{
    std::ofstream(folder() / "orders") << faults;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
        const std::string name = entry.path().filename().string();
        if (std::count(name.begin(), name.end(), '-') > 0 && entry.is_regular_file()) // counts of faults
            std::filesystem::remove(entry.path());
    }
}

SessionOptions ProjectFixture::options() const
{
    SessionOptions options;
    options.rankProgram = std::filesystem::path(LOQUOR_BIN_DIR) / "fake_engine";
    options.phonemeProgram = std::filesystem::path(LOQUOR_BIN_DIR) / "loquor-phonemes";
    options.dataFolder = dataRoot();
    options.cacheFolder = folder() / "cache";
    options.storeFolder = folder() / m_store;
    options.storeMaxBytes = m_storeBytes;
    options.queueFolder = folder() / "queue";
    options.preview = m_preview;
    options.rankSilence = m_silence;
    return options;
}

void ProjectFixture::open(std::chrono::milliseconds silence)
{
    close();
    m_silence = silence;
    m_session = another();
    m_events.clear();
}

std::unique_ptr<Session> ProjectFixture::another() const
{
    auto session = createSession(options());
    if (!session)
        throw std::runtime_error(session.error().text());
    return std::move(*session);
}

void ProjectFixture::close()
{
    m_session.reset();
}

int ProjectFixture::enginePid() const
{
    int pid = 0;
    std::ifstream(folder() / "pid") >> pid;
    return pid;
}

int ProjectFixture::Outcome::count(Event::Kind kind) const
{
    return static_cast<int>(
        std::count_if(events.begin(), events.end(), [&](const Event& event) { return event.kind == kind; }));
}

void ProjectFixture::collect()
{
    for (Event& event : m_session->takeEvents())
        m_events.push_back(std::move(event));
}

int ProjectFixture::events(CommandId job)
{
    collect();
    return static_cast<int>(std::count_if(m_events.begin(), m_events.end(),
                                          [&](const Event& event) { return event.command == job; }));
}

ProjectFixture::Outcome ProjectFixture::wait(CommandId job)
{
    return waitFor(*m_session, job, m_events);
}

ProjectFixture::Outcome ProjectFixture::wait(Session& session, CommandId job)
{
    std::vector<Event> events;
    return waitFor(session, job, events);
}

ProjectFixture::Outcome ProjectFixture::waitFor(Session& session, CommandId job, std::vector<Event>& events)
{
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < 60'000) {
        for (Event& event : session.takeEvents())
            events.push_back(std::move(event));
        const auto last = std::find_if(events.begin(), events.end(), [&](const Event& event) {
            return event.command == job &&
                   (event.kind == Event::Kind::JobFinished || event.kind == Event::Kind::JobFailed ||
                    event.kind == Event::Kind::JobCancelled);
        });
        if (last != events.end()) {
            Outcome out;
            out.report = last->report;
            out.error = last->error;
            out.cancelled = last->kind == Event::Kind::JobCancelled;
            for (const Event& event : events) {
                if (event.command == job)
                    out.events.push_back(event);
            }
            return out;
        }
        QTest::qWait(2);
    }
    throw std::runtime_error("the job did not end within a minute");
}

ProjectFixture::Outcome ProjectFixture::render(const project::Document& document, bool everything)
{
    if (!m_session)
        open();
    ProjectRequest request;
    request.document = document;
    request.everything = everything;
    return wait(m_session->renderProject(std::move(request)));
}

ProjectState ProjectFixture::inspect(const project::Document& document, bool words)
{
    if (!m_session)
        open();
    const CommandId id = words ? m_session->inspectWords(document) : m_session->inspectProject(document);
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < 60'000) {
        for (Event& event : m_session->takeEvents()) {
            if (event.command != id) {
                m_events.push_back(std::move(event));
                continue;
            }
            if (event.error)
                throw std::runtime_error(event.error->text());
            return *event.project;
        }
        QTest::qWait(2);
    }
    throw std::runtime_error("the project was not looked at within a minute");
}

std::vector<std::string> ProjectFixture::takeLog()
{
    std::vector<std::string> out;
    {
        std::ifstream file(folder() / "log");
        for (std::string line; std::getline(file, line);)
            out.push_back(line);
    }
    std::filesystem::remove(folder() / "log");
    return out;
}

Assembly ProjectFixture::assembly(const project::Document& document)
{
    cache::StoreOptions options;
    options.folder = folder() / m_store;
    auto store = cache::ChunkStore::open(options);
    if (!store)
        throw std::runtime_error(store.error().text());
    const VoiceShelf voices(dataRoot(), std::filesystem::path(LOQUOR_BIN_DIR) / "loquor-phonemes");
    auto out = assemble(document, **store, voices, dataRoot(), {});
    if (!out)
        throw std::runtime_error(out.error().text());
    return std::move(*out);
}

std::vector<std::string> ProjectFixture::shown(const project::Document& document)
{
    std::vector<std::string> out;
    for (const ShownSegment& segment : assembly(document).picture) {
        std::ifstream file(segment.file);
        std::stringstream text;
        text << file.rdbuf() << " from " << segment.skip << " x " << segment.frames;
        out.push_back(text.str());
    }
    return out;
}

std::vector<float> ProjectFixture::heard(const project::Document& document)
{
    std::vector<float> out;
    for (const HeardSound& sound : assembly(document).sound) {
        auto audio = media::readAudio(sound.file);
        if (!audio)
            throw std::runtime_error(audio.error().text());
        std::vector<float>& samples = audio->samples;
        samples.erase(samples.begin(), samples.begin() + sound.skip);
        samples.resize(static_cast<std::size_t>(
            std::min<SampleIndex>(sound.available, static_cast<SampleIndex>(samples.size()))));
        samples.resize(static_cast<std::size_t>(sound.samples), 0.f);
        out.insert(out.end(), samples.begin(), samples.end());
    }
    return out;
}

std::vector<project::Line> ProjectFixture::cut(RecordingRequest request)
{
    if (!m_session)
        open();
    const CommandId id = m_session->cutRecording(std::move(request));
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < 120'000) {
        for (Event& event : m_session->takeEvents()) {
            if (event.command == id && event.error)
                throw std::runtime_error(event.error->text());
            if (event.command == id && event.lines)
                return event.lines->lines;
            m_events.push_back(std::move(event));
        }
        QTest::qWait(2);
    }
    throw std::runtime_error("the recording was not cut within two minutes");
}

int chunksIn(const std::vector<std::string>& log)
{
    return static_cast<int>(
        std::count_if(log.begin(), log.end(), [](const std::string& line) { return line.starts_with('N'); }));
}

int joinsIn(const std::vector<std::string>& log)
{
    return static_cast<int>(
        std::count_if(log.begin(), log.end(), [](const std::string& line) { return line.starts_with('I'); }));
}

} // namespace loquor::test
