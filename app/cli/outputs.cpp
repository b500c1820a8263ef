#include "app/cli/outputs.h"

#include <filesystem>

#include "core/platform/paths.h"

namespace loquor::cli {

namespace fs = std::filesystem;

Result<void> checkOutputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs)
{
    std::vector<fs::path> read, written;
    for (const std::string& input : inputs) {
        if (!input.empty())
            read.emplace_back(input);
    }
    for (const Output& output : outputs) {
        if (output.file.empty())
            continue;
        LQ_CHECKED(platform::refuseInputAsOutput(output.file, read));
        if (!platform::refuseInputAsOutput(output.file, written))
            return fail(ErrorCode::InvalidArgument, "Two outputs have the same name: " +
                                                        platform::quotedPath(output.file) + ".");
        LQ_CHECKED(platform::checkWritable(output.file, output.ifExists));
        written.emplace_back(output.file);
    }
    return {};
}

} // namespace loquor::cli
