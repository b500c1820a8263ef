#include "core/speech/transcribe.h"
#include "core/speech/utf8.h"
#include "core/speech/voice_activity.h"
#include "tests/core/speech/speech_support.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <cmath>
#include <cstring>
#include <thread>

using namespace loquor;
using namespace loquor::speech;
namespace fs = std::filesystem;

namespace {

constexpr const char* kKennedy = "and so my fellow americans ask not what your country can do for you ask what you can do for your country";

// 16 bit PCM at 16 kHz behind a header of 44 bytes, as the clips of the test media are.
AudioBlock readClip(const char* name)
{
    QFile file(QString::fromStdString((speechtest::dataFolder() / "media" / "test" / name).string()));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray bytes = file.readAll();
    const auto data = bytes.indexOf("data", 12) + 8;
    AudioBlock out{16000, 1, {}};
    for (auto i = data; i + 1 < bytes.size(); i += 2) {
        std::int16_t sample = 0;
        std::memcpy(&sample, bytes.data() + i, 2);
        out.samples.push_back(static_cast<float>(sample) / 32768.0f);
    }
    return out;
}

std::string plainWords(const std::string& text)
{
    return QString::fromStdString(foldedText(text)).remove(QRegularExpression("[^\\w\\s']")).simplified().toStdString();
}

} // namespace

class tst_transcribe : public QObject
{
    Q_OBJECT
    AudioBlock m_jfk = readClip("jfk.wav");

    // A data folder with the network that finds speech and, if wanted, a program that does as told.
    static fs::path makeData(const QTemporaryDir& folder, const char* program = nullptr)
    {
        const fs::path data = folder.path().toStdString();
        fs::create_directories(data / "models");
        fs::create_directory_symlink(speechtest::dataFolder() / "models" / "vad", data / "models" / "vad");
        if (program) {
            fs::create_directories(data / "asr" / "program");
            fs::create_directories(data / "asr" / "whisper-tiny-en");
            QFile model(QString::fromStdString((data / "asr" / "whisper-tiny-en" / "model.bin").string()));
            model.open(QIODevice::WriteOnly);
            QFile script(QString::fromStdString((data / "asr" / "program" / "loquor-transcribe").string()));
            script.open(QIODevice::WriteOnly);
            script.write(QByteArray("#!/bin/sh\n") + program + "\n");
            script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        }
        return data;
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(m_jfk.seconds() > 10, "run packaging/setup.sh --tests");
    }

    // Of the installed program, else of the tree it was built in; else it is said where it should be.
    void theInstallerOfPacksIsFound()
    {
        QTemporaryDir folder;
        const fs::path root = folder.path().toStdString();
        const auto make = [](const fs::path& file) {
            fs::create_directories(file.parent_path());
            QFile out(QString::fromStdString(file.string()));
            QVERIFY(out.open(QIODevice::WriteOnly));
        };
        const fs::path programs = root / "tree" / "build" / "ci" / "bin";
        fs::create_directories(programs);
        const auto missing = packInstaller(programs);
        QVERIFY(!missing);
        QCOMPARE(missing.error().code(), ErrorCode::NotFound);
        QVERIFY2(missing.error().message().find("share/loquor/setup/deps.py") != std::string::npos, missing.error().message().c_str());
        make(root / "tree" / "packaging" / "setup" / "deps.py");
        QCOMPARE(packInstaller(programs).value_or(""), root / "tree" / "packaging" / "setup" / "deps.py");
        make(root / "tree" / "build" / "ci" / "share" / "loquor" / "setup" / "deps.py");
        QCOMPARE(packInstaller(programs).value_or(""), root / "tree" / "build" / "ci" / "share" / "loquor" / "setup" / "deps.py");
        // What is built here finds its own, and it is whole.
        const auto own = packInstaller(LOQUOR_BIN_DIR);
        QVERIFY2(own, own ? "" : own.error().message().c_str());
        QVERIFY(fs::is_regular_file(own->parent_path() / "pins.txt"));
    }

