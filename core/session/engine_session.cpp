// The facade itself: turns calls into notes for the engine thread and answers from what is shared.
#include <atomic>

#include "core/platform/paths.h"
#include "core/session/engine.h"
#include "core/session/queue_file.h"
#include "core/session/session.h"

namespace loquor::session {

const char* toString(Phase phase)
{
    switch (phase) {
    case Phase::Idle: return "idle";
    case Phase::Preparing: return "preparing";
    case Phase::Speaking: return "speaking";
    case Phase::Rendering: return "rendering";
    case Phase::Finishing: return "finishing";
    case Phase::Done: return "done";
    case Phase::Failed: return "failed";
    case Phase::Cancelled: return "cancelled";
    }
    return "?";
}

namespace {

class EngineSession : public Session
{
public:
    explicit EngineSession(SessionOptions options)
        : m_voices(std::make_shared<VoiceShelf>(options.dataFolder, options.phonemeProgram, options.cacheFolder)),
          m_options(std::move(options)), m_queue(m_options.queueFolder)
    {
    }
    Result<void> open()
    {
        if (m_options.preview)
            LQ_CHECKED(m_shared.frames.open([this] { m_shared.box.put(FetchNote{}); }));
        m_engine = std::make_unique<Engine>(m_shared, m_options, m_voices, m_queue);
        return {};
    }

