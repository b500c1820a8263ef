#include "core/project/recording_edits.h"

#include <algorithm>
#include <string>

#include "core/project/line_edits.h"

namespace loquor::project {

namespace {

constexpr std::int64_t kMicroseconds = 1'000'000;

std::string listed(const std::vector<int>& numbers)
{
    std::string out;
    for (const int number : numbers)
        out += (out.empty() ? "" : ", ") + std::to_string(number);
    return out;
}

} // namespace

Result<TakenIn> withImport(const Document& document, int number, const media::SoundImport& import, std::int64_t samples)
{
    LQ_TRY(const LinePlace place, findLine(document, number));
    const std::optional<Recording>& wanted = document.scenes[place.scene].lines[place.line].recording;
    if (!wanted)
        return fail(ErrorCode::InvalidArgument, "Line " + std::to_string(number) + " is not recorded: a voice says it.");
    TakenIn out{document, {}, {}};
    std::vector<int> outside;
    const std::int64_t moved = mulDivRound((wanted->import.from - import.from).count(), kRecordingRate, kMicroseconds);
    for (int at = 1; at <= lineCount(document); ++at) {
        LQ_TRY(const LinePlace line, findLine(document, at));
        std::optional<Recording>& part = out.document.scenes[line.scene].lines[line.line].recording;
        if (!part || part->sha256 != wanted->sha256 || part->import != wanted->import)
            continue;
        out.lines.push_back(at);
        const std::int64_t first = std::max<std::int64_t>(0, part->first + moved);
        const std::int64_t end = std::min(samples, part->first + moved + part->samples);
        if (end <= first) {
            outside.push_back(at);
            continue;
        }
        if (end - first < part->samples - 1) // one sample is rounding
            out.shortened.push_back(at);
        part->first = first;
        part->samples = end - first;
        part->import = import;
    }
    if (!outside.empty())
        return fail(ErrorCode::InvalidArgument, (outside.size() == 1 ? "Line " : "Lines ") + listed(outside) +
                                                    " would lie outside of what is left of the recording. Remove " +
                                                    (outside.size() == 1 ? "it" : "them") + " first (project remove-line).");
    return out;
}

Result<Document> withRecordingReplaced(const Document& document, int number, Recording part)
{
    LQ_TRY(const LinePlace place, findLine(document, number));
    Document out = document;
    Line& line = out.scenes[place.scene].lines[place.line];
    if (!line.recording)
        return fail(ErrorCode::InvalidArgument, "Line " + std::to_string(number) + " is not recorded: a voice says it.");
    if (part.samples <= 0 || part.first < 0)
        return fail(ErrorCode::InvalidArgument, "The new recording of line " + std::to_string(number) + " has no sound.");
    part.preserved = line.recording->preserved;
    line.recording = std::move(part);
    line.chosenTake = 0;
    return out;
}

} // namespace loquor::project
