// A subset of W3C's Speech Synthesis Markup Language (SSML 1.1), turned into script text with tags on import, so that
// a project stores one kind of script. What is read, and as what: docs/script.md. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/speech/script.h"

namespace loquor::speech {

// True for a text that begins with a <speak> element, an XML declaration and comments before it allowed.
bool looksLikeSsml(std::string_view text);

struct SsmlScript
{
    std::string text;                // a script
    std::string language;            // normalized, of xml:lang; "" = not said
    std::vector<ScriptIssue> issues; // places in the SSML: what was left out, or read otherwise
};

// Errors: Corrupt (not well-formed, no <speak>, nested too deep; with line and column), Unsupported (a document
// type: entities of its own could blow it up), InvalidArgument (longer than kMaxScriptBytes), EmptyInput (no words).
Result<SsmlScript> scriptFromSsml(std::string_view text);

} // namespace loquor::speech
