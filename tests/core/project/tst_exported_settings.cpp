#include "core/base/json.h"
#include "core/project/exported_settings.h"

#include <algorithm>
#include <functional>

#include "core/project/ids.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::project;
namespace fs = std::filesystem;

namespace {

Document sample()
{
    Document document;
    document.id = 0xABCDEF;
    Scene& scene = document.scenes[0];
    scene.reference = {"/users/anna/private photos/Zoë 🙂.jpg", 2, "2026-11-30T10:00:00Z"};
    scene.background = "/users/anna/walls/blue.png";
    scene.speech.voice = "joe";
    scene.prompt = "calm";
    scene.leadIn = " ";
    scene.lines = {makeLine(1, "One."), makeLine(0xFFFFFFFFFFFFFFFFULL, "Two [nod].")};
    scene.lines[0].after = " ";
    scene.lines[1].prompt = "smiling";
    scene.lines[1].pauseAfter = 0.4;
    scene.lines[1].takeSeed = 0xFFFFFFFFFFFFFFFEULL;
    scene.lines[1].chosenTake = 99;
    scene.lines[1].preserved = R"({"note":"/users/anna/secret"})";
    document.output = {720, 900, Rational::make(30000, 1001), Framing::Fit, std::nullopt, "/users/anna/packs/mine"};
    document.preserved = R"({"lastFolder":"/users/anna"})";
    return document;
}

ExportFacts facts()
{
    ExportFacts out;
    out.product = "Loquor 9";
    out.packLabel = "mine 3";
    out.weights = {{"mesh", "aa11"}, {"motion", "bb22"}};
    out.seed = 18446744073709551615ULL;
    out.fileHashes = {{sample().scenes[0].reference.file, "c0ffee"}};
    return out;
}

void compareError(const Result<ImportedSettings>& result, ErrorCode code, const char* mentions)
{
    QVERIFY(!result);
    QCOMPARE(result.error().code(), code);
    QVERIFY2(result.error().text().find(mentions) != std::string::npos, result.error().text().c_str());
}

} // namespace

class tst_exported_settings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void case_158_theWayThereAndBack()
    {
        const auto json = exportedSettings(sample(), facts());
        QVERIFY(json);
        const auto back = projectFromSettings(*json, "/new");
        QVERIFY2(back, back ? "" : back.error().text().c_str());
        QCOMPARE(back->facts.product, std::string("Loquor 9"));
        QCOMPARE(back->facts.packLabel, std::string("mine 3"));
        QCOMPARE(back->facts.weights, facts().weights);
        QCOMPARE(back->facts.seed, facts().seed);
        Document expected = sample();
        expected.preserved = back->document.preserved;
        expected.output.seed = facts().seed;
        expected.output.pack = "mine";
        Scene& scene = expected.scenes[0];
        scene.reference.file = "/new/Zoë 🙂.jpg";
        scene.reference.consentAt.clear();
        scene.background = "/new/blue.png";
        scene.lines[1].preserved.clear();
        scene.lines[1].chosenTake = 0;
        QVERIFY(back->document == expected);
        QCOMPARE(back->sources.size(), std::size_t(2));
        QCOMPARE(back->sources[0].file, fs::path("/new/Zoë 🙂.jpg"));
        QCOMPARE(back->sources[0].sha256, std::string("c0ffee"));
        QCOMPARE(back->sources[1].sha256, std::string());
        QVERIFY(back->document.preserved.find("c0ffee") == std::string::npos);
    }

    void nothingOfTheMachineTravels()
    {
        const auto json = exportedSettings(sample(), facts());
        QVERIFY(json);
        for (const char* secret : {"anna", "/users", "private", "walls", "secret", "lastFolder", "2026-11-30T10"})
            QVERIFY2(json->find(secret) == std::string::npos, secret);
        QVERIFY(json->find("Zoë 🙂.jpg") != std::string::npos);
    }

    void aHostileVideoCannotPointElsewhere()
    {
        auto root = nlohmann::ordered_json::parse(*exportedSettings(sample(), facts()));
        root["project"]["scenes"][0]["reference"]["file"] = {{"path", "../../etc/passwd"}, {"absolute", "/etc/passwd"}};
        root["project"]["output"]["pack"] = "../../evil";
        root["project"]["scenes"][0]["background"]["picture"] = {{"absolute", "/etc/shadow"}};
        const auto back = projectFromSettings(root.dump(), "/new");
        QVERIFY(back);
        QCOMPARE(back->document.scenes[0].reference.file, fs::path("/new/passwd"));
        QCOMPARE(back->document.scenes[0].background, std::string("/new/shadow"));
        QCOMPARE(back->document.output.pack, std::string("evil"));
        for (const SourceFile& source : back->sources)
            QCOMPARE(source.file.parent_path(), fs::path("/new"));
    }

    void recordingsTravelByNameAndContent()
    {
        Document document = sample();
        for (Line& line : document.scenes[0].lines)
            line.recording = Recording{"/users/anna/private/talk.wav", "5eed", 1920, 96'000};
        ExportFacts more = facts();
        more.fileHashes["/users/anna/private/talk.wav"] = "5eed";
        const std::string json = *exportedSettings(document, more);
        QVERIFY(json.find("anna") == std::string::npos);
        auto back = projectFromSettings(json, "/new");
        QVERIFY2(back, back ? "" : back.error().text().c_str());
        QCOMPARE(std::count(back->sources.begin(), back->sources.end(), SourceFile{"/new/talk.wav", "5eed"}), 1);
        const Recording expected{"/new/talk.wav", "5eed", 1920, 96'000};
        QVERIFY(back->document.scenes[0].lines[1].recording == expected);
        replaceFile(back->document, "/new/talk.wav", "/found/talk.wav");
        QCOMPARE(back->document.scenes[0].lines[0].recording->file, fs::path("/found/talk.wav"));
    }

    void damagedSettingsSayWhatIsWrong()
    {
        const std::string good = *exportedSettings(sample(), facts());
        compareError(projectFromSettings(good.substr(0, good.size() / 2), "/n"), ErrorCode::Corrupt, "JSON");
        compareError(projectFromSettings("", "/n"), ErrorCode::Corrupt, "JSON");
        compareError(projectFromSettings("[]", "/n"), ErrorCode::Corrupt, "not of this program");
        auto root = nlohmann::ordered_json::parse(good);
        const auto changed = [&](const std::function<void(nlohmann::ordered_json&)>& change) {
            auto copy = root;
            change(copy);
            return projectFromSettings(copy.dump(), "/n");
        };
        compareError(changed([](auto& j) { j["version"] = 2; }), ErrorCode::Unsupported, "newer");
        compareError(changed([](auto& j) { j["version"] = "1"; }), ErrorCode::Corrupt, "version");
        compareError(changed([](auto& j) { j["project"]["version"] = 99; }), ErrorCode::Unsupported, "newer");
        compareError(changed([](auto& j) { j.erase("project"); }), ErrorCode::Corrupt, "no project");
        compareError(changed([](auto& j) { j["project"]["scenes"][0]["lines"] = 5; }), ErrorCode::Corrupt, "lines");
        QVERIFY(changed([](auto& j) { j["pack"] = 5; j["seed"] = "x"; j["new"] = 1; }));
    }
};

LOQUOR_TEST(tst_exported_settings)
#include "tst_exported_settings.moc"
