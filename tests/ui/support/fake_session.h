// An engine under the control of a test: it answers checks from a list, makes pictures with their
// number painted in, and does nothing until it is told to.
#pragma once

#include <map>
#include <mutex>

#include "core/session/session.h"
#include "tests/ui/support/fake_store.h"

namespace loquor::test {

class FakeSession : public session::Session
{
public:
    // Checks are answered at once unless held back.
    bool answerChecks = true;
    // frameAt() finds nothing until this is set again ("it is being fetched").
    bool framesThere = true;
    int pictureWidth = 160, pictureHeight = 90;
    // Painted under the number when set: a real picture for screenshots.
    std::shared_ptr<const Image> background;

    // What check() will say of a file. Unknown files are judged by their suffix.
    void setCheck(const std::filesystem::path& file, session::CheckReport report,
                  std::shared_ptr<const Image> picture = {});
    void answerHeldChecks();

    // Exports of projects end at once.
    bool finishExports = true;
    // inspectProject() is answered at once unless held back.
    bool answerInspections = true;
    void answerHeldInspections();

    // The running job; of a project, what it makes lies in the store.
    void begin(std::int64_t framesTotal);
    void makeFrames(std::int64_t count); // a chunk, with its event and progress
    void addWord(const std::string& text, double start, double end);
    void warn(const std::string& text);
    void finish();
    // Line `number` of a project is given up when it finishes.
    void failLine(int number, const std::string& reason) { m_failedLines.push_back({number, reason}); }
    void fail(Error error);
    void acknowledgeCancel();
    void say(const std::string& activity, double fps = 0, double secondsLeft = -1);
    void restartEngine(const std::string& text);

    // What it was asked to do.
    std::vector<session::RenderRequest> requests;
    std::vector<session::ProjectRequest> projectRequests;
    std::vector<session::ExportRequest> exportRequests;
    std::vector<session::RecordingRequest> cuts;
    std::vector<std::uint64_t> removedTakes, closed;
    int inspections = 0;
    std::vector<session::CommandId> cancelled;
    std::vector<std::filesystem::path> checkedFiles, prepared;
    std::vector<std::string> warmedVoices;
    int framesAsked = 0;

    void setWakeup(std::function<void()> wakeup) override;
    session::CommandId check(const std::filesystem::path& file) override;
    session::CommandId render(session::RenderRequest request) override;
    session::CommandId renderProject(session::ProjectRequest request) override;
    session::CommandId exportProject(session::ExportRequest request) override;
    session::CommandId inspectProject(project::Document document) override;
    void closeProject(project::Document document) override { closed.push_back(document.id); }
    std::optional<session::ProjectPlace> livePlace(std::int64_t) override { return std::nullopt; }
    FramePtr projectFrame(session::ProjectPlace place) override;
    std::size_t readLineSound(std::uint64_t line, std::int64_t from, float* out, std::size_t count) override
    {
        return m_store.readSound(line, from, out, count);
    }
    FrameIndex projectFrames() const override { return 0; }
    std::optional<session::ProjectPlace> placeOf(FrameIndex) const override { return std::nullopt; }
    void forgetFrameRequests() override {}
    session::CommandId cutRecording(session::RecordingRequest request) override
    {
        cuts.push_back(std::move(request));
        return m_cut = m_nextId++;
    }
    // Answers the last cutRecording() with lines of a second each, or with an error.
    void finishCut(const std::vector<std::string>& texts);
    void failCut(Error error);
    // say() is answered with a tone at once unless held back.
    bool answerSays = true;
    std::vector<session::SayRequest> says;
    session::CommandId say(session::SayRequest request) override;
    void failSay(Error error);
    // lookAtSound() is answered with this, as one finished look; takeIn() and cutPart() when a test says so.
    session::SoundLook look;
    std::vector<std::pair<std::filesystem::path, int>> looks;
    std::vector<std::pair<std::filesystem::path, media::SoundImport>> takenIn;
    std::vector<std::filesystem::path> cutTargets;
    session::CommandId lookAtSound(const std::filesystem::path& file, int stream) override;
    session::CommandId takeIn(const std::filesystem::path& file, const media::SoundImport& import) override;
    session::CommandId cutPart(const project::Recording& part, const std::filesystem::path& target) override;
    void showCopying(double done);
    void finishTakeIn(SampleIndex samples);
    void finishCutPart(project::Recording part);
    void failSound(Error error); // of the last of them
    session::CommandId pinTake(std::uint64_t take, bool pinned) override
    {
        m_store.pin(take, pinned);
        return m_nextId++;
    }
    session::CommandId removeTake(std::uint64_t take) override
    {
        removedTakes.push_back(take);
        m_store.remove(take);
        return m_nextId++;
    }
    void pause(session::CommandId) override {}
    void resume(session::CommandId) override {}
    void moveJob(session::CommandId, int) override {}
    void cancel(session::CommandId job) override;
    void warmUp(const std::string& voice) override { warmedVoices.push_back(voice); }
    void prepareReference(const std::filesystem::path& reference,
                          const session::RenderSettings&) override
    {
        prepared.push_back(reference);
    }
    session::Snapshot snapshot() const override;
    std::vector<session::Event> takeEvents() override;
    FramePtr latestFrame(std::int64_t afterIndex) override;
    FramePtr frameAt(std::int64_t index) override;
    std::size_t readAudio(std::int64_t from, float* out, std::size_t count) override;
    int audioRate() const override { return 24000; }
    std::vector<session::VoiceInfo> voices() const override;

private:
    struct Answer
    {
        session::CheckReport report;
        std::shared_ptr<const Image> picture;
    };

    session::CommandId startJob();
    FramePtr paint(std::int64_t index) const;
    void post(session::Event event);
    void wake();
    void end(session::Phase phase);
    Answer answerFor(const std::filesystem::path& file) const;

    mutable std::mutex m_mutex; // readAudio comes from the thread of the sound
    std::function<void()> m_wakeup;
    std::vector<session::Event> m_events;
    session::Snapshot m_snapshot;
    session::CommandId m_nextId = 1, m_cut = 0, m_said = 0, m_sound = 0;
    std::map<std::filesystem::path, Answer> m_answers;
    std::vector<std::pair<session::CommandId, std::filesystem::path>> m_held;
    int m_chunks = 0;
    FakeStore m_store;
    std::optional<project::Document> m_project; // of the running job; nothing: it makes one piece
    std::vector<std::pair<session::CommandId, project::Document>> m_asked;
    std::vector<session::RenderReport::FailedLine> m_failedLines;
};

// A picture of a face-like thing, and what a check of it would say.
std::shared_ptr<const Image> drawPortrait(int width, int height);
session::FaceInfo faceAt(int index, float x, float y, float size);

} // namespace loquor::test
