// One run, as the engine thread drives it: checks, speech, rank, report.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/packs/manifest.h"
#include "core/session/audio_spool.h"
#include "core/session/frame_store.h"
#include "core/session/job.h"
#include "core/session/memory_watch.h"
#include "core/session/progress_rate.h"
#include "core/session/rank_link.h"
#include "core/session/run_captions.h"
#include "core/session/speech_feeder.h"
#include "core/session/state_board.h"

namespace loquor::session {

// What a job works with; owned by the engine, outlives the job.
struct JobTools
{
    StateBoard& board;
    NoteBox& box;
    RankLink& rank;
    AudioSpool& audio;
    FrameStore& frames;
    MemoryWatch& memory;
    std::filesystem::path dataFolder, cacheFolder;
    // Makes the speech of a request.
    std::function<std::unique_ptr<SpeechSource>(const RenderRequest&)> makeSpeech;
};

// A single-shot run: the rank writes the file itself.
class RenderJob : public Job
{
public:
    RenderJob(CommandId id, RenderRequest request, Clock::time_point asked, JobTools tools);
    ~RenderJob() override;

    CommandId id() const override { return m_id; }
    bool isOver() const override { return m_over; }
    // Nobody asked for a file: it goes with the next job.
    bool isPreviewOnly() const { return m_request.output.empty(); }
    // Where the video is, or will be.
    const std::filesystem::path& output() const { return m_output; }

    void start() override;
    void cancel() override;
    void onSpeech() override;
    void onRank(const comm::FromRank& message) override;
    void onRankGone(const comm::RankDeath& death) override;
    void abandon(Error error) override;
    void tick() override;

private:
    Result<void> prepare();
    Result<void> startAttempt();
    Result<void> startRender(const SpeechFacts& facts);
    Result<void> pumpLines();
    std::optional<SpokenLine> nextLine();
    Result<void> sendLine(SpokenLine line);
    void onProgress(const comm::JobProgress& progress);
    void onDone(const comm::RenderDone& done);
    void warn(const std::string& text);
    void keepTiming(const SpokenLine& line);
    void fillTimes(double until);
    Result<void> writeTiming() const;
    Result<void> writeCaptions();
    Result<void> addTrack();
    void endSpeech();
    // Ends the job with this error, after the rank has let go of it.
    void failWith(Error error);
    void over(Event event, Phase phase);

    const CommandId m_id;
    RenderRequest m_request;
    const Clock::time_point m_asked;
    JobTools m_tools;
    packs::PackManifest m_pack;
    std::filesystem::path m_output;
    std::unique_ptr<SpeechFeeder> m_speech;
    std::optional<SpeechFacts> m_facts;
    std::optional<Error> m_error;               // why it is ending
    std::optional<Clock::time_point> m_deadline; // for the rank to let go
    bool m_cancelled = false, m_over = false;
    bool m_preview = false;                     // somebody watches and listens
    bool m_rankHasJob = false;                  // StartRender was sent and not answered
    int m_attempt = 0;
    std::optional<SpokenLine> m_held;           // waits for room
    std::optional<RunCaptions> m_captions;      // when they are asked for
    SampleIndex m_sent = 0, m_rendered = 0;
    bool m_lastSent = false;
    Clock::time_point m_renderStarted;
    ProgressRate m_rate;
    double m_cpuBefore = 0, m_speechCpu = 0;
    speech::Timing m_timing;
    std::vector<float> m_lipGap; // of the frames that are done, when m_timing is asked for
    RenderReport m_report;
};

} // namespace loquor::session
