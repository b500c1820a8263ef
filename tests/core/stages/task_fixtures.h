// Lines for the tests of project runs: short speech with sounds and cues.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/stages/tasks.h"

namespace loquor::stages::made {

inline constexpr int kRate = 16000;

// `frames` frames at 25 per second, or the samples that fit `fps`.
inline LineTask line(std::uint64_t task, int frames, bool phonemes = true, Rational fps = {25, 1})
{
    LineTask out;
    out.task = task;
    out.lineId = 1000 + task;
    out.number = static_cast<int>(task);
    out.seed = 31 * task;
    out.style.headMotion = 1 + .1 * static_cast<double>(task % 3);
    const SampleIndex samples = firstSampleOf(frames, kRate, fps);
    out.audio = {kRate, 1, std::vector<float>(static_cast<std::size_t>(samples))};
    for (std::size_t i = 0; i < out.audio.samples.size(); ++i)
        out.audio.samples[i] = .4f * static_cast<float>(std::sin(static_cast<double>(i) * (.04 + .004 * static_cast<double>(task))) *
                                                        std::sin(static_cast<double>(i) * .0006));
    const char* symbols[] = {"m", "a", "p", "i", "s", "o", "b", "u", "", ""};
    const double seconds = static_cast<double>(samples) / kRate;
    for (int k = 0; phonemes && (k + 1) * .1 < seconds; ++k)
        out.sounds.push_back({symbols[(static_cast<std::size_t>(k) + task) % 10], k * .1, k * .1 + .1, 1, k % 4 == 1});
    out.cues = {{portrait::CueKind::Nod, .2, 1}};
    return out;
}

// The same line said bit by bit: its beginning, and what follows.
inline std::pair<LineTask, std::vector<LinePiece>> inPieces(const LineTask& line, std::size_t samples)
{
    std::vector<LinePiece> pieces;
    std::size_t sounds = 0, cues = 0;
    for (std::size_t at = 0; at < line.audio.samples.size(); at += samples) {
        const std::size_t end = std::min(line.audio.samples.size(), at + samples);
        LinePiece piece{line.task, {kRate, 1, {}}, {}, {}, end == line.audio.samples.size(), static_cast<double>(end) / kRate};
        piece.audio.samples.assign(line.audio.samples.data() + at, line.audio.samples.data() + end);
        for (; sounds < line.sounds.size() && (piece.isLast || line.sounds[sounds].end <= piece.known); ++sounds)
            piece.sounds.push_back(line.sounds[sounds]);
        if (sounds < line.sounds.size()) // it may still change
            piece.known = std::min(piece.known, line.sounds[sounds].start);
        for (; cues < line.cues.size() && (piece.isLast || line.cues[cues].time < piece.known); ++cues)
            piece.cues.push_back(line.cues[cues]);
        pieces.push_back(std::move(piece));
    }
    LineTask first = line;
    first.audio = std::move(pieces.front().audio);
    first.sounds = std::move(pieces.front().sounds);
    first.cues = std::move(pieces.front().cues);
    first.open = !pieces.front().isLast;
    first.known = pieces.front().known;
    pieces.erase(pieces.begin());
    return {std::move(first), std::move(pieces)};
}

} // namespace loquor::stages::made