    void speechIsFoundWhereItIs()
    {
        const auto spans = findSpeech(m_jfk, speechtest::dataFolder());
        QVERIFY2(spans.has_value(), spans ? "" : spans.error().text().c_str());
        QCOMPARE(spans->size(), std::size_t(4));
        // As the alignment of its text has it: "and so my fellow Americans", "ask not", "what your country ...", "ask what ...".
        const double starts[] = {0.29, 3.25, 5.37, 8.15}, ends[] = {2.2, 4.4, 7.6, 10.5};
        for (std::size_t i = 0; i < 4; ++i) {
            QVERIFY2(std::abs((*spans)[i].start - starts[i]) < 0.2, qPrintable(QString::number((*spans)[i].start)));
            QVERIFY2(std::abs((*spans)[i].end - ends[i]) < 0.2, qPrintable(QString::number((*spans)[i].end)));
        }
        QVERIFY(findSpeech({16000, 1, std::vector<float>(32000)}, speechtest::dataFolder())->empty());
        QVERIFY(findSpeech({16000, 1, {}}, speechtest::dataFolder())->empty());
        QCOMPARE(findSpeech({48000, 1, std::vector<float>(100)}, speechtest::dataFolder()).error().code(), ErrorCode::InvalidArgument);
    }

    void speechWithoutAPauseIsCut()
    {
        AudioBlock longer{16000, 1, {}};
        for (int i = 0; i < 25; ++i) // "and so my fellow Americans", with no time to breathe
            longer.samples.insert(longer.samples.end(), m_jfk.samples.begin() + 5000, m_jfk.samples.begin() + 34000);
        const auto spans = findSpeech(longer, speechtest::dataFolder());
        QVERIFY(spans.has_value() && spans->size() >= 2);
        double end = 0;
        for (const SpeechSpan& span : *spans) {
            QVERIFY(span.start >= end && span.end > span.start && span.end - span.start <= kLongestSpan + 0.001);
            end = span.end;
        }
        QVERIFY(end <= longer.seconds());
    }

    void kennedyIsUnderstoodWithoutAnError()
    {
        std::vector<double> progress;
        TranscribeOptions options;
        options.pack = "whisper-tiny-en";
        options.progress = [&](double done) { progress.push_back(done); };
        const auto heard = transcribe(m_jfk, options, speechtest::dataFolder());
        QVERIFY2(heard.has_value(), heard ? "" : heard.error().text().c_str());
        QCOMPARE(plainWords(heard->text()), std::string(kKennedy));
        QCOMPARE(heard->language, std::string("en-us"));
        QCOMPARE(heard->pack, std::string("whisper-tiny-en"));
        QVERIFY(heard->warnings.empty());
        QVERIFY(!progress.empty() && progress.back() > 0.9);
        double last = 0;
        for (const TranscriptLine& line : heard->lines) {
            QVERIFY(line.start >= last && line.end >= line.start && line.end <= m_jfk.seconds());
            last = line.start;
        }
    }

    void withoutAPackThereAreLinesWithoutWords()
    {
        const QTemporaryDir folder;
        const fs::path data = makeData(folder);
        QVERIFY(!packFor("", data));
        const auto heard = transcribe(m_jfk, {}, data);
        QVERIFY2(heard.has_value(), heard ? "" : heard.error().text().c_str());
        QVERIFY(heard->pack.empty() && heard->text().empty());
        QVERIFY(heard->lines.size() >= 3);
        QVERIFY(std::abs(heard->lines[0].start - 0.29) < 0.2);
        QCOMPARE(heard->warnings.size(), std::size_t(1));
        QVERIFY(heard->warnings[0].find("packs install whisper-tiny-en") != std::string::npos);
        TranscribeOptions german;
        german.language = "de";
        QVERIFY(transcribe(m_jfk, german, data)->warnings[0].find("whisper-base") != std::string::npos);
    }

    void whatIsNotThereIsSaid()
    {
        const QTemporaryDir folder;
        const fs::path data = makeData(folder);
        TranscribeOptions options;
        options.pack = "whisper-base";
        const auto missing = transcribe(m_jfk, options, data);
        QCOMPARE(missing.error().code(), ErrorCode::NotFound);
        QVERIFY(missing.error().message().find("packs install whisper-base") != std::string::npos);
        options.pack = "nothing";
        QCOMPARE(transcribe(m_jfk, options, data).error().code(), ErrorCode::InvalidArgument);
        QCOMPARE(transcribe({16000, 1, std::vector<float>(32000)}, {}, data).error().code(), ErrorCode::EmptyInput);
        QCOMPARE(removePack(*speechPack("whisper-base"), data).error().code(), ErrorCode::InvalidArgument);
        const QTemporaryDir empty;
        const auto noModel = transcribe(m_jfk, {}, empty.path().toStdString());
        QCOMPARE(noModel.error().code(), ErrorCode::NotFound);
        QVERIFY(noModel.error().message().find("setup.sh") != std::string::npos);
    }

