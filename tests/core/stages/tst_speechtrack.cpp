#include "core/stages/line_source.h"
#include "core/stages/speech_track.h"
#include "tests/support/test_main.h"

#include <chrono>
#include <thread>

using namespace loquor;
using namespace loquor::stages;

namespace {

TrackLine line(int number, SampleIndex samples, double start, bool last = false, int channels = 1)
{
    TrackLine out;
    out.spec = {static_cast<std::uint64_t>(number), number, samples, last, false};
    out.audio = {16000, channels, std::vector<float>(static_cast<std::size_t>(samples * channels))};
    for (std::size_t i = 0; i < out.audio.samples.size(); ++i)
        out.audio.samples[i] = static_cast<float>(number) + (i % 2 == 0 ? .25f : .75f);
    out.phonemes = {{"a", start, start + .5, 1, false}, {"", start + .5, start + 1, 1, false}};
    out.cues = {{portrait::CueKind::Nod, start + .2, 1}};
    return out;
}

} // namespace

class tst_speechtrack : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void windows_hold_what_lies_in_them()
    {
        SpeechTrack track(16000, 2);
        QVERIFY(track.append(line(1, 16000, 0, false, 2)));
        QVERIFY(track.append(line(2, 16000, 1, true, 2)));
        const auto window = track.window(.6, 1.4, {});
        QVERIFY(window);
        QCOMPARE(window->audio.channels, 1);
        QCOMPARE(window->audio.frames(), std::int64_t(12800));
        QCOMPARE(window->audioStart, .6);
        QCOMPARE(window->audio.samples.front(), 1.5f); // mean of both channels
        QCOMPARE(window->audio.samples.back(), 2.5f);
        QCOMPARE(window->sounds.size(), std::size_t(2)); // the pause of line 1, the vowel of line 2
        QCOMPARE(window->cues.size(), std::size_t(1));
        QVERIFY(!window->isLast);
        QVERIFY(track.window(1, 2.5, {})->isLast);
    }

    void a_window_waits_for_its_speech_and_the_end_ends_it()
    {
        SpeechTrack track(16000, 1);
        QVERIFY(track.append(line(1, 16000, 0)));
        std::thread producer([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(80));
            QVERIFY(track.append(line(2, 8000, 1, true)));
        });
        const auto window = track.window(.5, 3, {}); // never filled, but the run ends
        producer.join();
        QVERIFY(window && window->isLast);
        QCOMPARE(window->audio.frames(), std::int64_t(16000));
        QVERIFY(!track.isWaiting());
    }

    void a_cancel_ends_the_waiting()
    {
        SpeechTrack track(16000, 1);
        CancelSource cancel;
        std::thread canceller([&] {
            while (!track.isWaiting())
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            cancel.cancel();
        });
        const auto line = track.nextLine(cancel.token());
        canceller.join();
        QVERIFY(!line && line.error().isCancelled());
    }

    void memory_depends_on_what_is_still_needed()
    {
        SpeechTrack track(16000, 1);
        for (int i = 0; i < 200; ++i) {
            QVERIFY(track.append(line(i + 1, 16000, i)));
            track.forgetBefore(i - .5);
            QVERIFY(track.secondsHeld() < 4);
        }
        QVERIFY(track.window(199, 199.5, {})->audio.frames() == 8000);
    }

    void faulty_lines_are_refused()
    {
        SpeechTrack track(16000, 1);
        TrackLine wrong = line(1, 16000, 0);
        wrong.audio.sampleRate = 8000;
        QVERIFY(!track.append(wrong));
        wrong = line(1, 16000, 0);
        wrong.spec.samples = 1;
        QVERIFY(!track.append(wrong));
        QVERIFY(track.append(line(1, 16000, 0, true)));
        QVERIFY(!track.append(line(2, 16000, 1)));
    }

    void the_source_cuts_lines_as_they_come()
    {
        auto track = std::make_shared<SpeechTrack>(16000, 1);
        LineSource source(track, {25, 1}, {8, 25}, 1);
        QVERIFY(track->append(line(1, 640 * 30, 0)));
        QCOMPARE((*source.next({}))->frames, 8);
        QCOMPARE((*source.next({}))->frames, 22);
        QVERIFY(track->append(line(2, 640 * 2 + 1, 1.2, true)));
        const auto last = source.next({});
        QVERIFY(last && (*last)->endsRun);
        QCOMPARE((*last)->frames, 3);
        QVERIFY(!*source.next({}));
    }
};

LOQUOR_TEST(tst_speechtrack)
#include "tst_speechtrack.moc"
