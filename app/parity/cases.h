// The programs of the cases: each runs a network of ours on what a folder of references holds and compares all it
// gives. They take sizes from the config alone.
#pragma once

#include "app/parity/golden_case.h"

namespace loquor::parity {

Result<void> runTinyAutoencoder(GoldenCase& golden);
Result<void> runWanVae(GoldenCase& golden);
Result<void> runSchedulers(GoldenCase& golden);
Result<void> runWanDit(GoldenCase& golden);
Result<void> runFlashHeadLite(GoldenCase& golden);
Result<void> runSwiftVrDit(GoldenCase& golden);
Result<void> runFlashTalk(GoldenCase& golden);
Result<void> runFlashHead(GoldenCase& golden);
Result<void> runColour(GoldenCase& golden);
Result<void> runUmt5(GoldenCase& golden);
Result<void> runClipVision(GoldenCase& golden);
Result<void> runWav2Vec2(GoldenCase& golden);
Result<void> runSwiftVr(GoldenCase& golden);
Result<void> runLoudness(GoldenCase& golden);
Result<void> runPrompts(GoldenCase& golden);

Result<void> runByKind(GoldenCase& golden);

} // namespace loquor::parity
