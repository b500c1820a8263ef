#include "app/parity/cases.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace loquor::parity {

namespace {

struct Kind
{
    std::string_view name;
    Result<void> (*run)(GoldenCase&);
};
constexpr std::array kKinds{
    Kind{"taehv", runTinyAutoencoder},
    Kind{"wan21-vae", runWanVae},
    Kind{"schedulers", runSchedulers},
    Kind{"wan-dit", runWanDit},
    Kind{"flashhead-lite-dit", runFlashHeadLite},
    Kind{"swiftvr-dit", runSwiftVrDit},
    Kind{"flashtalk", runFlashTalk},
    Kind{"flashhead", runFlashHead},
    Kind{"color-and-image-prep", runColour},
    Kind{"umt5-encoder", runUmt5},
    Kind{"clip-vit", runClipVision},
    Kind{"wav2vec2", runWav2Vec2},
    Kind{"swiftvr-pipeline", runSwiftVr},
    Kind{"loudness", runLoudness},
    Kind{"prompts", runPrompts},
};

} // namespace

Result<void> runByKind(GoldenCase& golden)
{
    const std::string kind = golden.config().at("kind").get<std::string>();
    const auto found = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& k) { return k.name == kind; });
    if (found != kKinds.end())
        return found->run(golden);
    std::string known;
    for (const Kind& k : kKinds)
        known += (known.empty() ? "" : ", ") + std::string(k.name);
    return fail(ErrorCode::Unsupported, golden.configFile() + " is of the kind \"" + kind + "\", which cannot be compared. Kinds: " + known + '.');
}

} // namespace loquor::parity
