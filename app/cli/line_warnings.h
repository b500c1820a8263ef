// What of a line or a prompt means nothing to the engine: told when it is written, not only when it is rendered.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/project/document.h"
#include "core/speech/script.h"

namespace loquor::cli {

// "The motion prompt has a word this version does not know: 'angry'."
std::vector<std::string> promptWarnings(const std::string& prompt);

// Directions of the text and words of the line's own prompt that are not known, a voice that is not installed here;
// each as a sentence without the line's number.
// Prints what is to be told about a script that was imported.
void warnAbout(const std::vector<speech::ScriptIssue>& issues);
std::vector<std::string> lineWarnings(const project::Line& line);

// InvalidArgument lists the voices there are; "" is one.
Result<void> checkVoice(const std::string& id);

// Whether any voice says this language ("" = that of the text). InvalidArgument lists what there is.
Result<void> checkLanguage(const std::string& language);

} // namespace loquor::cli
