#include "core/audio/take_file.h"

#include <algorithm>

#include "core/base/json.h"
#include "core/base/log.h"
#include "core/media/audio_reader.h"
#include "core/media/flac_writer.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"

namespace loquor::audio {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

constexpr const char* kPartSuffix = ".part";
constexpr SampleIndex kBlock = 1 << 15;

// A name nobody has: of a take whose own was given away in the meantime.
fs::path freeName(const fs::path& wanted)
{
    fs::path out = wanted;
    std::error_code ec;
    for (int i = 2; fs::exists(out, ec); ++i)
        out = wanted.parent_path() / (wanted.stem().string() + "-" + std::to_string(i) + wanted.extension().string());
    return out;
}

Result<SampleIndex> copySound(const fs::path& from, const fs::path& to, const CancelToken& cancel)
{
    media::AudioReadOptions options;
    options.channels = 0;
    LQ_TRY(media::AudioReader reader, media::AudioReader::open(from, options));
    LQ_TRY(media::FlacWriter writer, media::FlacWriter::create(to, reader.sampleRate(), reader.channels()));
    for (;;) {
        if (cancel.isCancelled()) {
            writer.discard();
            return cancelled();
        }
        const auto block = reader.read(kBlock);
        if (!block) { // the rest cannot be read; what came before can
            log(LogLevel::Warning, "audio", block.error().text());
            break;
        }
        if (block->samples.empty())
            break;
        LQ_CHECKED(writer.write(block->samples.data(), block->frames()));
    }
    LQ_CHECKED(writer.finish());
    return writer.frames();
}

Result<fs::path> recovered(const fs::path& part, const CancelToken& cancel)
{
    fs::path take = part;
    take.replace_extension(); // ".part"
    std::error_code ec;
    // Written beside the part, which stays until the whole is there.
    fs::path whole = freeName(take.parent_path() / (take.stem().string() + ".flac"));
    const fs::path working = take.parent_path() / (take.stem().string() + ".recovered.flac");
    fs::remove(working, ec);
    LQ_TRY(const SampleIndex frames, copySound(part, working, cancel));
    fs::rename(working, whole, ec);
    if (ec)
        return fail(errorFromErrno(ec.value(), "Cannot name the recovered recording " + platform::quotedPath(whole)));
    TakeFacts facts = readTakeFacts(take).value_or(TakeFacts{});
    facts.frames = frames;
    facts.isRecovered = true;
    LQ_CHECKED(writeTakeFacts(whole, facts));
    fs::remove(part, ec);
    return whole;
}

} // namespace

fs::path factsFileOf(const fs::path& take)
{
    fs::path out = take;
    out += ".json";
    return out;
}

Result<void> writeTakeFacts(const fs::path& take, const TakeFacts& facts)
{
    Json clipped = Json::array(), gaps = Json::array();
    for (const media::SoundSpan& span : facts.clipped)
        clipped.push_back({{"at", span.first}, {"frames", span.frames}});
    for (const TakeGap& gap : facts.gaps)
        gaps.push_back({{"at", gap.at}, {"silence", gap.silence}, {"lostSeconds", gap.lostSeconds}});
    const Json json{{"format", 1}, {"device", facts.device}, {"sampleRate", facts.sampleRate}, {"channels", facts.channels}, {"frames", facts.frames}, {"xruns", facts.xruns}, {"clippedRuns", facts.clippedRuns}, {"clipped", clipped}, {"noiseFloorDb", facts.noiseFloorDb}, {"gaps", gaps}, {"recovered", facts.isRecovered}};
    return platform::writeFile(factsFileOf(take),
                               json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<TakeFacts> readTakeFacts(const fs::path& take)
{
    LQ_TRY(const std::string text, platform::readTextFile(factsFileOf(take)));
    try {
        const Json json = Json::parse(text);
        TakeFacts out;
        out.device = json.at("device");
        out.sampleRate = json.at("sampleRate");
        out.channels = json.at("channels");
        out.frames = json.at("frames");
        out.xruns = json.at("xruns");
        out.clippedRuns = json.at("clippedRuns");
        out.noiseFloorDb = json.at("noiseFloorDb");
        out.isRecovered = json.at("recovered");
        for (const Json& span : json.at("clipped"))
            out.clipped.push_back({span.at("at"), span.at("frames")});
        for (const Json& gap : json.at("gaps"))
            out.gaps.push_back({gap.at("at"), gap.at("silence"), gap.at("lostSeconds")});
        return out;
    } catch (const std::exception& exception) {
        return fail(ErrorCode::Corrupt, platform::quotedPath(factsFileOf(take)) + " is damaged: " + jsonProblem(exception));
    }
}

std::vector<fs::path> recoverTakes(const fs::path& folder, const CancelToken& cancel)
{
    std::vector<fs::path> parts, out;
    std::error_code ec;
    for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
        const fs::path& path = it->path();
        const std::string sound = path.stem().extension().string();
        if (path.extension() == kPartSuffix && (sound == ".flac" || sound == ".wav") && !media::isBeingWritten(path))
            parts.push_back(path);
    }
    std::sort(parts.begin(), parts.end());
    for (const fs::path& part : parts) {
        auto take = recovered(part, cancel);
        if (take) {
            out.push_back(*take);
            continue;
        }
        if (take.error().isCancelled())
            break;
        log(LogLevel::Warning, "audio", take.error().logText());
        if (take.error().code() == ErrorCode::EmptyInput)
            fs::remove(part, ec);
    }
    return out;
}

} // namespace loquor::audio
