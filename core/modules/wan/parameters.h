// The weights of a network as tensors on a device, by the names of its spec.
#pragma once

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/weights/checkpoint.h"
#include "core/weights/checkpoint_spec.h"

namespace at {
class Tensor;
}

namespace loquor::modules {

enum class Precision {
    Float32 = 1,
    BFloat16, // for GPUs: many times slower than float32 on a CPU
    Float16,
};

struct Placement
{
    std::string device = "cpu"; // "cuda:0" ...
    Precision precision = Precision::Float32;
};

// On the CPU, weights that have the asked-for precision are views of the mapped file: they cost no memory until
// used, and are shared by all processes that map it. They must not be written to. Immutable after load but for
// scale(); copies share the tensors.
class Parameters
{
public:
    // Errors of bindCheckpoint; Unsupported for a device that is not there.
    static Result<Parameters> load(const std::shared_ptr<const weights::Checkpoint>& checkpoint, const weights::CheckpointSpec& spec,
                                   const Placement& placement = {});
    ~Parameters();
    Parameters(const Parameters&);
    Parameters(Parameters&&) noexcept;
    Parameters& operator=(const Parameters&);
    Parameters& operator=(Parameters&&) noexcept;

    // A tensor that the spec lists; anything else is a fault of the program.
    const at::Tensor& operator[](const std::string& name) const;
    bool contains(const std::string& name) const;
    // Replaces every tensor whose name the regular expression finds something in by a multiple of itself: for
    // probes of numerical accuracy. Gives the number of tensors.
    int scale(const std::string& pattern, double factor);

private:
    Parameters();
    struct Data;
    std::shared_ptr<const Data> m_data;
};

} // namespace loquor::modules
