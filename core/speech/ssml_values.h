// Values of SSML attributes as numbers. Internal to ssml.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace loquor::speech {

// "500ms", "1.5s"; nothing when it is none of them.
std::optional<double> ssmlSeconds(std::string_view text);
// Seconds of a break: "none", "x-weak" ... "x-strong"; "" = as without an attribute.
std::optional<double> ssmlStrength(std::string_view text);
// Names ("slow"), factors ("1.2"), percentages ("80%", "+10%"). `outer`: of the element around it.
std::optional<double> ssmlRate(std::string_view text, double outer);
// Semitones: names ("high"), "+2st", "-10%". Hertz are nothing: they depend on the voice.
std::optional<double> ssmlPitch(std::string_view text, double outer);
// Decibels: names ("soft", "silent"), "+6dB", "0" to "100".
std::optional<double> ssmlVolume(std::string_view text, double outer);
// "AB1" -> "A-B 1": every character by its name.
std::string ssmlSpelled(std::string_view words);
bool ssmlHasWord(std::string_view text);

} // namespace loquor::speech
