// The files that a command writes, checked before it begins.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/platform/atomic_file.h"

namespace loquor::cli {

struct Output
{
    std::string file; // empty: not asked for
    platform::IfExists ifExists = platform::IfExists::Refuse;
};

inline platform::IfExists ifExists(bool overwrite)
{
    return overwrite ? platform::IfExists::Replace : platform::IfExists::Refuse;
}

// InvalidArgument when an output is one of the inputs or two outputs are one file, under whatever name;
// else what platform::checkWritable finds. Empty names are passed over.
Result<void> checkOutputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs);

} // namespace loquor::cli
