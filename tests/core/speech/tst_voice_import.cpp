#include "core/platform/atomic_file.h"
#include "core/speech/loudness.h"
#include "core/speech/onnx_message.h"
#include "core/speech/piper_graph.h"
#include "core/speech/script.h"
#include "core/speech/voice.h"
#include "core/speech/voice_import.h"
#include "tests/core/speech/speech_support.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace loquor;
using namespace loquor::speech;
namespace fs = std::filesystem;

namespace {

constexpr const char* kId = "en_US-joe-medium";

fs::path rawModel()
{
    return speechtest::dataFolder() / "media" / "test-voice" / "en_US-joe-medium.onnx";
}

std::string contentOf(const fs::path& file)
{
    const auto text = platform::readTextFile(file, 1ULL << 30);
    return text ? *text : std::string();
}

void writeTo(const fs::path& file, const std::string& content)
{
    QFile out(QString::fromStdString(file.string()));
    QVERIFY(out.open(QIODevice::WriteOnly));
    QCOMPARE(out.write(content.data(), static_cast<qint64>(content.size())), static_cast<qint64>(content.size()));
}

// The model with each field of its graph replaced by what `change` gives, and more behind.
std::string editedModel(const std::string& model, const std::function<std::string(const onnx::Field&)>& change, const std::string& more = {})
{
    std::string out;
    onnx::Fields fields(model);
    for (onnx::Field f; fields.next(f);) {
        if (f.number != onnx::kModelGraph) {
            out += f.whole;
            continue;
        }
        std::string graph;
        onnx::Fields parts(f.bytes);
        for (onnx::Field part; parts.next(part);)
            graph += change(part);
        out += onnx::textField(f.number, graph + more);
    }
    return out;
}

// The same node of another kind.
std::string renamedNode(const onnx::Field& f, std::string_view from, std::string_view to)
{
    if (f.number != onnx::kGraphNode || onnx::textOf(f.bytes, onnx::kNodeKind) != from)
        return std::string(f.whole);
    std::string node;
    onnx::Fields parts(f.bytes);
    for (onnx::Field part; parts.next(part);)
        node += part.number == onnx::kNodeKind ? onnx::textField(part.number, to) : std::string(part.whole);
    return onnx::textField(f.number, node);
}

// Joe's model has a constant of the name that speakers come in by.
std::string withoutSid(const onnx::Field& f)
{
    const bool isNode = f.number == onnx::kGraphNode;
    if (!isNode && f.number != onnx::kGraphInitializer)
        return std::string(f.whole);
    std::string out;
    onnx::Fields parts(f.bytes);
    for (onnx::Field part; parts.next(part);) {
        const bool names = part.number == (isNode ? onnx::kNodeInput : 8U) && part.bytes == "sid";
        out += names ? onnx::textField(part.number, "sid_was") : std::string(part.whole);
    }
    return onnx::textField(f.number, out);
}

std::string same(const onnx::Field& f)
{
    return std::string(f.whole);
}

} // namespace

class tst_voice_import : public QObject
{
    Q_OBJECT
    std::shared_ptr<PhonemeClient> m_client = speechtest::makeClient();
    QTemporaryDir m_files;
    std::string m_model, m_config;

    fs::path file(const char* name) const { return fs::path(m_files.path().toStdString()) / name; }
    fs::path makeData(const QTemporaryDir& folder) const
    {
        const fs::path data = folder.path().toStdString();
        fs::create_directory_symlink(speechtest::dataFolder() / "deps", data / "deps");
        return data;
    }
    // Nothing but whole voices may ever lie there.
    static QStringList voicesIn(const fs::path& data)
    {
        return QDir(QString::fromStdString((data / "voices").string())).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }
    Error refused(const fs::path& model, const fs::path& config = {})
    {
        const QTemporaryDir folder;
        const fs::path data = makeData(folder);
        VoiceImport request;
        request.model = model;
        request.config = config;
        const auto result = importVoice(request, data, m_client);
        if (result || !voicesIn(data).isEmpty())
            return Error(ErrorCode::None, "it was imported, or something was left behind");
        return result.error();
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_model = contentOf(rawModel());
        m_config = contentOf(rawModel().string() + ".json");
        QVERIFY2(m_model.size() > 60'000'000, "run packaging/setup.sh --tests");
    }

