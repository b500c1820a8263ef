#include "core/media/mp4_check.h"

#include <cmath>

#include "core/media/probe.h"
#include "core/platform/paths.h"

namespace loquor::media {

Result<> verifyMp4(const platform::AtomicFile& file, const Mp4Expectation& expected)
{
    LQ_TRY(const MediaFacts facts, probeMedia(file.partPath(), ProbeDepth::Packets));
    const auto wrong = [&](const std::string& what) {
        return fail(ErrorCode::Corrupt, "The finished file " + platform::quotedPath(file.path()) +
                                            " is not right: " + what + ". It was not kept.");
    };
    if (!facts.video || facts.video->packets != expected.frames)
        return wrong("it holds " + std::to_string(facts.video ? facts.video->packets : 0) + " of " +
                     std::to_string(expected.frames) + " pictures");
    if (facts.damagedParts > 0)
        return wrong(std::to_string(facts.damagedParts) + " of its parts are damaged");
    if (facts.video->width != expected.width || facts.video->height != expected.height)
        return wrong("its size is " + std::to_string(facts.video->width) + "x" + std::to_string(facts.video->height));
    const double frame = 1.0 / expected.fps.toDouble();
    const double seconds = static_cast<double>(expected.frames) * frame;
    if (std::abs(facts.video->durationSeconds - seconds) > 0.01 * frame + 0.001 ||
        std::abs(facts.video->startSeconds) > 0.001)
        return wrong("its picture lasts " + std::to_string(facts.video->durationSeconds) + " seconds");
    if (expected.hasSound && !facts.audio)
        return wrong("it has no sound");
    if (expected.hasSound && (std::abs(facts.audio->durationSeconds - seconds) >= frame ||
                              std::abs(facts.audio->startSeconds) > 0.001))
        return wrong("its sound lasts " + std::to_string(facts.audio->durationSeconds) + " seconds");
    return {};
}

} // namespace loquor::media
