#include "core/session/recording_lines.h"

#include <algorithm>

#include "core/platform/hash.h"
#include "core/project/ids.h"
#include "core/session/recording_source.h"

namespace loquor::session {

namespace {

constexpr pipeline::CutLimits kLineLimits{4, 15};

// The bytes of the text whose words were found in a line.
struct FoundText
{
    std::size_t line = 0;
    std::size_t begin = 0, end = 0;
};

bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string trimmed(const std::string& text, std::size_t begin, std::size_t end)
{
    while (begin < end && isSpace(text[begin]))
        ++begin;
    while (end > begin && isSpace(text[end - 1]))
        --end;
    return text.substr(begin, end - begin);
}

// Behind the tag that `at` lies in (words of [say "..." as "..."]); else `at`.
std::size_t tagEnd(const std::string& text, std::size_t at)
{
    const std::size_t bracket = at > 0 ? text.find_last_of("[]\n", at - 1) : std::string::npos;
    if (bracket == std::string::npos || text[bracket] != '[')
        return at;
    const std::size_t close = text.find_first_of("]\n", at);
    return close == std::string::npos || text[close] != ']' ? at : close + 1;
}

// Deals the whole text out to the lines: what stands behind a word up to the next space is its own (marks); all
// else, directions too, goes with the word that follows.
void dealText(const std::string& text, const std::vector<FoundText>& found, std::vector<project::Line>& lines)
{
    std::size_t begin = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        std::size_t end = text.size();
        if (i + 1 < found.size()) {
            for (end = tagEnd(text, found[i].end); end < found[i + 1].begin && !isSpace(text[end]) && text[end] != '[';)
                ++end;
        }
        lines[found[i].line].text = trimmed(text, begin, end);
        begin = end;
    }
}

// What is left at the end may be a breath: it goes with the line before.
void joinShortEnd(std::vector<project::Line>& lines, std::vector<FoundText>& found)
{
    constexpr std::int64_t kShortest = 2 * project::kRecordingRate;
    if (lines.size() < 2 || lines.back().recording->samples >= kShortest)
        return;
    const std::size_t last = lines.size() - 1;
    lines[last - 1].recording->samples += lines[last].recording->samples;
    lines.pop_back();
    if (found.empty() || found.back().line != last)
        return;
    found.back().line = last - 1;
    if (found.size() > 1 && found[found.size() - 2].line == last - 1) {
        found[found.size() - 2].end = found.back().end;
        found.pop_back();
    }
}

} // namespace

Result<RecordedLines> cutIntoLines(const RecordingRequest& request, std::shared_ptr<VoiceShelf> voices,
                                   const CancelToken& cancel, const CutProgress& progress)
{
    SpeechInput input;
    input.audioFile = request.file;
    input.text = request.text;
    input.language = request.language;
    input.import = request.import;
    RecordingSource source(input, request.fps, std::move(voices),
                           {project::kRecordingRate, 1, kLineLimits, true, request.pronunciations});
    RecordedLines out;
    LQ_TRY(const SpeechFacts facts, source.open(cancel)); // says in plain words what is wrong with the file
    out.warnings = facts.warnings;
    project::Recording part;
    std::error_code ignored;
    part.file = std::filesystem::absolute(request.file, ignored).lexically_normal();
    part.import = request.import;
    LQ_TRY(part.sha256, platform::sha256File(request.file, cancel));
    const project::IdSource ids = project::randomIds();
    std::vector<FoundText> found;
    for (;;) {
        LQ_TRY(const std::optional<SpokenLine> spoken, source.next(cancel));
        if (!spoken)
            break;
        part.samples = spoken->audio.frames();
        if (!spoken->timing.words.empty())
            found.push_back({out.lines.size(), static_cast<std::size_t>(spoken->textBegin + spoken->timing.words.front().textBegin),
                             static_cast<std::size_t>(spoken->textBegin + spoken->timing.words.back().textEnd)});
        project::Line line = project::makeLine(ids(), {});
        line.recording = part;
        out.lines.push_back(std::move(line));
        part.first += part.samples;
        if (progress)
            progress(frameOf(part.first, project::kRecordingRate, request.fps),
                     static_cast<FrameIndex>(facts.estimatedSeconds * request.fps.toDouble()));
    }
    joinShortEnd(out.lines, found);
    dealText(request.text, found, out.lines);
    for (std::string& warning : source.takeWarnings())
        out.warnings.push_back(std::move(warning));
    return out;
}

} // namespace loquor::session