    void setWakeup(std::function<void()> wakeup) override { m_shared.board.setWakeup(std::move(wakeup)); }
    CommandId check(const std::filesystem::path& file) override
    {
        const CommandId id = m_nextId++;
        m_shared.box.put(CheckNote{id, file});
        return id;
    }
    CommandId render(RenderRequest request) override
    {
        const CommandId id = m_nextId++;
        m_shared.box.put(RenderNote{id, std::move(request), Clock::now()});
        return id;
    }
    CommandId renderProject(ProjectRequest request) override
    {
        const CommandId id = m_nextId++;
        m_shared.box.put(ProjectNote{id, std::move(request), Clock::now()});
        return id;
    }
    CommandId exportProject(ExportRequest request) override
    {
        const CommandId id = m_nextId++;
        m_shared.box.put(ExportNote{id, std::move(request), Clock::now()});
        return id;
    }
    CommandId inspectProject(project::Document document) override
    {
        const CommandId id = m_nextId++;
        m_shared.box.put(InspectNote{id, std::move(document), 0, false});
        return id;
    }
    CommandId inspectWords(project::Document document) override
    {
        const CommandId id = m_nextId++;
        m_shared.box.put(InspectNote{id, std::move(document), 0, true});
        return id;
    }
    CommandId inspectCaptions(project::Document document, int line) override
    {
        const CommandId id = m_nextId++;
        m_shared.box.put(InspectNote{id, std::move(document), line, false});
        return id;
    }
    CommandId cutRecording(RecordingRequest request) override
    {
        const CommandId id = m_nextId++;
        m_shared.box.put(RecordingNote{id, std::move(request)});
        return id;
    }
    CommandId say(SayRequest request) override
    {
        const CommandId id = m_nextId++;
        m_shared.box.put(SayNote{id, std::move(request)});
        return id;
    }
    CommandId lookAtSound(const std::filesystem::path& file, int stream) override
    {
        const CommandId id = m_nextId++;
        m_shared.box.put(LookNote{id, file, stream});
        return id;
    }
    CommandId takeIn(const std::filesystem::path& file, const media::SoundImport& import) override
    {
        const CommandId id = m_nextId++;
        m_shared.box.put(TakeInNote{id, file, import});
        return id;
    }
    CommandId cutPart(const project::Recording& part, const std::filesystem::path& target) override
    {
        const CommandId id = m_nextId++;
        m_shared.box.put(CutPartNote{id, part, target});
        return id;
    }
    void closeProject(project::Document document) override
    {
        m_shared.box.put(CloseNote{std::move(document)});
    }
    CommandId pinTake(std::uint64_t take, bool pinned) override
    {
        const CommandId id = m_nextId++;
        m_shared.box.put(TakeNote{id, pinned ? TakeNote::Change::Pin : TakeNote::Change::Unpin, take});
        return id;
    }
    CommandId removeTake(std::uint64_t take) override
    {
        const CommandId id = m_nextId++;
        m_shared.box.put(TakeNote{id, TakeNote::Change::Remove, take});
        return id;
    }
    void cancel(CommandId job) override { m_shared.box.put(CancelNote{job}); }
    void pause(CommandId job) override { m_shared.box.put(PauseNote{job, true}); }
    void resume(CommandId job) override { m_shared.box.put(PauseNote{job, false}); }
    void moveJob(CommandId job, int place) override { m_shared.box.put(MoveNote{job, place}); }
    std::vector<Resumed> resumeQueue() override
    {
        std::vector<Resumed> out;
        for (ProjectRequest& request : m_queue.takeOver()) {
            const auto file = request.file;
            std::error_code unknown; // that it cannot be looked at does not mean that it is gone
            const bool gone = !file.empty() && !std::filesystem::exists(file, unknown) && !unknown;
            out.push_back({gone ? 0 : renderProject(std::move(request)), file});
        }
        if (!out.empty())
            m_shared.box.put(QueueResumedNote{});
        return out;
    }
    void warmUp(const std::string& voice) override { m_shared.box.put(WarmUpNote{voice}); }
    void prepareReference(const std::filesystem::path& reference, const RenderSettings& settings) override
    {
        m_shared.box.put(PrepareNote{reference, settings});
    }
    Snapshot snapshot() const override { return m_shared.board.snapshot(); }
    std::vector<Event> takeEvents() override { return m_shared.board.takeEvents(); }
    FramePtr latestFrame(std::int64_t afterIndex) override { return m_shared.frames.latest(afterIndex); }
    FramePtr frameAt(std::int64_t index) override { return m_shared.frames.at(index); }
    std::optional<ProjectPlace> livePlace(std::int64_t index) override { return m_shared.frames.placeOf(index); }
    FramePtr projectFrame(ProjectPlace place) override { return m_shared.preview.at(place); }
    FrameIndex projectFrames() const override { return m_shared.preview.frames(); }
    std::optional<ProjectPlace> placeOf(FrameIndex index) const override { return m_shared.preview.placeOf(index); }
    std::size_t readLineSound(std::uint64_t line, std::int64_t from, float* out, std::size_t count) override
    {
        return m_shared.preview.readSound(line, from, out, count);
    }
    void forgetFrameRequests() override { m_shared.preview.forgetRequests(); }
    std::size_t readAudio(std::int64_t from, float* out, std::size_t count) override
    {
        return m_shared.audio.read(from, out, count);
    }
    int audioRate() const override { return m_shared.audio.sampleRate(); }
    std::vector<VoiceInfo> voices() const override
    {
        std::vector<VoiceInfo> out;
        for (const speech::VoiceDescription& voice : m_voices->list())
            out.push_back({voice.id, voice.name, voice.language, voice.licence, voice.sampleRate,
                           voice.supports.exactTiming});
        return out;
    }

private:
    Shared m_shared;
    std::shared_ptr<VoiceShelf> m_voices;
    SessionOptions m_options;
    QueueFile m_queue;
    std::atomic<CommandId> m_nextId{1};
    std::unique_ptr<Engine> m_engine; // last: ends before what it uses
};

} // namespace

Result<std::unique_ptr<Session>> createSession(SessionOptions options)
{
    if (options.dataFolder.empty())
        options.dataFolder = platform::dataFolder();
    if (options.cacheFolder.empty())
        options.cacheFolder = platform::cacheFolder();
    auto session = std::make_unique<EngineSession>(std::move(options));
    LQ_CHECKED(session->open());
    return session;
}

} // namespace loquor::session
