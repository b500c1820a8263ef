// The avatar engine's stages: whole chunks against the traces of the published code, joins, and what goes wrong.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <QTemporaryDir>

#include "app/parity/golden_case.h"
#include "core/modules/wan/wan_transformer.h"
#include "core/modules/wan/wan_vae.h"
#include "core/packs/tiny_packs.h"
#include "core/pipeline/pipeline.h"
#include "core/stages/avatar/tensors.h"
#include "core/weights/network_specs.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::stages;
using pipeline::ChunkSpec;

namespace {

ChunkSpec chunkOf(int index, int frames = 28)
{
    ChunkSpec chunk;
    chunk.index = chunk.indexInLine = index;
    chunk.frames = frames;
    chunk.firstFrame = index * 28;
    chunk.seed = 40u + static_cast<unsigned>(index);
    return chunk;
}

// Networks and inputs of a folder of references.
struct Recorded
{
    std::unique_ptr<parity::GoldenCase> golden;
    std::shared_ptr<AvatarNetworks> networks = std::make_shared<AvatarNetworks>();
    AvatarReferencePtr reference;
    int height = 0, width = 0;
    std::filesystem::path folder;

    Result<modules::Parameters> load(const char* file, const weights::CheckpointSpec& spec) const
    {
        LQ_TRY(const auto checkpoint, weights::Checkpoint::open(folder / file));
        return modules::Parameters::load(checkpoint, spec, networks->placement);
    }
    // Weights of the video network whose names `poison` is found in become no numbers; of the decoder, nothing.
    Result<void> open(const std::string& name, AvatarModel model, const std::string& poison = {}, const std::string& silence = {})
    {
        folder = std::filesystem::path(LOQUOR_TEST_DATA) / "golden" / name;
        LQ_TRY(golden, parity::GoldenCase::open(folder));
        const nlohmann::json& config = golden->config();
        networks->plan.model = model;
        const auto path = model == AvatarModel::FlashTalk ? weights::AudioPath::Extra : weights::AudioPath::InsteadOfText;
        LQ_TRY(networks->videoConfig, weights::readWanDitConfig(config.at("dit").dump(), golden->configFile(), path));
        LQ_TRY(auto video, load("weights.safetensors", weights::wanDitSpec(networks->videoConfig)));
        weights::WanVaeConfig codec;
        codec.base = config.at("vae").at("base_dim").get<std::int64_t>();
        LQ_TRY(auto vae, load("vae_weights.safetensors", weights::wanVaeSpec(codec)));
        if (!poison.empty() && video.scale(poison, std::numeric_limits<double>::quiet_NaN()) == 0)
            return fail(ErrorCode::Internal, "nothing was poisoned");
        if (!silence.empty() && vae.scale(silence, 0) == 0)
            return fail(ErrorCode::Internal, "nothing was silenced");
        networks->video = std::make_unique<modules::WanTransformer>(networks->videoConfig, video);
        networks->vae = std::make_unique<modules::WanVae>(codec, vae);
        const at::Tensor picture = golden->io("cond_image");
        height = static_cast<int>(picture.size(3));
        width = static_cast<int>(picture.size(4));
        const bool reads = model == AvatarModel::FlashTalk;
        reference = makeAvatarReference(*networks, picture, reads ? golden->io("text").unsqueeze(0) : at::Tensor(), reads ? golden->io("clip") : at::Tensor());
        return {};
    }
    AvatarOptions options()
    {
        AvatarOptions out;
        out.width = width;
        out.height = height;
        out.noise = [this](const ChunkSpec& chunk, int draw, const std::vector<std::int64_t>&) {
            const std::string name = "chunk" + std::to_string(chunk.index) + '.';
            return golden->io(draw == 0 ? name + "noise_init" : name + "step" + std::to_string(draw - 1) + ".noise").unsqueeze(0);
        };
        return out;
    }
    TensorPtr hearing(int chunk) const { return boxed(golden->io("chunk" + std::to_string(chunk) + ".audio")); }
};

// The chunks of a trace, one after another.
class TwoChunks : public pipeline::ChunkSource
{
public:
    Result<std::optional<ChunkSpec>> next(const CancelToken&) override
    {
        return m_next < 2 ? std::optional(chunkOf(m_next++)) : std::nullopt;
    }

private:
    int m_next = 0;
};
class RecordedHearing : public pipeline::Stage<ChunkSpec, AvatarHearing>
{
public:
    explicit RecordedHearing(const Recorded& trace) : m_trace(trace) {}
    const char* name() const override { return "hearing"; }
    std::size_t memoryEstimate() const override { return 0; }
    Result<void> run(const ChunkSpec& chunk, ChunkSpec, const pipeline::Emit<AvatarHearing>& emit, const CancelToken&) override
    {
        return emit({m_trace.hearing(chunk.index), {}}) ? Result<void>{} : cancelled();
    }

private:
    const Recorded& m_trace;
};
class Keep : public pipeline::Sink<AvatarPictures>
{
public:
    std::vector<at::Tensor> chunks;
    const char* name() const override { return "keep"; }
    std::size_t memoryEstimate() const override { return 0; }
    Result<void> consume(const ChunkSpec&, AvatarPictures in, const CancelToken&) override
    {
        chunks.push_back(in.pictures->value);
        return {};
    }
    Result<void> endChunk(const ChunkSpec&) override { return {}; }
    Result<void> endRun() override { return {}; }
};

} // namespace

