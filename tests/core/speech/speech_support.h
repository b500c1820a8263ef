// Shared by the tests of this folder: the data folder and one phoneme helper.
#pragma once

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

#include "core/speech/phoneme_client.h"
#include "core/speech/timing.h"

namespace loquor::speechtest {

inline std::filesystem::path dataFolder()
{
    return std::filesystem::path(LOQUOR_DEPS_DIR).parent_path();
}

inline std::filesystem::path helperProgram()
{
    return std::filesystem::path(LOQUOR_BIN_DIR) / "loquor-phonemes";
}

using speech::Phoneme;
using speech::PhonemeClient;
using speech::PhonemeClientOptions;
using speech::Timing;
using speech::Word;

inline std::shared_ptr<PhonemeClient> makeClient()
{
    PhonemeClientOptions options;
    options.program = helperProgram();
    options.timeout = std::chrono::milliseconds(30000);
    return std::make_shared<PhonemeClient>(options);
}

// Empty when the rules of Timing hold (see timing.h), else what is wrong.
inline std::string brokenRule(const Timing& timing)
{
    double last = 0;
    for (const Phoneme& p : timing.phonemes) {
        if (std::abs(p.start - last) > 1e-9)
            return "phoneme '" + p.symbol + "' does not start where the last one ends";
        if (p.end <= p.start)
            return "phoneme '" + p.symbol + "' has no length";
        last = p.end;
    }
    if (std::abs(last - timing.durationSeconds) > 1e-9)
        return "phonemes end at " + std::to_string(last) + ", the sound at " + std::to_string(timing.durationSeconds);
    double end = 0;
    for (const Word& w : timing.words) {
        if (w.start < end - 1e-9 || w.end <= w.start || w.textEnd <= w.textBegin)
            return "word '" + w.text + "' is out of order";
        end = w.end;
    }
    return end > timing.durationSeconds + 1e-9 ? "a word ends after the sound" : "";
}

} // namespace loquor::speechtest
