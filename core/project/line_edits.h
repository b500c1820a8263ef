// Edits of the lines of a project. Each takes a document and gives the changed one or an error: the
// one before is the undo step. Lines are numbered from 1 through all scenes that speak a text, in
// order. Errors are InvalidArgument and EmptyInput and name the line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/project/ids.h"

namespace loquor::project {

// Where a line is.
struct LinePlace
{
    std::size_t scene = 0, line = 0; // from 0
};

int lineCount(const Document& document);
// "There is no line 7: the project has 3 lines."
Result<LinePlace> findLine(const Document& document, int number);

// Puts the lines before line `number`; lineCount + 1 = at the end. They must have ids, and texts or recordings.
Result<Document> withLinesInserted(const Document& document, int number, std::vector<Line> lines);
Result<Document> withLineRemoved(const Document& document, int number);
// Afterwards the line has the number `to`.
Result<Document> withLineMoved(const Document& document, int number, int to);

// What changes; what is absent stays.
struct LineChange
{
    std::optional<std::string> text;   // stays one line however many sentences it has; "" of a recorded one only
    std::optional<std::string> prompt; // "" = the scene's
    std::optional<std::string> voice;  // "" = the scene's; a recorded line has none
    std::optional<std::optional<double>> pauseAfter;
    std::optional<std::uint64_t> takeSeed; // no take is chosen then
};
Result<Document> withLineChanged(const Document& document, int number, const LineChange& change);

// Points all lines of this recording (same content) to the place where its file is now; how many they are.
int relinkRecording(Document& document, const std::string& sha256, const std::filesystem::path& file);

// White space at the ends removed. EmptyInput when nothing is left or there is no word in it, Corrupt
// when it is not UTF-8, InvalidArgument for NUL bytes.
Result<std::string> checkedLineText(const std::string& text);
// 0 .. 60 s.
Result<void> checkPause(double seconds);

} // namespace loquor::project
