// What the three face networks share: loading a graph and the boundary where exceptions become errors.
#pragma once

#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>

#include "core/base/error.h"
#include "core/media/image.h"
#include "core/modules/graph.h"

namespace loquor::modules {

inline Result<std::unique_ptr<Graph>> loadNetwork(const std::filesystem::path& file)
{
    auto graph = Graph::load(file);
    if (!graph && graph.error().code() == ErrorCode::NotFound)
        return fail(ErrorCode::NotFound,
                    "the network file " + file.string() + " is missing: run packaging/setup.sh, which makes it");
    return graph;
}

// Checks the image, runs `work` and turns what LibTorch throws into an Error.
template<class Work>
auto callNetwork(const std::string& name, const Image& rgb, Work work) -> Result<std::invoke_result_t<Work>>
{
    if (rgb.channels != 3 || rgb.isEmpty())
        return fail(ErrorCode::InvalidArgument, name + " needs an RGB image that is not empty");
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::OutOfMemory, name + " found no memory");
    } catch (const std::exception& e) {
        return fail(ErrorCode::Internal, name + " failed: " + e.what());
    }
}

} // namespace loquor::modules
