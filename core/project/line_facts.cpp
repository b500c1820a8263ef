#include "core/project/line_facts.h"

#include <algorithm>

#include "core/speech/script.h"
#include "core/speech/script_markup.h"
#include "core/speech/utf8.h"

namespace loquor::project {

namespace {

constexpr double kWordsPerSecond = 2.5;      // of read English
constexpr double kIdeographsPerSecond = 4.5; // of read Mandarin

struct Units
{
    int words = 0, ideographs = 0;
};

Units countUnits(std::string_view text)
{
    Units units;
    bool inWord = false;
    for (std::size_t i = 0; i < text.size();) {
        if (const std::size_t tag = text[i] == '[' ? speech::tagLength(text, i) : 0; tag > 0) {
            const std::string_view inside = text.substr(i + 1, tag - 2);
            if (const speech::ReadTag read = speech::readTag(inside); read.kind == speech::TagKind::Says) {
                const Units words = countUnits(inside.substr(read.wordsBegin, read.wordsEnd - read.wordsBegin));
                units.words += words.words;
                units.ideographs += words.ideographs;
            }
            i += tag;
            inWord = false;
            continue;
        }
        const char32_t c = speech::nextCharacter(text, i);
        const bool ideograph = speech::isHan(c) || (c >= 0x3040 && c <= 0x30FF); // kana
        const bool letter = !ideograph && (speech::isLetterOrDigit(c) ||
                                           (inWord && (c == U'\'' || c == 0x2019)));
        units.ideographs += ideograph ? 1 : 0;
        units.words += letter && !inWord ? 1 : 0;
        inWord = letter;
    }
    return units;
}

double pausesInTags(std::string_view text)
{
    if (text.find('[') == std::string_view::npos)
        return 0;
    double seconds = 0;
    if (const auto script = speech::parseScript(text)) {
        for (const speech::ScriptLine& line : script->lines) {
            for (const speech::ScriptTag& tag : line.tags)
                seconds += tag.name == "pause" ? tag.value : 0;
        }
    }
    return seconds;
}

bool beginsSmall(std::string_view text)
{
    std::size_t at = 0;
    return !text.empty() && speech::isLowerCase(speech::nextCharacter(text, at));
}

} // namespace

bool hasWords(std::string_view text)
{
    if (speech::firstInvalidUtf8(text))
        return false;
    const Units units = countUnits(text);
    return units.words + units.ideographs > 0;
}

double estimatedSeconds(std::string_view text)
{
    if (speech::firstInvalidUtf8(text))
        return 0;
    const Units units = countUnits(text);
    return units.words / kWordsPerSecond + units.ideographs / kIdeographsPerSecond +
           pausesInTags(text);
}

double estimatedSeconds(const Line& line)
{
    return line.recording ? static_cast<double>(line.recording->samples) / kRecordingRate
                          : estimatedSeconds(line.text);
}

double pauseSeconds(const Scene& scene, std::size_t index)
{
    const Line& line = scene.lines.at(index);
    if (line.pauseAfter)
        return *line.pauseAfter;
    if (line.recording || index + 1 == scene.lines.size() || !hasWords(line.text))
        return 0;
    const auto breaks = std::count(line.after.begin(), line.after.end(), '\n');
    return breaks > 1 && !beginsSmall(scene.lines[index + 1].text) ? speech::kParagraphPauseSeconds
                                                                   : speech::kSentencePauseSeconds;
}

const std::string& promptOf(const Scene& scene, const Line& line)
{
    return line.prompt.empty() ? scene.prompt : line.prompt;
}

const std::string& voiceOf(const Scene& scene, const Line& line)
{
    return line.voice.empty() ? scene.speech.voice : line.voice;
}

} // namespace loquor::project
