// Runs a small kernel on the current device and compares with the CPU. Raw CUDA runtime, no LibTorch.
#pragma once

namespace loquor::gpu {

// True when y = a * x + y came back right for a million elements.
bool runSelfTest();

} // namespace loquor::gpu
