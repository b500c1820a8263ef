// A look at values inside of a network, for comparisons with other implementations.
#pragma once

#include <functional>
#include <string>

namespace at {
class Tensor;
}

namespace loquor::modules {

// Called with the name of a part and what it gave. An empty one costs nothing.
using Tap = std::function<void(const std::string& part, const at::Tensor& value)>;

} // namespace loquor::modules
