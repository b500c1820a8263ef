// Permanent 64-bit numbers: of projects, lines and takes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/project/document.h"

namespace loquor::project {

// Gives numbers that are new with near certainty; never 0. Tests inject their own.
using IdSource = std::function<std::uint64_t()>;

// From the kernel's random numbers. Any thread.
IdSource randomIds();

// 16 hexadecimal digits: how ids stand in files and in output for programs.
std::string idText(std::uint64_t id);
// Nothing when `text` is not 1 to 16 hexadecimal digits.
std::optional<std::uint64_t> idFromText(std::string_view text);

// A document like Document{} with an id.
Document newDocument(const IdSource& ids);
// Gives the project and every line without an id one. True when there were any.
bool giveIds(Document& document, const IdSource& ids);
// What "save as" does with a copy: a project id of its own, so that takes chosen later in one of the
// two do not show in the other. Line ids stay, and with them everything already rendered.
void copyIdentity(Document& document, const IdSource& ids);

} // namespace loquor::project
