#include "core/session/project_keys.h"

#include "core/base/random.h"
#include "core/packs/pack_finder.h"
#include "core/pipeline/chunk_plan.h"
#include "core/platform/hash.h"

namespace loquor::session {

namespace {

// Bump when the same inputs give other pictures or other files of chunks.
constexpr const char* kChunkVersion = "chunk 3";

// Hash of a list of strings that no other list has.
class KeyBuilder
{
public:
    KeyBuilder& add(const std::string& part)
    {
        m_hash.update(std::to_string(part.size()) + ':');
        m_hash.update(part);
        return *this;
    }
    KeyBuilder& add(std::int64_t number) { return add(std::to_string(number)); }
    KeyBuilder& add(std::uint64_t number) { return add(std::to_string(number)); }
    KeyBuilder& add(int number) { return add(std::to_string(number)); }
    std::string finish() { return m_hash.finish(); }

private:
    platform::Sha256 m_hash;
};

pipeline::RenderSettings settingsOf(const project::Document& document, const project::Scene& scene)
{
    pipeline::RenderSettings out;
    out.width = document.output.width;
    out.height = document.output.height;
    out.fps = document.output.fps;
    out.framing = document.output.framing == project::Framing::Fit ? pipeline::Framing::Fit
                                                                   : pipeline::Framing::Fill;
    out.background = scene.background;
    out.faceIndex = scene.reference.faceIndex;
    out.pack = document.output.pack;
    return out;
}

bool isPicture(const std::string& background)
{
    return !background.empty() && background.front() != '#';
}

Result<std::string> pictureKeyOf(const SceneFacts& scene, const CancelToken& cancel, FileHashes& hashes)
{
    KeyBuilder key;
    key.add(kChunkVersion).add(scene.pack.label());
    for (const packs::ModuleSpec& module : scene.pack.modules)
        key.add(module.sha256);
    key.add(scene.referenceHash);
    const pipeline::RenderSettings& s = scene.settings;
    key.add(s.width).add(s.height).add(s.fps.toString()).add(static_cast<int>(s.framing)).add(s.faceIndex);
    if (isPicture(s.background)) {
        LQ_TRY(const std::string background, hashes.of(s.background, cancel));
        key.add(background);
    } else {
        key.add(s.background);
    }
    return key.finish();
}

} // namespace

Result<std::string> FileHashes::of(const std::filesystem::path& file, const CancelToken& cancel)
{
    std::error_code noSize, noTime; // what is wrong with the file is told by reading it
    const Known now{std::filesystem::file_size(file, noSize), std::filesystem::last_write_time(file, noTime), {}};
    const auto known = m_known.find(file);
    if (!noSize && !noTime && known != m_known.end() && known->second.size == now.size && known->second.changed == now.changed)
        return known->second.hash;
    m_known.erase(file);
    LQ_TRY(std::string hash, platform::sha256File(file, cancel));
    if (!noSize && !noTime)
        m_known[file] = {now.size, now.changed, hash};
    return hash;
}

Result<SceneFacts> sceneFacts(const project::Document& document, const project::Scene& scene,
                              const std::filesystem::path& dataFolder, const CancelToken& cancel, FileHashes* hashes)
{
    if (scene.reference.file.empty())
        return fail(ErrorCode::InvalidArgument, "The project has no photo or clip of the person yet.");
    SceneFacts out;
    out.settings = settingsOf(document, scene);
    out.reference = scene.reference.file;
    LQ_TRY(out.pack, packs::findPack(out.settings.pack, packs::packFolders(dataFolder)));
    LQ_CHECKED(packs::checkForProjects(out.pack));
    LQ_CHECKED(packs::checkSettings(out.pack, out.settings));
    FileHashes once;
    FileHashes& asked = hashes ? *hashes : once;
    LQ_TRY(out.referenceHash, asked.of(out.reference, cancel));
    LQ_TRY(out.pictureKey, pictureKeyOf(out, cancel, asked));
    out.runSeed = document.output.seed.value_or(mixSeed(document.id, "run"));
    return out;
}

std::uint64_t lineSeed(const SceneFacts& scene, const project::Line& line)
{
    return mixSeed(mixSeed(scene.runSeed, line.id), line.takeSeed);
}

std::string lineKey(const SceneFacts& scene, const std::string& speechKey, const std::string& prompt,
                    std::uint64_t seed)
{
    return KeyBuilder().add("line").add(scene.pictureKey).add(speechKey).add(prompt).add(seed).finish();
}

std::string chunkKey(const std::string& lineKey, int indexInLine, const std::string& boundary)
{
    return KeyBuilder().add("N").add(lineKey).add(indexInLine).add(boundary).finish();
}

std::string joinKey(const std::string& left, const std::string& right, const pipeline::JoinNumbers& joins)
{
    return KeyBuilder()
        .add("I")
        .add(left)
        .add(right)
        .add(joins.frames)
        .add(joins.anchorsLeft)
        .add(joins.anchorsRight)
        .finish();
}

Result<std::vector<pipeline::ChunkSpec>> lineGrid(const SceneFacts& scene, std::uint64_t lineId, int number,
                                                  FrameIndex frames, int sampleRate)
{
    pipeline::PlanOptions options;
    options.grid = pipeline::GridMode::Lines;
    options.joins = scene.pack.joins();
    pipeline::ChunkPlan plan(scene.settings.fps, sampleRate, scene.pack.chunks, scene.runSeed, options);
    pipeline::LineSpec line;
    line.id = lineId;
    line.number = number;
    line.samples = firstSampleOf(frames, sampleRate, scene.settings.fps);
    line.isLast = true;
    line.frames = frames;
    LQ_CHECKED(plan.addLine(line));
    std::vector<pipeline::ChunkSpec> out;
    while (auto chunk = plan.next())
        out.push_back(*chunk);
    return out;
}

} // namespace loquor::session
