// Records a microphone to FLAC and watches it: level, clipping, noise, lost samples, silence, device gone.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/audio/audio_backend.h"
#include "core/audio/capture_ring.h"
#include "core/audio/cue_output.h"
#include "core/audio/take_file.h"

namespace loquor::audio {

// Before the take: so many seconds or beats. They are counted in sound that came in.
struct CountIn
{
    int count = 0; // none
    double secondsEach = 1;
    bool clicks = true; // heard on the default output
};

// Records over [from, to) of a take, in seconds: it stays, and a new one is made of the two. What comes before `from` is
// played first. Stopping early replaces less.
struct PunchIn
{
    std::filesystem::path take;
    double from = 0, to = 0;
    double preRollSeconds = 2;
};

struct TakeRequest
{
    std::filesystem::path file; // FLAC, 24 bits, rate and channels of the device (of a punch: of the old take)
    std::string device;         // "" = default
    CountIn countIn;
    std::optional<PunchIn> punch;
    bool monitor = false; // what comes in is heard on the default output
};

struct RecorderState
{
    enum class Phase {
        Idle = 1,
        Opening,   // the device is being opened
        Armed,     // the level is measured, nothing is written
        CountIn,   // or the old take before a punch; see countLeft
        Recording,
        Finishing, // a punch is being put together
        Finished,  // `file` is there
        Failed,    // see error; a take that had begun is kept in `file` if that is not empty
    };
    Phase phase = Phase::Idle;
    int countLeft = 0;          // seconds or beats until the take begins; of a pre-roll: seconds
    double seconds = 0;         // recorded so far
    float peak = 0;             // 0..1, of the last 50 ms
    std::uint64_t xruns = 0;    // times the device or this program could not keep up since it was opened
    std::int64_t clippedRuns = 0; // of the take; before it, since the device was opened
    double noiseFloorDb = media::SoundReport::kQuietest; // dBFS, since the device was opened
    double silentSeconds = 0;   // exact silence: a muted or absent microphone
    bool deviceLost = false;    // the take waits for its device
    std::vector<TakeGap> gaps;  // times it did
    bool outputMissing = false; // clicks, pre-roll or monitor were wanted and cannot be heard
    int sampleRate = 0, channels = 0;
    std::filesystem::path file;
    std::optional<Error> error;
};

struct RecorderTimes
{
    double stallSeconds = 3;       // without a callback: the device is gone
    double retrySeconds = 0.5;     // between attempts to get it back
    double longestGapSeconds = 5;  // of silence for a time without device
};

// Every function returns at once and may be called from any thread; an own thread opens the device and writes the file. The
// callback only copies into a ring (capture_ring.h). When the device goes away in a take, what there is is kept
// and the take goes on when it, or the new default device, is there: at the rate and channels the file began with.
class Recorder
{
public:
    explicit Recorder(AudioBackend& backend, RecorderTimes times = {}, Clock clock = steadyClock()); // must outlive this
    ~Recorder(); // finishes a running take
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    // Opens the device ("" = default) and measures its level.
    void arm(const std::string& device);
    // Begins to count in and to write; opens the device first if arm() did not.
    void record(const TakeRequest& request);
    // Ends the take and closes the device. A take that had not begun leaves nothing.
    void stop();
    RecorderState state() const;

private:
    struct Take;
    struct Wish
    {
        bool open = false, record = false;
        std::uint64_t stops = 0; // how often stop() was called
        std::string device;
        TakeRequest request;
    };

    void run();
    void serve(); // until the end
    void follow(const Wish& wish);
    void open(const std::string& device);
    Result<void> openStream();
    void beginTake(const TakeRequest& request);
    Result<void> prepareCue(Take& take);
    void drain();
    Result<void> take(const float* samples, SampleIndex frames);
    Result<void> writeToTake(const float* samples, SampleIndex frames);
    void measure(const float* samples, std::size_t count);
    void showState();
    void watchDevice();
    void loseDevice();
    void returnDevice();
    void endTake();
    Result<std::filesystem::path> finishTake();
    TakeFacts factsOfTake() const;
    void close(RecorderState::Phase phase);
    void failWith(Error error);

    AudioBackend& m_backend;
    const RecorderTimes m_times;
    const Clock m_clock;

    mutable std::mutex m_mutex; // guards these
    std::condition_variable m_wake;
    Wish m_wish;
    bool m_quit = false;
    RecorderState m_state;

    // Own thread only.
    bool m_open = false; // the device is wanted and was there; m_stream is null while it is lost
    std::string m_device;
    std::unique_ptr<AudioStream> m_stream;
    int m_rate = 0, m_channels = 1;
    CueOutput m_cue;
    std::unique_ptr<Take> m_take;
    std::optional<media::SoundInspector> m_heard; // since the device was opened
    std::uint64_t m_stopsSeen = 0, m_callsSeen = 0, m_xrunsBefore = 0;
    double m_lastCall = 0, m_lostAt = 0, m_lastTry = 0;
    std::vector<float> m_block;
    SampleIndex m_silent = 0, m_windowFrames = 0;
    float m_windowPeak = 0;

    CaptureRing m_ring; // shared with the callback

    std::thread m_thread; // last
};

} // namespace loquor::audio
