// Runs the operator list that set-up stores beside the weights of a small network (see DESIGN.md for
// its text form). Internal to core/modules: it shows LibTorch types.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/error.h"

namespace loquor::modules {

// Weights are a map of the file and shared; a run keeps its values on the stack. One thread at a time.
class Graph
{
public:
    // NotFound when the file is missing, Corrupt when the operator list and the weights do not fit.
    static Result<std::unique_ptr<Graph>> load(const std::filesystem::path& file);
    ~Graph();

    // One NCHW float32 input; the outputs in the order of the file, those with four dimensions NCHW.
    std::vector<at::Tensor> run(const at::Tensor& input) const;

private:
    Graph();
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace loquor::modules
