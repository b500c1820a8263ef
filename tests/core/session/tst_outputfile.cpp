#include "core/platform/atomic_file.h"
#include "core/session/file_names.h"
#include "core/session/output_file.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace loquor;
using namespace loquor::session;

class tst_outputfile : public QObject
{
    Q_OBJECT
    QTemporaryDir m_folder;
    std::filesystem::path m_root = m_folder.path().toStdString();

    RenderRequest good()
    {
        RenderRequest out;
        out.reference = m_root / "photo.png";
        out.speech.text = "Hello.";
        out.output = m_root / "out.mp4";
        return out;
    }
    ErrorCode codeOf(const RenderRequest& request)
    {
        const auto result = checkRequest(request);
        return result ? ErrorCode::None : result.error().code();
    }

private Q_SLOTS:
    void initTestCase()
    {
        // No texts by their first bytes; that is all that is looked at here.
        QVERIFY(platform::writeFile(m_root / "photo.png", std::string("p\x01")));
        QVERIFY(platform::writeFile(m_root / "speech.wav", std::string("s\x01")));
        QVERIFY(platform::writeFile(m_root / "there.mp4", std::string("v")));
        QVERIFY(platform::writeFile(m_root / "page.jpg", std::string("<html>Not found</html>\n")));
        QVERIFY(platform::writeFile(m_root / "words.wav", std::string("nothing to hear\n")));
    }

    void a_good_request_passes_and_leaves_nothing()
    {
        QCOMPARE(codeOf(good()), ErrorCode::None);
        QVERIFY(!std::filesystem::exists(m_root / "out.mp4"));
    }

    // 92: empty fields say why nothing can be made.
    void case_092_what_is_missing_is_said()
    {
        RenderRequest request = good();
        request.reference.clear();
        QCOMPARE(codeOf(request), ErrorCode::InvalidArgument);
        request = good();
        request.speech.text = " \n";
        QCOMPARE(codeOf(request), ErrorCode::EmptyInput);
        request.speech.audioFile = m_root / "none.wav";
        QCOMPARE(codeOf(request), ErrorCode::NotFound);
        request.speech.audioFile = m_root / "speech.wav";
        QCOMPARE(codeOf(request), ErrorCode::None);
    }

    // 155: no output is an input.
    void case_155_outputs_are_never_inputs()
    {
        RenderRequest request = good();
        request.overwrite = true;
        request.output = request.reference;
        QCOMPARE(codeOf(request), ErrorCode::InvalidArgument);
        request = good();
        request.overwrite = true;
        request.speech.audioFile = m_root / "speech.wav";
        request.timingOut = m_root / "." / "speech.wav";
        QCOMPARE(codeOf(request), ErrorCode::InvalidArgument);
        request.timingOut = request.output;
        QCOMPARE(codeOf(request), ErrorCode::InvalidArgument);
    }

    void an_existing_output_is_kept()
    {
        RenderRequest request = good();
        request.output = m_root / "there.mp4";
        QCOMPARE(codeOf(request), ErrorCode::AlreadyExists);
        request.overwrite = true;
        QCOMPARE(codeOf(request), ErrorCode::None);
    }

    // A text named like a picture or a recording: told as `check` tells it, before anything is loaded.
    void texts_with_other_names_are_told()
    {
        const auto says = [](const RenderRequest& request, const char* words) {
            const auto result = checkRequest(request);
            return !result && result.error().code() == ErrorCode::Unsupported &&
                   result.error().message().find(words) != std::string::npos;
        };
        RenderRequest request = good();
        request.reference = m_root / "page.jpg";
        QVERIFY(says(request, "The name says that it is a picture (.jpg), but its content is text"));
        request = good();
        request.settings.background = (m_root / "page.jpg").string();
        QVERIFY(says(request, "a picture (.jpg)"));
        request = good();
        request.speech.audioFile = m_root / "words.wav";
        QVERIFY(says(request, "a recording (.wav)"));
    }

    void names_promise_what_is_written()
    {
        for (const char* name : {"a.mp4", "A.MP4", "a.m4v", "a.avi.mp4", ""})
            QVERIFY2(checkVideoName(name), name);
        for (const char* name : {"a.avi", "a.mov", "a.mkv", "a.webm", "a.png", "a", "mp4", ".mp4", "a.mp4.txt"}) {
            const auto result = checkVideoName(name);
            QVERIFY2(!result && result.error().code() == ErrorCode::InvalidArgument, name);
            QVERIFY2(result.error().message().find(".mp4'") != std::string::npos, result.error().message().c_str());
        }
        for (const char* name : {"r.json", "r.txt", "r", ""})
            QVERIFY2(checkDataName(name, "report"), name);
        for (const char* name : {"r.mp4", "r.JPG", "r.wav", "r.loquor"})
            QVERIFY2(!checkDataName(name, "report"), name);
        QVERIFY(checkSoundName("a.wav") && checkSoundName("a.MP3") && checkSoundName("a.flac") && !checkSoundName("a.ogg"));
        QVERIFY(checkProjectName("a.loquor") && !checkProjectName("a.mp4") && !checkProjectName("a"));
        RenderRequest request = good();
        request.output = m_root / "out.avi";
        QCOMPARE(codeOf(request), ErrorCode::InvalidArgument);
        request = good();
        request.timingOut = m_root / "out.mp3";
        QCOMPARE(codeOf(request), ErrorCode::InvalidArgument);
    }

    void a_label_that_cannot_be_drawn_is_told()
    {
        RenderRequest request = good();
        request.label.text = "AI \U0010FFFD";
        QCOMPARE(codeOf(request), ErrorCode::InvalidArgument);
        request.label.text = "AI";
        QCOMPARE(codeOf(request), ErrorCode::None);
    }

    void the_seed_depends_on_the_inputs_alone()
    {
        const auto seed = seedOf(good());
        QVERIFY(seed);
        RenderRequest other = good();
        other.output = m_root / "elsewhere.mp4";
        QCOMPARE(*seedOf(other), *seed);
        other.speech.text = "Good bye.";
        QVERIFY(*seedOf(other) != *seed);
        other = good();
        other.speech.audioFile = m_root / "speech.wav";
        QVERIFY(*seedOf(other) != *seed);
    }
};

LOQUOR_TEST(tst_outputfile)
#include "tst_outputfile.moc"
