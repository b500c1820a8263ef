#include "core/session/recorded_line.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <QTemporaryDir>

#include "core/media/audio_writer.h"
#include "core/platform/hash.h"
#include "core/session/recording_lines.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;

namespace {

// Every sample tells where it is.
AudioBlock ramp(SampleIndex samples)
{
    AudioBlock out{kProjectRate, 1, {}};
    for (SampleIndex i = 0; i < samples; ++i)
        out.samples.push_back(static_cast<float>(i % 65536) / 131072.f + .001f);
    return out;
}

RecordingCut cutOf(SampleIndex before, SampleIndex samples, SampleIndex after)
{
    return {ramp(before + samples + after), before, after};
}

std::filesystem::path mediaFile(const char* name)
{
    return std::filesystem::path(LOQUOR_DEPS_DIR).parent_path() / "media" / "test" / name;
}

} // namespace

class tst_recorded_line : public QObject
{
    Q_OBJECT
    QTemporaryDir m_folder;

    project::Recording write(const char* name, const AudioBlock& audio)
    {
        const std::filesystem::path file = m_folder.filePath(name).toStdString();
        if (!media::writeWav(file, audio, media::WavFormat::Float32))
            qFatal("the recording could not be written");
        return {file, platform::sha256File(file).value_or(""), 0, audio.frames()};
    }

private Q_SLOTS:
    void the_parts_of_a_recording_are_its_samples_and_hear_their_neighbours()
    {
        const AudioBlock whole = ramp(10 * kProjectRate + 123);
        project::Recording part = write("ramp.wav", whole);
        RecordingCutter cutter;
        const SampleIndex all = part.samples;
        const std::vector<std::pair<SampleIndex, SampleIndex>> parts{
            {0, 200'000}, {200'000, 150'000}, {350'000, all - 350'000}, {96'000, 48'000}}; // the last one backwards
        for (const auto& [first, samples] : parts) {
            part.first = first;
            part.samples = samples;
            const auto cut = cutter.cut(part, {});
            QVERIFY2(cut, cut ? "" : cut.error().text().c_str());
            QCOMPARE(cut->samples(), samples);
            QCOMPARE(cut->before, std::min<SampleIndex>(first, 28'800));
            QCOMPARE(cut->after, std::min<SampleIndex>(all - first - samples, 28'801));
            const auto begin = whole.samples.begin() + (first - cut->before);
            QVERIFY(std::equal(cut->audio.samples.begin(), cut->audio.samples.end(), begin));
        }
        part.first = all - 10;
        part.samples = 20;
        QCOMPARE(cutter.cut(part, {}).error().code(), ErrorCode::InvalidArgument);
    }

    void a_missing_or_changed_recording_is_named()
    {
        project::Recording part = write("gone.wav", ramp(kProjectRate));
        std::ofstream(part.file, std::ios::app) << "more";
        RecordingCutter cutter;
        auto changed = cutter.cut(part, {});
        QCOMPARE(changed.error().code(), ErrorCode::Corrupt);
        QVERIFY(changed.error().message().find("gone.wav") != std::string::npos);
        QVERIFY(changed.error().message().find("relink") != std::string::npos);
        std::filesystem::remove(part.file);
        auto missing = cutter.cut(part, {});
        QCOMPARE(missing.error().code(), ErrorCode::NotFound);
        QVERIFY(missing.error().message().find("relink") != std::string::npos);
    }

    void a_line_has_whole_frames_at_every_rate()
    {
        for (const Rational fps : {Rational{25, 1}, Rational{30000, 1001}, Rational{24000, 1001}, Rational{60000, 1001}}) {
            for (FrameIndex first = 100; first < 140; ++first) {
                // As the recording is cut: on its own grid of frames.
                const FrameIndex frames = 117;
                const SampleIndex samples =
                    firstSampleOf(first + frames, kProjectRate, fps) - firstSampleOf(first, kProjectRate, fps);
                const LineSound line = soundOfCut(cutOf(28'800, samples, 28'801), 0, fps);
                QCOMPARE(line.frames, frames);
                QCOMPARE(line.audio.frames() - line.contextBefore - line.contextAfter,
                         firstSampleOf(frames, kProjectRate, fps));
                // Not a sample of silence in between, and all of it in the order of the recording.
                QVERIFY(line.audio.samples == ramp(line.audio.frames()).samples);
            }
        }
    }

    void a_pause_is_silence_and_ends_the_context()
    {
        const LineSound line = soundOfCut(cutOf(1000, 96'000, 28'801), .5, {25, 1});
        QCOMPARE(line.frames, FrameIndex{63}); // 2.5 s and what is left of a frame
        QCOMPARE(line.contextAfter, SampleIndex{0});
        QCOMPARE(line.audio.frames(), 1000 + firstSampleOf(63, kProjectRate, {25, 1}));
        QVERIFY(line.audio.samples[96'999] != 0);
        QCOMPARE(line.audio.samples[97'000], 0.f);
    }

    void the_end_of_a_recording_is_the_end()
    {
        const LineSound line = soundOfCut(cutOf(1000, 1921, 0), 0, {25, 1});
        QCOMPARE(line.frames, FrameIndex{2}); // the one sample counts
        QCOMPARE(heardSamples(cutOf(1000, 1921, 0).shape(), 0), SampleIndex{1921});
    }

    void a_recording_becomes_lines_that_are_all_of_it()
    {
        const std::string text = "And so, my fellow Americans, [nod] ask not what your country can do for you, \"ask what "
                                 "you can do for your country.\"";
        const auto voices = std::make_shared<VoiceShelf>(std::filesystem::path(LOQUOR_DEPS_DIR).parent_path(),
                                                         std::filesystem::path(LOQUOR_BIN_DIR) / "loquor-phonemes");
        RecordingRequest request{mediaFile("jfk.wav"), text, "en-us", {25, 1}};
        const auto lines = cutIntoLines(request, voices, {});
        QVERIFY2(lines, lines ? "" : lines.error().text().c_str());
        QVERIFY(lines->warnings.empty());
        QVERIFY(lines->lines.size() >= 2);
        SampleIndex at = 0;
        std::string together;
        for (const project::Line& line : lines->lines) {
            QVERIFY(line.id != 0);
            QCOMPARE(line.recording->first, at);
            QVERIFY(line.recording->samples <= 15 * kProjectRate);
            QCOMPARE(at % 1920, SampleIndex{0}); // frames of 25 a second
            at += line.recording->samples;
            together += (together.empty() ? "" : " ") + line.text;
        }
        QCOMPARE(at, SampleIndex{11 * kProjectRate});
        QCOMPARE(together, text); // not a word is lost

        CancelSource cancel;
        cancel.cancel();
        QVERIFY(cutIntoLines(request, voices, cancel.token()).error().isCancelled());
        request.file = mediaFile("astronaut.png");
        QVERIFY(!cutIntoLines(request, voices, {}));
    }

    // Tags and the project's dictionary say what is heard; where a line ends no tag is torn, and what cannot be read is told.
    void what_is_said_instead_is_found_and_dealt_out()
    {
        const std::string text = "And so, my fellow Yanks, ask [say \"nix\" as \"not\"] what your [wiggle] country can do for you, "
                                 "ask what you can do for your [ipa \"XY\" as \"kʌntɹi\"].";
        const auto voices = std::make_shared<VoiceShelf>(std::filesystem::path(LOQUOR_DEPS_DIR).parent_path(),
                                                         std::filesystem::path(LOQUOR_BIN_DIR) / "loquor-phonemes");
        RecordingRequest request{mediaFile("jfk.wav"), text, "en-us", {25, 1}, {{"yanks", "", "Americans", "", ""}}};
        const auto lines = cutIntoLines(request, voices, {});
        QVERIFY2(lines, lines ? "" : lines.error().text().c_str());
        QCOMPARE(lines->warnings.size(), std::size_t{1});
        QVERIFY2(lines->warnings[0].starts_with("Line 1, column 61: Unknown direction [wiggle]"), lines->warnings[0].c_str());
        std::string together;
        bool endsInTag = false;
        for (const project::Line& line : lines->lines) {
            QCOMPARE(std::count(line.text.begin(), line.text.end(), '['), std::count(line.text.begin(), line.text.end(), ']'));
            endsInTag |= line.text.ends_with("\"not\"]");
            together += (together.empty() ? "" : " ") + line.text;
        }
        QVERIFY2(endsInTag, lines->lines[0].text.c_str());
        QCOMPARE(together, text);
    }

    void what_is_said_instead_belongs_to_the_identity_of_a_line()
    {
        LineWish wish;
        wish.text = "Ask the SQL server.";
        wish.fps = {25, 1};
        wish.recording = project::Recording{"speech.wav", "0123", 0, 48'000};
        const auto with = [&wish](speech::Pronunciations list) {
            wish.pronunciations = std::make_shared<const speech::Pronunciations>(std::move(list));
            return recordedKey(wish);
        };
        const std::string plain = with({});
        QCOMPARE(with({{"gif", "", "jif", "", ""}}), plain); // no word of it
        const std::string sequel = with({{"sql", "", "sequel", "", ""}});
        QVERIFY(sequel != plain);
        QVERIFY(with({{"sql", "", "squirrel", "", ""}}) != sequel);
        QVERIFY(with({{"sql", "", "", "siːkwəl", ""}}) != sequel);
        wish.pronunciations = nullptr;
        QCOMPARE(recordedKey(wish), plain);
    }

    void a_line_of_a_recording_is_aligned_by_itself()
    {
        const auto voices = std::make_shared<VoiceShelf>(std::filesystem::path(LOQUOR_DEPS_DIR).parent_path(),
                                                         std::filesystem::path(LOQUOR_BIN_DIR) / "loquor-phonemes");
        LineWish wish;
        wish.text = "[smile] ask not what your country can do for you.";
        wish.language = "en-us";
        wish.fps = {25, 1};
        wish.recording = project::Recording{mediaFile("jfk.wav"), platform::sha256File(mediaFile("jfk.wav")).value_or(""),
                                            144'000, 240'000};
        RecordingCutter cutter;
        const auto cut = cutter.cut(*wish.recording, {});
        QVERIFY(cut.has_value());
        LineSound line = soundOfCut(*cut, 0, wish.fps);
        QVERIFY(addRecordedTiming(wish, *cut, *voices, line, {}));
        QCOMPARE(line.timing.words.size(), std::size_t{9});
        QCOMPARE(line.timing.source, speech::TimingSource::Alignment);
        QCOMPARE(line.cues.size(), std::size_t{1});
        QCOMPARE(line.cues.front().time, line.timing.words.front().start);
        QCOMPARE(line.timing.phonemes.back().end, 5.0);
        // Without a text, and with one of something else, the sound alone decides.
        LineSound alone = soundOfCut(*cut, 0, wish.fps);
        wish.text.clear();
        QVERIFY(addRecordedTiming(wish, *cut, *voices, alone, {}));
        QVERIFY(alone.timing.phonemes.empty());
    }
};

LOQUOR_TEST(tst_recorded_line)
#include "tst_recorded_line.moc"