    // Set-up does it in Python, because nothing is built then.
    void theProgramMakesTheSameOfAVoiceAsSetUp()
    {
        const auto config = readPiperConfig(m_config);
        QVERIFY2(config.has_value(), config ? "" : config.error().text().c_str());
        const auto graph = patchPiperModel(m_model, *config, Durations::Append);
        QVERIFY2(graph.has_value(), graph ? "" : graph.error().text().c_str());
        const fs::path installed = speechtest::dataFolder() / "voices" / kId;
        QVERIFY(graph->givesDurations && graph->isRepeatable);
        QVERIFY(graph->model == contentOf(installed / "model.onnx"));
        QCOMPARE(config->tokens, contentOf(installed / "tokens.txt"));
    }

    void anImportedVoiceSpeaksLikeAnyOther()
    {
        const QTemporaryDir folder;
        const fs::path data = makeData(folder);
        VoiceImport request;
        request.model = rawModel();
        request.name = "Joseph";
        const auto imported = importVoice(request, data, m_client);
        QVERIFY2(imported.has_value(), imported ? "" : imported.error().text().c_str());
        QCOMPARE(imported->voice.id, std::string(kId));
        QCOMPARE(imported->voice.name, std::string("Joseph"));
        QCOMPARE(imported->voice.language, std::string("en-us"));
        QCOMPARE(imported->voice.sampleRate, 22050);
        QVERIFY(imported->voice.supports.exactTiming && imported->voice.isRepeatable);
        QVERIFY2(imported->voice.licence.find("CC0") != std::string::npos, imported->voice.licence.c_str());
        QVERIFY(fs::exists(imported->voice.modelCard));
        QVERIFY(imported->warnings.empty());
        QCOMPARE(voicesIn(data), QStringList{kId});

        const auto choice = chooseVoice(listVoices(data), kId, "", "Hello.");
        QVERIFY(choice.has_value());
        const auto voice = openVoice(choice->voice, m_client);
        QVERIFY(voice.has_value());
        const auto said = (*voice)->synthesize({"The birch canoe slid on the smooth planks, and glue the sheet to the dark blue background.", 0, true}, {}, {});
        QVERIFY(said.has_value());
        QCOMPARE(QString::fromStdString(speechtest::brokenRule(said->timing)), QString());
        QCOMPARE(said->timing.words.size(), std::size_t(16));
        const auto loudness = measureLoudness(said->audio);
        QVERIFY2(std::abs(loudness->lufs - kTargetLufs) < 1.5, qPrintable(QString::number(loudness->lufs)));

        // A second time: by its id, then under another.
        QCOMPARE(importVoice(request, data, m_client).error().code(), ErrorCode::AlreadyExists);
        request.id = "another";
        const auto twice = importVoice(request, data, m_client);
        QVERIFY(!twice && twice.error().message().find(kId) != std::string::npos);
        request.id.clear();
        request.replace = true;
        request.name = "Joe again";
        QVERIFY(importVoice(request, data, m_client).has_value());
        QCOMPARE(voicesIn(data), QStringList{kId});
        QCOMPARE(listVoices(data)[0].name, std::string("Joe again"));

        QVERIFY(removeVoice(kId, data).has_value());
        QVERIFY(voicesIn(data).isEmpty());
        QCOMPARE(removeVoice(kId, data).error().code(), ErrorCode::InvalidArgument);
        QCOMPARE(removeVoice("espeak-vi", data).error().code(), ErrorCode::InvalidArgument);
    }

