// Samplers of flow-matching models: which noise levels are visited, and how the network's velocity becomes the next
// state. With sigma from 1 (noise) to 0 (clean), x = (1 - sigma) * clean + sigma * noise and v = noise - clean.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace at {
class Tensor;
}

namespace loquor::modules {

// sigma' = shift * sigma / (1 + (shift - 1) * sigma)
double shiftedSigma(double sigma, double shift);

// Levels of the avatar models: the timesteps (1000, 750, 500, 250 for four steps) shifted, and 0 at the end.
std::vector<float> avatarTimesteps(const std::vector<double>& timesteps, double shift);

// diffusers' FlowMatchEulerDiscreteScheduler with a constant shift.
class FlowEuler
{
public:
    FlowEuler(std::int64_t steps, double shift);
    const std::vector<float>& sigmas() const { return m_sigmas; }       // steps + 1, the last is 0
    const std::vector<float>& timesteps() const { return m_timesteps; } // what the network is told
    // The state after step `index`.
    at::Tensor step(std::int64_t index, const at::Tensor& velocity, const at::Tensor& x) const;

private:
    std::vector<float> m_sigmas, m_timesteps;
};

// diffusers' UniPCMultistepScheduler with flow sigmas: bh2, predicts the clean state, lower orders at the end, the
// corrector from the second step on.
class FlowUniPC
{
public:
    FlowUniPC(std::int64_t steps, double shift, int order = 2);
    ~FlowUniPC();
    FlowUniPC(const FlowUniPC&) = delete;
    FlowUniPC& operator=(const FlowUniPC&) = delete;

    const std::vector<float>& sigmas() const;
    const std::vector<std::int64_t>& timesteps() const; // whole numbers, cut off
    // Steps come in order, 0 to steps - 1; `x` is what the step before returned.
    at::Tensor step(std::int64_t index, const at::Tensor& velocity, const at::Tensor& x);
    void restart();

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace loquor::modules
