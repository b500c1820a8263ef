// The small texts of a line: its motion prompt, its tags, a frame rate, and what the store keeps about its sound.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/base/time.h"
#include "core/portrait/motion_solver.h"
#include "core/session/line_speech.h"

namespace {

void demand(bool condition)
{
    if (!condition)
        std::abort();
}

void checkPrompt(const std::string& text)
{
    using namespace loquor::portrait;
    const Style style = readPrompt(text).style;
    demand(style.energy >= 0 && style.energy <= 2 && style.headMotion >= 0 && style.headMotion <= 3);
    demand(style.smile >= 0 && style.smile <= 1);
    (void)cueFromTag(text);
}

void checkRate(const std::string& text)
{
    const auto rate = loquor::Rational::parse(text);
    if (!rate)
        return;
    demand(rate->den > 0 && rate->num >= 0);
    demand(loquor::Rational::parse(rate->toString()) == *rate);
}

void checkFacts(const std::string& text)
{
    using namespace loquor::session;
    const auto facts = readLineFacts(text);
    if (!facts)
        return;
    demand(facts->frames > 0);
    for (const loquor::comm::LineCue& cue : facts->cues)
        demand(std::isfinite(cue.time) && std::isfinite(cue.strength));
    demand(readLineFacts(lineFacts(*facts)).has_value());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    checkPrompt(text);
    checkRate(text);
    checkFacts(text);
    return 0;
}