class tst_avatar_stages : public QObject
{
    Q_OBJECT

    static Result<at::Tensor> made(AvatarStage& stage, const Recorded& trace, int chunk, int frames = 28)
    {
        at::Tensor out;
        const pipeline::Emit<AvatarPictures> keep = [&out](AvatarPictures pictures) {
            out = pictures.pictures->value;
            return true;
        };
        LQ_CHECKED(stage.run(chunkOf(chunk, frames), {trace.hearing(chunk), {}}, keep, {}));
        return out;
    }

private Q_SLOTS:
    void initTestCase() { at::set_num_threads(1); }

    void chunksEqualTheTrace_data()
    {
        QTest::addColumn<int>("model");
        QTest::newRow("flashtalk-a") << int(AvatarModel::FlashTalk);
        QTest::newRow("flashhead-a") << int(AvatarModel::FlashHead);
    }
    void chunksEqualTheTrace()
    {
        QFETCH(int, model);
        Recorded trace;
        const auto opened = trace.open(QTest::currentDataTag(), AvatarModel(model));
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        pipeline::Pipeline chain;
        const QueueLimits few{2, 0, std::chrono::microseconds{0}};
        auto sink = std::make_shared<Keep>();
        auto heard = chain.then<ChunkSpec, AvatarHearing>(chain.from("plan", std::make_shared<TwoChunks>()), std::make_shared<RecordedHearing>(trace), few);
        auto pictures = chain.then<AvatarHearing, AvatarPictures>(heard, std::make_shared<AvatarStage>(trace.networks, trace.reference, trace.options()), few);
        chain.into<AvatarPictures>(pictures, sink, few);
        const auto ran = chain.run({});
        QVERIFY2(ran, ran ? "" : ran.error().text().c_str());
        QCOMPARE(sink->chunks.size(), std::size_t(2));
        const double allowed = trace.golden->config().at("tolerance").at("video_abs").get<double>() * 127.5;
        for (int i = 0; i < 2; ++i) {
            const std::string name = "chunk" + std::to_string(i) + ".corrected";
            const at::Tensor& shown = sink->chunks[static_cast<std::size_t>(i)];
            QCOMPARE(shown.size(1), std::int64_t(28));
            const at::Tensor expected = trace.golden->io(name).add(1).mul(127.5); // [1, 3, frames, height, width]
            const bool indexed = trace.golden->has("corrected_frame_index") && trace.golden->io("corrected_frame_index").numel() == expected.size(2);
            int compared = 0;
            for (std::int64_t k = 0; k < expected.size(2); ++k) {
                const std::int64_t frame = (indexed ? trace.golden->io("corrected_frame_index")[k].item<std::int64_t>() : 33 - expected.size(2) + k) - 5;
                if (frame < 0)
                    continue; // the end of the chunk before
                const double worst = (shown.select(1, frame) - expected.select(2, k)).abs().max().item<double>();
                QVERIFY2(worst <= allowed, qPrintable(QString("chunk %1 frame %2 differs by %3").arg(i).arg(frame).arg(worst)));
                ++compared;
            }
            QVERIFY(compared > 0);
        }
    }

