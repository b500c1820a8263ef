// Changes of how the recordings of a project are taken in.
#pragma once

#include <vector>

#include "core/base/error.h"
#include "core/project/document.h"

namespace loquor::project {

struct TakenIn
{
    Document document;
    std::vector<int> lines;     // of this recording, by number
    std::vector<int> shortened; // those of them that reached over an end of the new part
};

// Takes the recording of line `number` in another way: all lines that were made of it (the same content, taken in the
// same way) keep their places in the file. `samples`: how many there are at kRecordingRate then. InvalidArgument: no such
// line, not a recorded one, or lines that would lie outside, which are named.
Result<TakenIn> withImport(const Document& document, int number, const media::SoundImport& import, std::int64_t samples);

// Line `number` is made of another recording from now on; its text, captions and place stay, and no older take of it is
// chosen any more. InvalidArgument: no such line, not a recorded one, a part without samples.
Result<Document> withRecordingReplaced(const Document& document, int number, Recording part);

} // namespace loquor::project
