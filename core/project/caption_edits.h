// Captions that the user writes for a line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/project/document.h"

namespace loquor::project {

// Whether the line still says the words its captions were written for; true without any.
bool captionsFit(const Line& line);

// The line `number` with these captions, in order; empty: they are made of its text again. Errors: as findLine;
// EmptyInput and InvalidArgument of speech::placedCaptions, naming the line.
Result<Document> withCaptions(const Document& document, int number, const std::vector<std::string>& captions);

} // namespace loquor::project
