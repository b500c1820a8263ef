// The photo as the tiles sample it: doubled in resolution, with the parts that change by expression
// (closing lids, wrinkles) painted in. Its texels depend on the last update() alone.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/portrait/paint.h"
#include "core/portrait/portrait_model.h"
#include "core/portrait/tile_kernel.h"

namespace loquor::portrait {

// What paints itself into the texture.
struct Expression
{
    std::array<float, 2> blink{};          // image left eye first, 0..1
    std::array<float, 3> wrinkle{};        // amplitude of each Detail, about -1..1
};

class FaceTexture
{
public:
    explicit FaceTexture(PortraitModelPtr model);
    // Repaints what changed; returns the photo rectangles whose texels changed (one px of margin).
    const std::vector<Box>& update(const Expression& expression);
    const FineTexture& fine() const { return m_fine; }

private:
    static constexpr int kLidLevels = 64;
    static constexpr int kWrinkleLevels = 32; // steps of amplitude 1

    // Texels of a row that a patch changes.
    struct Run
    {
        int y = 0, left = 0, right = 0;
    };
    struct LidPatch
    {
        Box box;                       // texels
        std::vector<Run> runs;
        std::vector<std::uint8_t> lid; // RGB and weight
        int level = 0;
    };
    struct WrinkleMap
    {
        Box box;                       // texels
        std::vector<Run> runs;
        std::vector<std::int8_t> gain; // of 256
        int level = 0;
    };
    void makeLid(const EyeModel& eye, LidPatch& patch);
    void makeWrinkle(std::size_t channel, WrinkleMap& map);
    void repaint(const Run& run);
    void paintLids(const Run& run);
    void paintWrinkles(const Run& run);

    PortraitModelPtr m_model;
    std::vector<std::uint8_t> m_still, m_texels;
    FineTexture m_fine;
    std::array<LidPatch, 2> m_lids;
    std::array<WrinkleMap, 3> m_wrinkles;
    std::vector<Box> m_changed;
    std::vector<int> m_gain; // of a run
};

} // namespace loquor::portrait