    void aRunGoesOnFromItsState()
    {
        Recorded trace;
        QVERIFY(trace.open("flashhead-a", AvatarModel::FlashHead));
        AvatarStage whole(trace.networks, trace.reference, trace.options());
        QVERIFY(made(whole, trace, 0));
        const auto state = whole.saveState();
        const auto expected = made(whole, trace, 1);
        AvatarStage resumed(trace.networks, trace.reference, trace.options());
        QVERIFY(resumed.restoreState(state));
        const auto again = made(resumed, trace, 1);
        QVERIFY(expected && again && expected->equal(*again));
        AvatarStage fresh(trace.networks, trace.reference, trace.options());
        QVERIFY(fresh.restoreState(fresh.saveState())); // of the beginning
        QVERIFY(!made(fresh, trace, 1)->equal(*again));
        auto damaged = state;
        damaged.resize(damaged.size() / 2);
        QCOMPARE(resumed.restoreState(damaged).error().code(), ErrorCode::Corrupt);
    }

    // A short last chunk shows as many frames as it has, and the next goes on from these.
    void shortChunks()
    {
        Recorded trace;
        QVERIFY(trace.open("flashhead-a", AvatarModel::FlashHead));
        AvatarStage whole(trace.networks, trace.reference, trace.options()), cut(trace.networks, trace.reference, trace.options());
        const auto all = made(whole, trace, 0), some = made(cut, trace, 0, 9);
        QVERIFY(all && some);
        QCOMPARE(some->size(1), std::int64_t(9));
        QVERIFY(some->equal(all->narrow(1, 0, 9)));
        QVERIFY(whole.saveState() != cut.saveState());
    }

    void noiseComesFromTheSeed()
    {
        const NoiseSource noise = seededNoise();
        const at::Tensor first = noise(chunkOf(0), 0, {4, 5});
        QVERIFY(first.equal(noise(chunkOf(0), 0, {4, 5})));
        QVERIFY(!first.equal(noise(chunkOf(0), 1, {4, 5})));
        QVERIFY(!first.equal(noise(chunkOf(1), 0, {4, 5})));
    }

    // Held at both ends: the anchored latents come out exactly as they went in, and only what lies between is shown.
    void joins()
    {
        Recorded trace;
        QVERIFY(trace.open("flashtalk-a", AvatarModel::FlashTalk));
        AvatarOptions options = trace.options();
        options.noise = seededNoise();
        AvatarStage stage(trace.networks, trace.reference, options);
        const at::Tensor left = at::rand({1, 3, 5, trace.height, trace.width}) * 2 - 1, right = at::rand({1, 3, 12, trace.height, trace.width}) * 2 - 1;
        const TensorPtr states = boxed(trace.golden->io("chunk0.audio").narrow(1, 0, 17));
        const auto join = stage.join(chunkOf(1), left, right, states, {});
        QVERIFY2(join, join ? "" : join.error().text().c_str());
        const at::Tensor latents = join->latents->value, anchors = join->anchors->value;
        QCOMPARE(latents.size(2), std::int64_t(5));
        for (const std::int64_t place : {0, 1, 4})
            QVERIFY(latents.select(2, place).equal(anchors.select(2, place)));
        for (const std::int64_t place : {2, 3})
            QVERIFY(!latents.select(2, place).equal(anchors.select(2, place)));
        QCOMPARE(join->pictures->value.size(2), std::int64_t(8));
        CancelSource cancel;
        cancel.cancel();
        QCOMPARE(stage.join(chunkOf(1), left, right, states, cancel.token()).error().code(), ErrorCode::Cancelled);
    }