    // Rate 16 kHz, two speakers (the second half as loud), names with a gap.
    void speakersAreChosenByNameOrNumber()
    {
        const QTemporaryDir folder;
        const fs::path data = makeData(folder);
        const std::string sid = onnx::textField(1, "sid") + onnx::textField(2, onnx::textField(1, onnx::numberField(1, onnx::kInt64)));
        std::string first = editedModel(
            m_model,
            [](const onnx::Field& f) {
                if (f.number == onnx::kGraphOutput)
                    return onnx::textField(f.number, onnx::withoutShape(f.bytes, "quieter"));
                return withoutSid(f);
            },
            onnx::textField(onnx::kGraphInput, sid) +
                onnx::node("Cast", {"sid"}, "sid_float", "_t", onnx::integerAttribute("to", onnx::kFloat)) +
                onnx::node("Neg", {"sid_float"}, "sid_below", "_t") + onnx::node("Exp", {"sid_below"}, "sid_gain", "_t") +
                onnx::node("Mul", {"output", "sid_gain"}, "quieter", "_t"));
        writeTo(file("two.onnx"), first);
        std::string config = m_config;
        config.replace(config.find("22050"), 5, "16000");
        config.replace(config.find("\"speaker_id_map\": {}"), 20, "\"speaker_id_map\": {\"ann\": 1}");
        const auto speakers = config.find("\"num_speakers\": 1");
        QVERIFY(speakers != std::string::npos);
        config.replace(speakers, 17, "\"num_speakers\": 2");
        writeTo(file("two.json"), config);
        VoiceImport request;
        request.model = file("two.onnx");
        const auto imported = importVoice(request, data, m_client);
        QVERIFY2(imported.has_value(), imported ? "" : imported.error().text().c_str());
        QCOMPARE(imported->voice.sampleRate, 16000);
        QCOMPARE(imported->voice.speakers, (std::vector<std::string>{"0", "ann"}));
        QCOMPARE(imported->warnings.size(), std::size_t(1)); // no licence known
        const auto voices = listVoices(data);
        std::vector<SpokenSound> said;
        for (const char* id : {"two", "two:ann", "two:1"}) {
            const auto choice = chooseVoice(voices, id, "", "Hello.");
            QVERIFY2(choice.has_value(), choice ? "" : choice.error().text().c_str());
            QCOMPARE(choice->voice.id, std::string(id));
            const auto voice = openVoice(choice->voice, m_client);
            QVERIFY(voice.has_value());
            QCOMPARE((*voice)->description().id, std::string(id));
            auto sound = (*voice)->synthesize({"Hello there, everybody.", 0, true}, {}, {});
            QVERIFY2(sound.has_value(), sound ? "" : sound.error().text().c_str());
            QCOMPARE(QString::fromStdString(speechtest::brokenRule(sound->timing)), QString());
            said.push_back(std::move(*sound));
        }
        QCOMPARE(said[0].audio.sampleRate, 16000);
        QCOMPARE(said[0].audio.samples.size(), said[1].audio.samples.size());
        QVERIFY(said[1].audio.samples == said[2].audio.samples);
        QVERIFY(measureLoudness(said[0].audio)->lufs - measureLoudness(said[1].audio)->lufs > 4);
        const auto nobody = chooseVoice(voices, "two:bob", "", "Hello.");
        QVERIFY(!nobody && nobody.error().message().find("ann") != std::string::npos);
        QVERIFY(!chooseVoice(voices, "two:2", "", "Hello."));
    }

