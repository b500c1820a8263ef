// The files that a command writes, checked before it begins.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/platform/atomic_file.h"

namespace loquor::cli {

// What is written: its name must not promise another thing.
enum class OutputKind { Video = 1,
                        Sound,
                        Project,
                        Report,
                        Trace,
                        Timing,
                        Captions };

struct Output
{
    OutputKind kind = OutputKind::Video;
    std::string file; // empty: not asked for
    platform::IfExists ifExists = platform::IfExists::Refuse;
};

inline platform::IfExists ifExists(bool overwrite)
{
    return overwrite ? platform::IfExists::Replace : platform::IfExists::Refuse;
}

// InvalidArgument when a name promises another kind of file, an output is one of the inputs or two outputs are one
// file, under whatever name; else what platform::checkWritable finds. Empty names are passed over.
Result<void> checkOutputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs);

} // namespace loquor::cli
