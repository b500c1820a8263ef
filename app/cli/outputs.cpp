#include "app/cli/outputs.h"

#include <filesystem>

#include "core/platform/paths.h"
#include "core/session/file_names.h"

namespace loquor::cli {

namespace fs = std::filesystem;

namespace {

Result<void> checkName(const Output& output)
{
    switch (output.kind) {
    case OutputKind::Video: return session::checkVideoName(output.file);
    case OutputKind::Sound: return session::checkSoundName(output.file);
    case OutputKind::Project: return session::checkProjectName(output.file);
    case OutputKind::Report: return session::checkDataName(output.file, "report");
    case OutputKind::Trace: return session::checkDataName(output.file, "trace");
    case OutputKind::Timing: return session::checkDataName(output.file, "timing");
    case OutputKind::Captions: return {}; // the option knows its endings
    }
    return {};
}

} // namespace

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
        LQ_CHECKED(checkName(output));
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
