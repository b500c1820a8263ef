// Cuts a line into clauses, the units that are synthesized at once: small ones first, so that sound is
// there early, and none so long that cancelling has to wait. Pure functions, linear time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/speech/script.h"

namespace loquor::speech {

// Estimated lengths; cuts fall behind punctuation, else before conjunctions, else at spaces.
struct ClauseLimits
{
    double firstSeconds = 2.0; // wish for the first clause of a line
    double otherSeconds = 5.0; // wish for all others
    double factor = 1.5;       // how much longer a clause may get to end at a better place
};

// Bytes [begin, end) of the line, and the silence that directions ask for around them.
struct Clause
{
    std::int32_t begin = 0;
    std::int32_t end = 0;
    double pauseBefore = 0;
    double pauseAfter = 0;
    bool endsSentence = false; // the last of its line
};

// Clauses of a line in order; [pause] directions cut. A line without words gives one empty clause that
// holds its pauses.
std::vector<Clause> planClauses(const ScriptLine& line, std::string_view language, const ClauseLimits& limits = {});

// How long it takes to say the text, within some 20 %.
double estimateSeconds(std::string_view text);

// One stretch without inner pause and the mark that ends it: ',' ';' ':' '.' '!' '?' or 0.
struct MarkedPart
{
    std::int32_t begin = 0; // bytes of the text given
    std::int32_t end = 0;   // without the mark
    char mark = 0;
};
// Splits at punctuation that is heard as a pause. "3.5", "10:30", "e.g." and "Dr. Lee" stay whole.
// Parts without any word are left out; their mark is dropped.
std::vector<MarkedPart> splitAtMarks(std::string_view text, std::string_view language);

} // namespace loquor::speech