    // Its times are measured on its sound then, and the user is told.
    void aModelWithoutDurationsIsImportedAndSaysSo()
    {
        const QTemporaryDir folder;
        const fs::path data = makeData(folder);
        writeTo(file("plain.onnx"), editedModel(m_model, [](const onnx::Field& f) { return renamedNode(f, "Ceil", "Round"); }));
        VoiceImport request;
        request.model = file("plain.onnx");
        request.config = rawModel().string() + ".json";
        const auto imported = importVoice(request, data, m_client);
        QVERIFY2(imported.has_value(), imported ? "" : imported.error().text().c_str());
        QVERIFY(!imported->voice.supports.exactTiming);
        QVERIFY(!imported->voice.note.empty());
        QCOMPARE(imported->warnings.size(), std::size_t(2));
        const auto choice = chooseVoice(listVoices(data), "plain", "", "Hello.");
        QVERIFY(choice->note.find("measured") != std::string::npos);
        const auto voice = openVoice(choice->voice, m_client);
        const auto exact = openVoice(chooseVoice(listVoices(speechtest::dataFolder()), kId, "", "Hello.")->voice, m_client);
        QVERIFY(voice.has_value() && exact.has_value());
        const Utterance u{"The birch canoe slid on the smooth planks.", 10, true};
        const auto measured = (*voice)->synthesize(u, {}, {});
        const auto known = (*exact)->synthesize(u, {}, {});
        QVERIFY2(measured.has_value(), measured ? "" : measured.error().text().c_str());
        QCOMPARE(QString::fromStdString(speechtest::brokenRule(measured->timing)), QString());
        QVERIFY(measured->timing.source == TimingSource::Alignment);
        // The voice says some words as one ("on the"), the aligner does not.
        QVERIFY(measured->timing.words.size() >= known->timing.words.size());
        for (const Word& b : known->timing.words) {
            const auto& words = measured->timing.words;
            const auto a = std::find_if(words.begin(), words.end(), [&](const Word& w) { return w.textBegin == b.textBegin; });
            QVERIFY2(a != words.end(), b.text.c_str());
            // Rounded instead of raised durations shift the sounds a little, too.
            QVERIFY2(std::abs(a->start * known->audio.seconds() / measured->audio.seconds() - b.start) < 0.12, a->text.c_str());
        }
    }

