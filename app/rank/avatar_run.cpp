#include "app/rank/avatar_run.h"

#include "core/base/trace.h"
#include "core/media/image_loader.h"
#include "core/media/video_reader.h"
#include "core/pipeline/pipeline.h"
#include "core/platform/memory.h"
#include "core/stages/line_source.h"
#include "core/stages/picture_gate.h"

namespace loquor::rank {

namespace {

using Clock = std::chrono::steady_clock;
using pipeline::ChunkSpec;

constexpr std::size_t kFrameQueueBytes = 32u << 20;

// A photo, or the first frame of a clip.
Result<Image> readPerson(const std::filesystem::path& file)
{
    auto photo = media::loadImage(file);
    if (photo)
        return std::move(photo->image);
    if (photo.error().code() != ErrorCode::Unsupported)
        return fail(std::move(photo).error());
    auto clip = media::VideoReader::open(file);
    if (!clip)
        return fail(std::move(photo).error());
    LQ_TRY(auto frame, clip->next());
    if (!frame)
        return fail(ErrorCode::Unreadable, "The clip " + file.string() + " has no pictures.");
    return frame->image;
}

std::string keyOf(const stages::ReferenceRequest& request)
{
    std::error_code error;
    const auto time = std::filesystem::last_write_time(request.file, error);
    return request.file.string() + '|' + std::to_string(error ? 0 : time.time_since_epoch().count()) + '|' + std::to_string(request.settings.width) +
           'x' + std::to_string(request.settings.height) + '|' + request.settings.prompt;
}

// What the engine does not do is said before it starts.
Result<void> checkWishes(const comm::StartRender& job, const packs::PackManifest& pack)
{
    if (!job.settings.background.empty())
        return fail(ErrorCode::Unsupported, "The engine '" + pack.id + "' draws the photo's own background: leave --background out.");
    if (job.settings.framing == pipeline::Framing::Fit)
        return fail(ErrorCode::Unsupported, "The engine '" + pack.id + "' always fills the picture: leave --framing out.");
    return {};
}

Result<void> runStages(const comm::StartRender& job, const std::shared_ptr<stages::SpeechTrack>& track, const packs::PackManifest& pack,
                       const AvatarDesk::Ready& ready, stages::AvatarOptions options, const std::shared_ptr<EncodeSink>& sink, Trace& trace,
                       const CancelToken& cancel)
{
    const pipeline::RenderSettings& settings = job.settings;
    const stages::AvatarPlan& plan = *pack.avatar;
    const QueueLimits few{2, 0, std::chrono::microseconds{0}};
    pipeline::Pipeline chain({.trace = &trace, .log = nullptr, .memoryBudget = memoryBudget()});
    auto chunks = chain.from("plan", std::make_shared<stages::LineSource>(track, settings.fps, pack.chunks, settings.seed.value_or(0)));
    auto sound = chain.then<ChunkSpec, stages::AvatarSound>(chunks, std::make_shared<stages::AvatarSoundStage>(track, plan), few);
    auto heard = chain.then<stages::AvatarSound, stages::AvatarHearing>(sound, std::make_shared<stages::HearingStage>(ready.networks), few);
    auto pictures = chain.then<stages::AvatarHearing, stages::AvatarPictures>(
        heard, std::make_shared<stages::AvatarStage>(ready.networks, ready.reference, std::move(options)), few);
    if (plan.scale > 1)
        pictures = chain.then<stages::AvatarPictures, stages::AvatarPictures>(
            pictures, std::make_shared<stages::RestoreStage>(ready.networks, settings.width, settings.height), few);
    auto frames = chain.then<stages::AvatarPictures, stages::FrameGroup>(
        pictures, std::make_shared<stages::PictureStage>(settings.width, settings.height), few);
    frames = chain.then<stages::FrameGroup, stages::FrameGroup>(
        frames, std::make_shared<pipeline::GateStage<stages::FrameGroup>>(pipeline::GateRules{.setting = "pack", .startsGood = true}), few);
    chain.into<stages::FrameGroup>(frames, sink, {0, kFrameQueueBytes, std::chrono::microseconds{0}});
    return chain.run(cancel);
}

} // namespace

stages::AvatarFiles AvatarDesk::filesOf(const packs::PackManifest& pack) const
{
    stages::AvatarFiles files;
    for (const packs::ModuleSpec& module : pack.modules)
        files[module.name] = pack.pathOf(module, m_modelsFolder);
    return files;
}

Result<AvatarDesk::Ready> AvatarDesk::prepare(const packs::PackManifest& pack, const stages::ReferenceRequest& request, const CancelToken& cancel)
{
    std::lock_guard lock(m_mutex);
    const std::string packKey = pack.label() + '|' + pack.folder.string(), referenceKey = keyOf(request);
    if (m_ready && m_packKey == packKey && m_referenceKey == referenceKey)
        return *m_ready;
    LQ_TRY(const Image photo, readPerson(request.file));
    Ready ready;
    if (m_ready && m_packKey == packKey) {
        ready.networks = m_ready->networks;
    } else {
        m_ready.reset(); // the other pack's networks go before these come
        LQ_TRY(ready.networks, stages::loadAvatarNetworks(*pack.avatar, filesOf(pack), {}));
    }
    const int scale = pack.avatar->scale;
    LQ_TRY(ready.reference, stages::makeAvatarReference(*ready.networks, photo, request.settings.width / scale, request.settings.height / scale,
                                                        request.settings.prompt, cancel));
    platform::returnFreeMemory(); // of the encoders of text and image
    m_packKey = packKey;
    m_referenceKey = referenceKey;
    m_ready = ready;
    return ready;
}

Result<comm::RenderDone> runAvatar(const comm::StartRender& job, std::shared_ptr<stages::SpeechTrack> track,
                                   const packs::PackManifest& pack, AvatarDesk& desk, const RunTools& tools, const CancelToken& cancel)
{
    const auto started = Clock::now();
    Trace trace;
    LQ_CHECKED(checkWishes(job, pack));
    tools.tell(comm::JobProgress{job.id, "reference", 0, 0});
    LQ_TRY(const AvatarDesk::Ready ready, desk.prepare(pack, {job.reference, job.settings}, cancel));
    ++tools.work;
    LQ_TRY(media::Mp4Writer writer, openWriter(job));
    comm::FrameRing* ring = tools.ring;
    if (ring) {
        if (auto fits = ring->configure(job.settings.width, job.settings.height); !fits) {
            tools.tell(comm::JobWarning{job.id, fits.error().message()});
            ring = nullptr;
        }
    }
    auto sink = std::make_shared<EncodeSink>(job.id, std::move(writer), job.captionStyle ? track : nullptr, ring, nullptr, tools.tell, tools.work, started);
    stages::AvatarOptions options;
    options.width = job.settings.width / pack.avatar->scale;
    options.height = job.settings.height / pack.avatar->scale;
    options.warn = [&](const std::string& text) { tools.tell(comm::JobWarning{job.id, text}); };
    options.onStep = [&] { ++tools.work; };
    options.exact = [&] {
        return stages::loadVideoNetworks(*pack.avatar, desk.filesOf(pack), {ready.networks->placement.device, modules::Precision::Float32});
    };
    auto ran = runStages(job, track, pack, ready, std::move(options), sink, trace, cancel);
    writeTrace(trace, job.id, job.trace, tools.tell);
    LQ_CHECKED(std::move(ran));
    return doneOf(job, *sink, trace, pack.label(), tools.cpuBefore);
}

} // namespace loquor::rank
