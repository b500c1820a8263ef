// Prompts as the open models were trained on: cleaned of what copying and pasting leaves behind.
#pragma once

#include <string>
#include <string_view>

namespace loquor::modules {

// The subset of Python's ftfy.fix_text, html.unescape and white-space cleaning that the published pipelines apply:
// bytes that are no UTF-8 become U+FFFD; UTF-8 that was read as Windows-1252 is read again; escapes of terminals and
// control characters go; those of C1 are read as Windows-1252; Latin ligatures, characters of full and half width and curly quotes become plain ones;
// composed characters (NFC); HTML references with numbers and those of Latin-1, quotes, dashes and arrows are
// resolved, twice; runs of white space become one space, none at the ends.
std::string cleanPrompt(std::string_view text);

} // namespace loquor::modules