    void filesThatAreNoVoiceAreRefusedInWords_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QString>("word");
        QTest::addColumn<int>("code");
        const QByteArray config = "{\"audio\":{\"sample_rate\":22050},\"espeak\":{\"voice\":\"en-us\"},\"phoneme_id_map\":{\"_\":[0],\"^\":[1],\"$\":[2]}}";
        const auto edited = [&](const char* from, const char* to) { return QByteArray(config).replace(from, to); };
        const auto corrupt = static_cast<int>(ErrorCode::Corrupt), other = static_cast<int>(ErrorCode::Unsupported);
        const QByteArray picture = QByteArray::fromHex("89504e470d0a1a0a0000000d49484452");
        QTest::newRow("a picture") << picture << config << "no ONNX model" << corrupt;
        QTest::newRow("an empty file") << QByteArray() << config << "no ONNX model" << corrupt;
        // A graph that takes "x".
        const QByteArray foreign = QByteArray::fromHex("08083a0a5a030a0178620312017942040a001010");
        QTest::newRow("another network") << foreign << config << "takes (x)" << other;
        QTest::newRow("JSON of something else") << foreign << QByteArray("{\"a\": 1}") << "not the configuration" << corrupt;
        QTest::newRow("no JSON") << foreign << QByteArray("hello") << "makes no sense" << corrupt;
        QTest::newRow("phonemes of another kind") << foreign << edited("{\"audio\"", "{\"phoneme_type\":\"text\",\"audio\"") << "'text'" << other;
        QTest::newRow("impossible rate") << foreign << edited("22050", "5") << "sample rate" << corrupt;
        QTest::newRow("a number as text") << foreign << edited("22050", "\"x\"") << "whole number" << corrupt;
        QTest::newRow("no phonemes") << foreign << edited("\"_\":[0],", "") << "marks" << corrupt;
        QTest::newRow("a list as phonemes") << foreign << edited("{\"_\":[0],\"^\":[1],\"$\":[2]}", "[1,2]") << "" << corrupt;
    }
    void filesThatAreNoVoiceAreRefusedInWords()
    {
        QFETCH(QByteArray, model);
        QFETCH(QByteArray, config);
        QFETCH(QString, word);
        QFETCH(int, code);
        writeTo(file("x.onnx"), model.toStdString());
        writeTo(file("x.onnx.json"), config.toStdString());
        const Error error = refused(file("x.onnx"));
        QVERIFY2(error.message().find(word.toStdString()) != std::string::npos, error.text().c_str());
        QVERIFY2(error.message().find("x.onnx") != std::string::npos, error.text().c_str());
        QCOMPARE(static_cast<int>(error.code()), code);
    }

    void missingFilesAreNamed()
    {
        const Error model = refused(file("none.onnx"));
        QCOMPARE(model.code(), ErrorCode::NotFound);
        QVERIFY(model.message().find("none.onnx") != std::string::npos);
        writeTo(file("alone.onnx"), "x");
        const Error config = refused(file("alone.onnx"));
        QCOMPARE(config.code(), ErrorCode::NotFound);
        QVERIFY(config.message().find("alone.onnx.json") != std::string::npos);
    }

    // What a broken download, a file of another program's and a stranger's language look like.
    void damagedVoicesAreRefusedInWords_data()
    {
        QTest::addColumn<QString>("damage");
        QTest::addColumn<QString>("word");
        QTest::newRow("cut off") << "cut" << "only the beginning";
        QTest::newRow("an operation that does not exist") << "node" << "cannot be run";
        QTest::newRow("a language that espeak-ng does not know") << "language" << "xx-yy";
        QTest::newRow("speakers that the model does not have") << "speakers" << "sid";
    }
    void damagedVoicesAreRefusedInWords()
    {
        QFETCH(QString, damage);
        QFETCH(QString, word);
        std::string model = m_model, config = m_config;
        if (damage == "cut")
            model.resize(model.size() / 2);
        else if (damage == "node")
            model = editedModel(model, [](const onnx::Field& f) { return renamedNode(f, "Softplus", "Softminus"); });
        else if (damage == "language")
            config.replace(config.find("\"voice\": \"en-us\"") + 10, 5, "xx-yy");
        else
            config.replace(config.find("\"num_speakers\": 1") + 16, 1, "3");
        writeTo(file("y.onnx"), model);
        writeTo(file("y.onnx.json"), config);
        const Error error = refused(file("y.onnx"));
        QVERIFY2(error.message().find(word.toStdString()) != std::string::npos, error.text().c_str());
    }

    void aFullDiskLeavesNothingBehind()
    {
        const QTemporaryDir folder;
        const fs::path data = folder.path().toStdString();
        fs::create_directories(data / "voices");
        test::SmallDisk disk(data / "voices", 20); // a voice takes 64 MB
        VoiceImport request;
        request.model = rawModel();
        const auto result = importVoice(request, data, m_client);
        QVERIFY(!result);
        QCOMPARE(result.error().code(), ErrorCode::DiskFull);
        QVERIFY(voicesIn(data).isEmpty());
    }

    void cancelLeavesNothingBehind()
    {
        const QTemporaryDir folder;
        const fs::path data = makeData(folder);
        VoiceImport request;
        request.model = rawModel();
        CancelSource source;
        source.cancel();
        const auto result = importVoice(request, data, m_client, source.token());
        QVERIFY(!result && result.error().isCancelled());
        QVERIFY(voicesIn(data).isEmpty());
    }

    void modelsAreWalkedWithoutReadingBeyond()
    {
        const auto config = readPiperConfig(m_config);
        QVERIFY(config.has_value());
        std::string model = editedModel(m_model, [](const onnx::Field& f) { return f.number == onnx::kGraphInitializer ? std::string() : same(f); });
        QVERIFY(patchPiperModel(model, *config, Durations::Append).has_value());
        for (std::size_t size = 1; size < model.size(); size += 997)
            QVERIFY(!patchPiperModel(std::string_view(model).substr(0, size), *config, Durations::Append).has_value() || size > model.size() - 64);
    }
};

LOQUOR_TEST(tst_voice_import)
#include "tst_voice_import.moc"
