#include "core/platform/atomic_file.h"
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
        QVERIFY(platform::writeFile(m_root / "photo.png", std::string("p")));
        QVERIFY(platform::writeFile(m_root / "speech.wav", std::string("s")));
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
        request.output = m_root / "speech.wav";
        QCOMPARE(codeOf(request), ErrorCode::AlreadyExists);
        request.overwrite = true;
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
