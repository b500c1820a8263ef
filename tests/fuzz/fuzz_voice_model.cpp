// A voice that somebody wants to import: the first line is the length of the configuration, then it, then the model.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/speech/piper_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace loquor::speech;
    std::string_view all(reinterpret_cast<const char*>(data), size);
    const auto line = all.find('\n');
    const std::size_t length = line == std::string_view::npos ? 0 : static_cast<std::size_t>(std::atoi(std::string(all.substr(0, line)).c_str()));
    all.remove_prefix(line == std::string_view::npos ? 0 : line + 1);
    auto config = readPiperConfig(all.substr(0, length));
    if (config && (config->sampleRate < 8000 || config->tokens.empty()))
        std::abort();
    if (!config)
        config = PiperConfig{"x", "en-us", "English", "en-us", 22050, 0.6f, 1, {}, "_ 0\n^ 1\n$ 2\n"};
    const auto graph = patchPiperModel(all.substr(length < all.size() ? length : 0), *config, Durations::Append);
    if (graph && graph->model.empty())
        std::abort();
    return 0;
}
