#include "core/project/line_edits.h"

#include <algorithm>
#include <unordered_set>

#include "core/project/script_text.h"
#include "core/speech/script.h"

namespace loquor::project {

namespace {

constexpr std::string_view kBlank = " \n\r\t";

bool speaksText(const Scene& scene)
{
    return scene.speech.mode == SpeechMode::Text;
}

auto at(std::vector<Line>& lines, std::size_t index)
{
    return lines.begin() + static_cast<std::ptrdiff_t>(index);
}

// The script as one text must still show the border between line `index` and the next.
void keepBorder(std::vector<Line>& lines, std::size_t index)
{
    if (index + 1 >= lines.size())
        return;
    Line& left = lines[index];
    if (left.recording || lines[index + 1].recording)
        return; // such a script is not edited as one text
    if (left.after.empty() && boundarySurvives(left, lines[index + 1]))
        return; // Chinese needs no space
    if (left.after.empty())
        left.after = "\n";
    if (left.after.find("\n\n") == std::string::npos && !boundarySurvives(left, lines[index + 1]))
        left.after = "\n\n";
}

void keepBordersAround(std::vector<Line>& lines, std::size_t first, std::size_t count)
{
    if (first > 0)
        keepBorder(lines, first - 1);
    if (count > 0)
        keepBorder(lines, first + count - 1);
}

std::string countText(int count)
{
    return count == 1 ? "1 line" : std::to_string(count) + " lines";
}

Result<void> hasTextScene(const Document& document)
{
    if (std::any_of(document.scenes.begin(), document.scenes.end(), speaksText))
        return {};
    return fail(ErrorCode::InvalidArgument,
                "This project speaks a recording; it has no lines to edit.");
}

// Where a line with the number `number` is to be put: before the line that has it now, or at the end.
Result<LinePlace> placeFor(const Document& document, int number)
{
    LQ_CHECKED(hasTextScene(document));
    const int count = lineCount(document);
    if (number < 1 || number > count + 1)
        return fail(ErrorCode::InvalidArgument,
                    "A line cannot be put at " + std::to_string(number) + ": the project has " +
                        countText(count) + ", so 1 to " + std::to_string(count + 1) +
                        " are possible.");
    if (number <= count)
        return findLine(document, number);
    for (std::size_t s = document.scenes.size(); s-- > 0;) {
        if (speaksText(document.scenes[s]))
            return LinePlace{s, document.scenes[s].lines.size()};
    }
    return fail(ErrorCode::Internal, "No scene for a line.");
}

Result<void> checkIds(const Document& document, const std::vector<Line>& lines)
{
    std::unordered_set<std::uint64_t> ids{0};
    for (const Scene& scene : document.scenes) {
        for (const Line& line : scene.lines)
            ids.insert(line.id);
    }
    for (const Line& line : lines) {
        if (!ids.insert(line.id).second)
            return fail(ErrorCode::InvalidArgument,
                        "A new line has the id " + idText(line.id) + ", which is taken.");
    }
    return {};
}

} // namespace

int lineCount(const Document& document)
{
    std::size_t count = 0;
    for (const Scene& scene : document.scenes)
        count += speaksText(scene) ? scene.lines.size() : 0;
    return static_cast<int>(count);
}

Result<LinePlace> findLine(const Document& document, int number)
{
    LQ_CHECKED(hasTextScene(document));
    const int count = lineCount(document);
    if (number < 1 || number > count)
        return fail(ErrorCode::InvalidArgument, "There is no line " + std::to_string(number) +
                                                    ": the project has " + countText(count) + ".");
    auto left = static_cast<std::size_t>(number - 1);
    std::size_t scene = 0;
    for (;; ++scene) {
        const Scene& candidate = document.scenes[scene];
        const std::size_t size = speaksText(candidate) ? candidate.lines.size() : 0;
        if (left < size)
            break;
        left -= size;
    }
    return LinePlace{scene, left};
}

Result<std::string> checkedLineText(const std::string& text)
{
    const auto script = speech::parseScript(text);
    if (!script)
        return fail(script.error().code() == ErrorCode::EmptyInput
                        ? Error(ErrorCode::EmptyInput, "The line has no words to say.")
                        : script.error());
    const std::size_t first = text.find_first_not_of(kBlank);
    const std::size_t last = text.find_last_not_of(kBlank);
    return text.substr(first, last - first + 1);
}

Result<void> checkPause(double seconds)
{
    if (seconds >= 0 && seconds <= speech::kMaxPauseSeconds)
        return {};
    return fail(ErrorCode::InvalidArgument, "A pause lasts 0 to 60 seconds.");
}

Result<Document> withLinesInserted(const Document& document, int number, std::vector<Line> lines)
{
    LQ_TRY(const LinePlace place, placeFor(document, number));
    LQ_CHECKED(checkIds(document, lines));
    for (const Line& line : lines) {
        if (line.pauseAfter)
            LQ_CHECKED(checkPause(*line.pauseAfter));
    }
    Document out = document;
    std::vector<Line>& target = out.scenes[place.scene].lines;
    const std::size_t count = lines.size();
    target.insert(at(target, place.line), std::make_move_iterator(lines.begin()),
                  std::make_move_iterator(lines.end()));
    keepBordersAround(target, place.line, count);
    return out;
}

Result<Document> withLineRemoved(const Document& document, int number)
{
    LQ_TRY(const LinePlace place, findLine(document, number));
    Document out = document;
    std::vector<Line>& lines = out.scenes[place.scene].lines;
    lines.erase(at(lines, place.line));
    keepBordersAround(lines, place.line, 0);
    return out;
}

Result<Document> withLineMoved(const Document& document, int number, int to)
{
    LQ_TRY(const LinePlace from, findLine(document, number));
    LQ_CHECKED(findLine(document, to));
    if (number == to)
        return document;
    LQ_TRY(Document out, withLineRemoved(document, number));
    return withLinesInserted(out, to, {document.scenes[from.scene].lines[from.line]});
}

Result<Document> withLineChanged(const Document& document, int number, const LineChange& change)
{
    LQ_TRY(const LinePlace place, findLine(document, number));
    Document out = document;
    std::vector<Line>& lines = out.scenes[place.scene].lines;
    Line& line = lines[place.line];
    if (change.text) {
        const bool soundAlone = line.recording && change.text->find_first_not_of(kBlank) == std::string::npos;
        auto text = soundAlone ? Result<std::string>(std::string()) : checkedLineText(*change.text);
        if (!text)
            return fail(std::move(text).error().addContext("changing line " +
                                                           std::to_string(number)));
        line.text = std::move(*text);
        keepBordersAround(lines, place.line, 1);
    }
    if (line.recording && change.voice && !change.voice->empty())
        return fail(ErrorCode::InvalidArgument,
                    "Line " + std::to_string(number) + " is recorded: it has no voice to choose.");
    if (change.pauseAfter) {
        if (*change.pauseAfter)
            LQ_CHECKED(checkPause(**change.pauseAfter));
        line.pauseAfter = *change.pauseAfter;
    }
    line.prompt = change.prompt.value_or(line.prompt);
    line.voice = change.voice.value_or(line.voice);
    if (change.takeSeed) {
        line.takeSeed = *change.takeSeed;
        line.chosenTake = 0; // it would hide the new one
    }
    return out;
}

int relinkRecording(Document& document, const std::string& sha256, const std::filesystem::path& file)
{
    int count = 0;
    for (Scene& scene : document.scenes) {
        for (Line& line : scene.lines) {
            if (line.recording && line.recording->sha256 == sha256) {
                line.recording->file = file;
                ++count;
            }
        }
    }
    return count;
}

} // namespace loquor::project
