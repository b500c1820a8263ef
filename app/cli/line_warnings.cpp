#include "app/cli/line_warnings.h"

#include "core/platform/paths.h"
#include "core/portrait/motion_prompt.h"
#include "core/speech/script.h"
#include "core/speech/voice.h"

namespace loquor::cli {

std::vector<std::string> promptWarnings(const std::string& prompt)
{
    std::vector<std::string> out;
    for (const std::string& word : portrait::readPrompt(prompt).unknown)
        out.push_back("The motion prompt has a word this version does not know: '" + word + "'.");
    return out;
}

std::vector<std::string> lineWarnings(const project::Line& line)
{
    std::vector<std::string> out;
    if (const auto script = speech::parseScript(line.text)) {
        for (const speech::ScriptIssue& issue : script->issues)
            out.push_back("Column " + std::to_string(issue.column) + ": " + issue.message);
    }
    for (std::string& warning : promptWarnings(line.prompt))
        out.push_back(std::move(warning));
    if (const auto voice = checkVoice(line.voice); !voice)
        out.push_back(voice.error().message());
    return out;
}

Result<void> checkVoice(const std::string& id)
{
    if (id.empty())
        return {};
    LQ_CHECKED(speech::chooseVoice(speech::listVoices(platform::dataFolder()), id, {}, "Hello."));
    return {};
}

} // namespace loquor::cli