    void faultsAreNamed_data()
    {
        QTest::addColumn<QString>("poison");
        QTest::addColumn<QString>("silence");
        QTest::addColumn<QString>("says");
        QTest::newRow("no numbers") << "^head\\." << "" << "values that are not numbers";
        QTest::newRow("one colour") << "" << "^decoder\\.head\\.2\\." << "pictures of a single colour";
    }
    void faultsAreNamed()
    {
        QFETCH(QString, poison);
        QFETCH(QString, silence);
        QFETCH(QString, says);
        Recorded broken, good;
        QVERIFY(broken.open("flashhead-a", AvatarModel::FlashHead, poison.toStdString(), silence.toStdString()));
        QVERIFY(good.open("flashhead-a", AvatarModel::FlashHead));
        const auto check = [&says](const Result<at::Tensor>& result, const char* where) {
            return !result && result.error().code() == ErrorCode::Corrupt && result.error().text().find(says.toStdString()) != std::string::npos &&
                   result.error().text().find(where) != std::string::npos && result.error().text().find("chunk 2 of line 1") != std::string::npos;
        };
        AvatarStage inFloat32(broken.networks, broken.reference, broken.options());
        QVERIFY(check(made(inFloat32, broken, 1), "in float32 (chunk"));

        // In another precision it is made again, once, with networks in float32.
        Recorded half;
        half.networks->placement.precision = modules::Precision::BFloat16;
        const auto opened = half.open("flashhead-a", AvatarModel::FlashHead, poison.toStdString(), silence.toStdString());
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        int loads = 0;
        std::vector<std::string> warnings;
        AvatarOptions options = good.options();
        options.warn = [&](const std::string& text) { warnings.push_back(text); };
        options.exact = [&]() -> Result<AvatarNetworksPtr> {
            ++loads;
            return AvatarNetworksPtr(good.networks);
        };
        AvatarStage rescued(half.networks, good.reference, options);
        AvatarStage sound(good.networks, good.reference, good.options());
        const auto expected = made(sound, good, 1);
        const auto twice = made(rescued, good, 1);
        QVERIFY2(twice, twice ? "" : twice.error().text().c_str());
        QVERIFY(twice->equal(*expected));
        QCOMPARE(loads, 1);
        QCOMPARE(warnings.size(), std::size_t(1));
        QVERIFY2(QString::fromStdString(warnings[0]).contains("bfloat16 (chunk 2 of line 1); it was made again in float32"), warnings[0].c_str());
    }

    void tinyPacksLoad()
    {
        QTemporaryDir dir;
        const auto packs = packs::makeTinyPacks(dir.path().toStdString());
        QVERIFY2(packs, packs ? "" : packs.error().text().c_str());
        QCOMPARE(packs->size(), std::size_t(2));
        AvatarFiles files;
        for (const char* role : {kVideoNetwork, kVaeNetwork, kSoundNetwork, kImageNetwork, kTextNetwork})
            files[role] = packs->at(0) / role;
        files[kTextModel] = packs->at(0) / kTextNetwork / "spiece.model";
        AvatarPlan plan;
        plan.loudness = -23;
        const auto networks = loadAvatarNetworks(plan, files, {});
        QVERIFY2(networks, networks ? "" : networks.error().text().c_str());
        Image photo(40, 50, 3);
        for (std::size_t i = 0; i < photo.data.size(); ++i)
            photo.data[i] = static_cast<std::uint8_t>(i * 7919 % 251);
        const auto reference = makeAvatarReference(**networks, photo, 32, 48, "A person", {});
        QVERIFY2(reference, reference ? "" : reference.error().text().c_str());
        QCOMPARE((*reference)->condition.size(2), std::int64_t(9));
        // What a network lacks is said by its name.
        files.erase(kSoundNetwork);
        const auto missing = loadAvatarNetworks(plan, files, {});
        QVERIFY(!missing && missing.error().text().find("sound-encoder") != std::string::npos);
        files[kSoundNetwork] = packs->at(0) / kVaeNetwork;
        QVERIFY(!loadAvatarNetworks(plan, files, {}));
    }
};

LOQUOR_TEST(tst_avatar_stages)
#include "tst_avatar_stages.moc"
