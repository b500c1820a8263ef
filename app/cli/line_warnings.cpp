#include "app/cli/line_warnings.h"

#include <cstdio>
#include <span>

#include "core/platform/paths.h"
#include "core/portrait/motion_prompt.h"
#include "core/project/caption_edits.h"
#include "core/speech/language.h"
#include "core/speech/phoneme_client.h"
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

void warnAbout(const std::vector<speech::ScriptIssue>& issues)
{
    for (const std::string& issue : speech::issueTexts(issues))
        std::fprintf(stderr, "warning: %s\n", issue.c_str());
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
    if (!project::captionsFit(line))
        out.push_back("The captions written for this line no longer fit its text. Write them again, or reset them (project caption).");
    return out;
}

Result<void> checkVoice(const std::string& id)
{
    if (id.empty())
        return {};
    LQ_CHECKED(speech::chooseVoice(speech::listVoices(platform::dataFolder()), id, {}, "Hello."));
    return {};
}

Result<void> checkLanguage(const std::string& language)
{
    const std::string wanted = speech::normalizedLanguage(language);
    if (wanted.empty())
        return {};
    const auto voices = speech::listVoices(platform::dataFolder());
    std::string there;
    for (const speech::VoiceDescription& voice : voices) {
        if (speech::baseLanguage(voice.language) == speech::baseLanguage(wanted))
            return {};
        if (there.find(' ' + voice.language + ',') == std::string::npos)
            there += ' ' + voice.language + ',';
    }
    const std::string word = "a";
    speech::PhonemeClient phonemes;
    const auto said = phonemes.phonemes(speech::espeakVoiceName(wanted), std::span(&word, 1));
    if (said || said.error().code() != ErrorCode::InvalidArgument) // other faults are told when something is said
        return {};
    return fail(ErrorCode::InvalidArgument, "No voice says the language '" + language + "'. There are:" + there +
                                                " and all others of espeak-ng (espeak-ng --voices).");
}

} // namespace loquor::cli
