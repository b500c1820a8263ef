#include "core/session/render_job.h"

#include <algorithm>
#include <cmath>

#include <unistd.h>

#include "core/base/log.h"
#include "core/base/trace.h"
#include "core/media/caption_painter.h"
#include "core/media/caption_track.h"
#include "core/packs/installed.h"
#include "core/packs/pack_finder.h"
#include "core/platform/paths.h"
#include "core/session/output_file.h"
#include "core/speech/timing_json.h"

namespace loquor::session {

namespace {

constexpr double kSameTime = 1e-4;                   // seconds; closer times are rounding
constexpr double kSecondsAhead = 15;                 // of speech, sent before it is drawn
constexpr std::chrono::milliseconds kLetGoTime{3000}; // for the rank to end a job it was told to end

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

} // namespace

RenderJob::RenderJob(CommandId id, RenderRequest request, Clock::time_point asked, JobTools tools)
    : m_id(id), m_request(std::move(request)), m_asked(asked), m_tools(std::move(tools))
{
}

RenderJob::~RenderJob() = default;

void RenderJob::start()
{
    m_tools.board.beginJob(m_id, Phase::Preparing, "reference");
    m_cpuBefore = processCpuSeconds();
    m_tools.memory.restart();
    m_tools.frames.restart();
    auto result = prepare();
    if (result)
        result = startAttempt();
    if (!result)
        failWith(std::move(result).error());
}

Result<void> RenderJob::prepare()
{
    LQ_TRY(m_pack, packs::findPack(m_request.settings.pack, packs::packFolders(m_tools.dataFolder)));
    LQ_CHECKED(packs::checkSettings(m_pack, m_request.settings));
    LQ_CHECKED(packs::checkInstalled(m_pack, m_tools.dataFolder / "models"));
    LQ_CHECKED(checkRequest(m_request));
    if (!m_request.settings.seed) {
        LQ_TRY(m_request.settings.seed, seedOf(m_request));
    }
    m_output = m_request.output;
    if (m_output.empty()) {
        const auto folder = m_tools.cacheFolder / "previews";
        LQ_CHECKED(platform::makeFolder(folder));
        m_output = folder / ("preview-" + std::to_string(::getpid()) + "-" + std::to_string(m_id) + ".mp4");
    } else if (m_request.captions == Captions::Track) { // it gets its name with its captions
        m_output.replace_filename(".loquor-" + std::to_string(::getpid()) + '-' + std::to_string(m_id) + ".mp4");
    }
    return {};
}

// The reference is built while the speech is being prepared.
Result<void> RenderJob::startAttempt()
{
    ++m_attempt;
    m_facts.reset();
    m_held.reset();
    m_captions.reset();
    m_sent = m_rendered = 0;
    m_lastSent = false;
    m_rankHasJob = false;
    m_timing = {};
    m_lipGap.clear();
    m_report.chunks.clear();
    m_speech = std::make_unique<SpeechFeeder>(m_tools.makeSpeech(m_request),
                                              [this] { m_tools.box.put(SpeechNote{m_id}); });
    return m_tools.rank.send(comm::PrepareReference{m_id, m_request.reference, m_request.settings});
}

void RenderJob::cancel()
{
    if (m_over || m_cancelled)
        return;
    m_cancelled = true;
    failWith(Error(ErrorCode::Cancelled, "Cancelled."));
}

void RenderJob::onSpeech()
{
    if (m_over || m_error || !m_speech)
        return;
    if (auto facts = m_speech->takeFacts()) {
        if (auto started = startRender(*facts); !started)
            return failWith(std::move(started).error());
    }
    for (const std::string& warning : m_speech->takeWarnings())
        warn(warning);
    if (auto sent = pumpLines(); !sent)
        return failWith(std::move(sent).error());
    if (auto error = m_speech->takeError())
        failWith(std::move(*error));
}

Result<void> RenderJob::startRender(const SpeechFacts& facts)
{
    for (const std::string& warning : facts.warnings)
        warn(warning);
    m_preview = m_tools.frames.ringDescriptor() >= 0;
    if (m_preview)
        LQ_CHECKED(m_tools.audio.restart(m_tools.cacheFolder, facts.sampleRate));
    comm::StartRender start;
    start.id = m_id;
    start.reference = m_request.reference;
    start.settings = m_request.settings;
    start.sampleRate = facts.sampleRate;
    start.channels = facts.channels;
    start.output = m_output;
    start.overwrite = m_request.overwrite || m_output != m_request.output;
    start.preview = m_preview;
    start.audioOnlyMotion = facts.audioOnly;
    start.label = m_request.label;
    if (m_request.captions == Captions::Burn)
        start.captionStyle = m_request.captionStyle;
    start.trace = m_request.trace;
    start.metadata["comment"] = "AI generated. Made with Loquor, pack " + m_pack.label() + ", seed " +
                                std::to_string(*m_request.settings.seed);
    if (m_request.captions != Captions::None) {
        std::optional<media::CaptionRoom> room;
        if (m_request.captions == Captions::Burn)
            room = media::captionRoom(m_request.captionStyle, m_request.settings.width, m_request.settings.height);
        m_captions.emplace(facts.sampleRate, room);
    }
    m_facts = facts;
    m_report.voice = facts.voice;
    m_renderStarted = Clock::now();
    m_rate.restart();
    m_rankHasJob = true;
    const auto frames = static_cast<std::int64_t>(
        std::ceil(facts.estimatedSeconds * m_request.settings.fps.toDouble()));
    m_tools.board.update([&](Snapshot& s) { s.framesTotal = frames; });
    return m_tools.rank.send(start);
}

Result<void> RenderJob::pumpLines()
{
    if (!m_facts)
        return {};
    const auto ahead = static_cast<SampleIndex>(kSecondsAhead * m_facts->sampleRate);
    for (;;) {
        if (!m_held)
            m_held = nextLine();
        if (!m_held || m_sent - m_rendered > ahead)
            return {};
        LQ_CHECKED(sendLine(*std::exchange(m_held, std::nullopt)));
    }
}

// Lines whose captions are drawn wait until they are known as a whole.
std::optional<SpokenLine> RenderJob::nextLine()
{
    if (!m_captions)
        return m_speech->takeLine();
    for (;;) {
        if (auto ready = m_captions->next())
            return ready;
        auto piece = m_speech->takeLine();
        if (!piece)
            return std::nullopt;
        m_captions->add(std::move(*piece));
    }
}

Result<void> RenderJob::sendLine(SpokenLine line)
{
    if (m_preview)
        LQ_CHECKED(m_tools.audio.append(line.audio));
    if (!line.captions.empty()) {
        LQ_TRY(const std::string leftOut, media::leaveOutLetters(line.captions));
        if (!leftOut.empty())
            warn(leftOut);
    }
    m_sent += line.audio.frames();
    m_lastSent = line.isLast;
    if (!m_request.timingOut.empty())
        keepTiming(line);
    Event timed = makeEvent(Event::Kind::LineTimed, m_id, line.text);
    timed.timing = line.timing;
    m_tools.board.post(std::move(timed));
    const FrameIndex frames = framesCovering(m_sent, m_facts->sampleRate, m_request.settings.fps);
    m_tools.board.update([&](Snapshot& s) {
        s.framesTotal = m_lastSent ? frames : std::max(s.framesTotal, frames);
    });
    return m_tools.rank.send(comm::SpeechLine{m_id, line.id, line.number, line.isLast, line.continues,
                                              std::move(line.timing), std::move(line.cues), std::move(line.captions),
                                              std::move(line.audio)});
}

void RenderJob::keepTiming(const SpokenLine& line)
{
    m_timing.language = line.timing.language;
    m_timing.source = line.timing.source;
    for (speech::Word word : line.timing.words) {
        word.textBegin += static_cast<std::int32_t>(line.textBegin);
        word.textEnd += static_cast<std::int32_t>(line.textBegin);
        m_timing.words.push_back(std::move(word));
    }
    for (const speech::Phoneme& phoneme : line.timing.phonemes) {
        fillTimes(phoneme.start);
        m_timing.phonemes.push_back(phoneme);
    }
}

// Where a recording could not be matched with its text, nothing is known.
void RenderJob::fillTimes(double until)
{
    const double end = m_timing.phonemes.empty() ? 0 : m_timing.phonemes.back().end;
    if (until > end + kSameTime)
        m_timing.phonemes.push_back({"", end, until, 0, false});
}

Result<void> RenderJob::writeTiming() const
{
    if (m_request.timingOut.empty())
        return {};
    speech::TimingDocument document{m_timing, m_facts->script,
                                    speech::DrawnGap{m_report.fps.toDouble(), m_lipGap}};
    document.timing.durationSeconds = m_report.audioSeconds;
    return speech::writeTimingFile(m_request.timingOut, document);
}

// Captions of a track are known when the last line is; the finished video is copied with them.
Result<void> RenderJob::addTrack()
{
    std::vector<media::Caption> captions;
    for (const speech::CaptionCue& cue : m_captions->all())
        captions.push_back({cue.start, std::min(cue.end, m_report.durationSeconds), cue.text});
    std::erase_if(captions, [](const media::Caption& caption) { return caption.end <= caption.start; });
    const auto made = std::exchange(m_output, m_request.output);
    const auto rule = m_request.overwrite ? platform::IfExists::Replace : platform::IfExists::Refuse;
    const auto copied = media::copyWithCaptions(made, captions, m_output, rule);
    std::error_code ignored;
    std::filesystem::remove(made, ignored);
    return copied;
}

Result<void> RenderJob::writeCaptions()
{
    if (m_captions && m_request.captions == Captions::Track)
        return addTrack();
    if (!m_captions || !hasCaptionFile(m_request.captions))
        return {};
    return writeCaptionFile(captionFile(m_request), m_request.captions, m_captions->all());
}

void RenderJob::onRank(const comm::FromRank& message)
{
    if (m_over)
        return;
    if (const auto* progress = std::get_if<comm::JobProgress>(&message)) {
        if (progress->job == m_id)
            onProgress(*progress);
    } else if (const auto* warning = std::get_if<comm::JobWarning>(&message)) {
        if (warning->job == m_id)
            warn(warning->text);
    } else if (const auto* chunk = std::get_if<comm::ChunkDone>(&message)) {
        if (chunk->job != m_id)
            return;
        m_report.chunks.push_back(chunk->chunk);
        if (!m_request.timingOut.empty())
            m_lipGap.insert(m_lipGap.end(), chunk->lipGap.begin(), chunk->lipGap.end());
        Event finished = makeEvent(Event::Kind::ChunkFinished, m_id);
        finished.chunk = chunk->chunk;
        m_tools.board.post(std::move(finished));
    } else if (const auto* done = std::get_if<comm::RenderDone>(&message)) {
        if (done->job == m_id)
            onDone(*done);
    } else if (const auto* failed = std::get_if<comm::JobFailed>(&message)) {
        if (failed->job != m_id)
            return;
        m_rankHasJob = false;
        failWith(failed->error);
    }
}

void RenderJob::onProgress(const comm::JobProgress& progress)
{
    if (m_error) // it is ending; the rank just has not heard yet
        return;
    m_rendered = progress.samplesDone;
    m_tools.board.update([&](Snapshot& s) {
        s.activity = progress.activity;
        s.phase = progress.activity == "finish"      ? Phase::Finishing
                  : progress.activity == "reference" ? Phase::Preparing
                  : progress.framesDone > 0          ? Phase::Rendering
                                                     : Phase::Speaking;
        s.framesDone = s.framesReady = progress.framesDone;
        if (progress.framesDone > 0)
            m_rate.update(Clock::now(), progress.framesDone, s.framesTotal);
        s.fpsNow = m_rate.framesPerSecond();
        s.secondsLeft = m_rate.secondsLeft();
    });
    if (auto sent = pumpLines(); !sent)
        failWith(std::move(sent).error());
}

void RenderJob::onDone(const comm::RenderDone& done)
{
    m_rankHasJob = false;
    m_tools.memory.sample();
    m_report.frames = done.frames;
    m_report.fps = m_request.settings.fps;
    m_report.durationSeconds = secondsOf(done.frames, m_report.fps);
    m_report.audioSeconds = static_cast<double>(done.samples) / m_facts->sampleRate;
    m_report.firstFrameSeconds =
        done.firstFrameSeconds + std::chrono::duration<double>(m_renderStarted - m_asked).count();
    m_report.totalSeconds = secondsSince(m_asked);
    m_report.realtimeFactor = m_report.durationSeconds / m_report.totalSeconds;
    m_report.peakRssMb = std::max(m_tools.memory.peakMb(), done.peakRssMb);
    m_report.engineCpuSeconds = done.engineCpuSeconds + processCpuSeconds() - m_cpuBefore;
    m_report.encoderCpuSeconds = done.encoderCpuSeconds;
    m_report.seed = *m_request.settings.seed;
    m_report.width = m_request.settings.width;
    m_report.height = m_request.settings.height;
    m_report.stages = done.stages;
    endSpeech();
    m_report.stages["speech"] = {0, m_speechCpu, 1};
    m_report.pack = done.pack;
    m_report.output = (m_request.output.empty() ? m_output : m_request.output).string();
    if (!m_timing.phonemes.empty())
        fillTimes(m_report.audioSeconds);
    if (auto written = writeTiming(); !written)
        return failWith(std::move(written).error());
    if (auto written = writeCaptions(); !written)
        return failWith(std::move(written).error());
    if (m_captions && m_captions->all().empty())
        warn("There are no captions: the words were not found in the recording.");
    m_tools.board.update([&](Snapshot& s) {
        s.framesDone = s.framesReady = s.framesTotal = done.frames;
        s.secondsLeft = 0;
    });
    Event finished = makeEvent(Event::Kind::JobFinished, m_id);
    finished.report = m_report;
    over(std::move(finished), Phase::Done);
}

void RenderJob::warn(const std::string& text)
{
    auto& warnings = m_report.warnings;
    if (std::find(warnings.begin(), warnings.end(), text) != warnings.end())
        return;
    warnings.push_back(text);
    m_tools.board.post(makeEvent(Event::Kind::Warning, m_id, text));
}

void RenderJob::onRankGone(const comm::RankDeath& death)
{
    if (m_over)
        return;
    m_rankHasJob = false;
    if (m_error)
        return failWith(*m_error);
    Error error(ErrorCode::ConnectionLost, "The engine process " + death.reason + ".");
    if (m_attempt > 1) {
        error.addContext("rendering for the second time");
        return failWith(std::move(error));
    }
    m_tools.board.post(makeEvent(Event::Kind::EngineRestarted, m_id, error.message() + " It is started again."));
    m_tools.frames.restart();
    if (auto again = startAttempt(); !again)
        failWith(std::move(again).error());
}

// Joins the feeder; its source looks at the token.
void RenderJob::endSpeech()
{
    if (!m_speech)
        return;
    auto speech = std::move(m_speech);
    const double before = speech->cpuSeconds();
    speech.reset();
    m_speechCpu = before;
}

void RenderJob::failWith(Error error)
{
    if (m_over)
        return;
    if (!m_error)
        m_error = std::move(error);
    endSpeech();
    if (m_rankHasJob && m_tools.rank.isRunning()) {
        if (!m_deadline && m_tools.rank.send(comm::CancelJob{m_id})) {
            m_deadline = Clock::now() + kLetGoTime;
            return; // JobFailed, RankGoneNote or the deadline comes next
        }
        if (m_deadline)
            return;
    } else if (!m_deadline && m_tools.rank.isRunning()) {
        // It may still be building the reference for this job.
        if (auto told = m_tools.rank.send(comm::CancelJob{m_id}); !told)
            log(LogLevel::Info, "session", told.error().logText());
    }
    if (m_error->isCancelled())
        return over(makeEvent(Event::Kind::JobCancelled, m_id), Phase::Cancelled);
    Event failed = makeEvent(Event::Kind::JobFailed, m_id);
    failed.error = *m_error;
    over(std::move(failed), Phase::Failed);
}

void RenderJob::abandon(Error error)
{
    if (m_over)
        return;
    if (m_rankHasJob)
        m_tools.rank.kill();
    Event failed = makeEvent(Event::Kind::JobFailed, m_id);
    failed.error = std::move(error);
    over(std::move(failed), Phase::Failed);
}

void RenderJob::over(Event event, Phase phase)
{
    m_over = true;
    endSpeech();
    // The phase first: whoever sees the event finds the state that belongs to it.
    m_tools.board.update([&](Snapshot& s) {
        s.phase = phase;
        s.activity.clear();
    });
    m_tools.board.post(std::move(event));
}

void RenderJob::tick()
{
    if (m_over)
        return;
    if (m_deadline && Clock::now() > *m_deadline) {
        log(LogLevel::Info, "session", "loquor-rank did not let go of a job and is ended");
        m_rankHasJob = false;
        m_tools.rank.kill();
        failWith(*m_error);
    }
}

} // namespace loquor::session