    void aHelperThatFailsIsAnError_data()
    {
        QTest::addColumn<QByteArray>("program");
        QTest::addColumn<int>("code");
        QTest::newRow("ends at once") << QByteArray("exit 3") << static_cast<int>(ErrorCode::ConnectionLost);
        QTest::newRow("talks nonsense") << QByteArray("while read x; do echo hello; done") << static_cast<int>(ErrorCode::Corrupt);
        QTest::newRow("refuses") << QByteArray("while read x; do echo '{\"ok\": false, \"error\": \"why\"}'; done")
                                 << static_cast<int>(ErrorCode::InvalidArgument);
        QTest::newRow("ends in the middle") << QByteArray("read x; echo '{\"ok\": true}'; exit 0") << static_cast<int>(ErrorCode::ConnectionLost);
        QTest::newRow("hears nothing") << QByteArray("read x; echo '{\"ok\": true}'; while read a b n; do head -c $((n * 4)) > /dev/null; "
                                                     "echo '{\"ok\": true, \"segments\": []}'; done")
                                       << static_cast<int>(ErrorCode::EmptyInput);
    }
    void aHelperThatFailsIsAnError()
    {
        QFETCH(QByteArray, program);
        QFETCH(int, code);
        const QTemporaryDir folder;
        const auto heard = transcribe(m_jfk, {}, makeData(folder, program.constData()));
        QVERIFY(!heard);
        QVERIFY2(static_cast<int>(heard.error().code()) == code, heard.error().text().c_str());
    }

    void cancelIsSeenWhileTheHelperWorks()
    {
        const QTemporaryDir folder;
        const fs::path data = makeData(folder, "read x; echo '{\"ok\": true}'; sleep 60");
        CancelSource source;
        std::thread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            source.cancel();
        });
        const auto heard = transcribe(m_jfk, {}, data, source.token());
        later.join();
        QVERIFY(!heard && heard.error().isCancelled());
    }

    void theSmallestPackThatSuitsIsChosen()
    {
        const QTemporaryDir folder;
        const fs::path data = makeData(folder, "exit 1");
        QCOMPARE(packFor("", data), speechPack("whisper-tiny-en"));
        QCOMPARE(packFor("en-gb", data), speechPack("whisper-tiny-en"));
        QVERIFY(!packFor("vi", data));
        fs::create_directories(data / "asr" / "whisper-base");
        fs::copy_file(data / "asr" / "whisper-tiny-en" / "model.bin", data / "asr" / "whisper-base" / "model.bin");
        QCOMPARE(packFor("vi", data), speechPack("whisper-base"));
        QCOMPARE(packFor("en", data), speechPack("whisper-tiny-en"));
        QCOMPARE(packFor("", data), speechPack("whisper-base")); // it hears which language it is
        QVERIFY(removePack(*speechPack("whisper-tiny-en"), data).has_value());
        QVERIFY(fs::exists(data / "asr" / "program"));
        QVERIFY(removePack(*speechPack("whisper-base"), data).has_value());
        QVERIFY(!fs::exists(data / "asr" / "program"));
    }

    // What users are told of a pack is what set-up installs.
    void packsAndPinsAgree()
    {
        QFile pins(QString(LOQUOR_SOURCE_DIR) + "/packaging/setup/pins.txt");
        QVERIFY(pins.open(QIODevice::ReadOnly));
        QStringList groups;
        for (const QString& line : QString::fromUtf8(pins.readAll()).split('\n')) {
            const QStringList parts = line.simplified().split(' ');
            if (parts.size() == 6 && parts[5].startsWith("whisper-")) {
                QCOMPARE(parts[4], QString("MIT"));
                groups << parts[5];
            }
        }
        for (const SpeechPack& pack : speechPacks()) {
            QVERIFY2(groups.contains(QString::fromUtf8(pack.name.data(), static_cast<qsizetype>(pack.name.size()))), pack.name.data());
            QCOMPARE(std::string(pack.licence), std::string("MIT"));
        }
    }
};

LOQUOR_TEST(tst_transcribe)
#include "tst_transcribe.moc"
