#include "core/portrait/face_layer.h"

#include <cmath>
#include <numeric>

#include "core/base/check.h"
#include "core/portrait/vector_math.h"

namespace loquor::portrait {
namespace {

constexpr float kSkirtReach = 3.f; // px under the soft edge of a hole

std::size_t index(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

std::int32_t toGridUnits(float value, float limit)
{
    const float scaled = std::clamp(value, -limit, limit) * static_cast<float>(kSubpixels);
    return static_cast<std::int32_t>(scaled + (scaled < 0 ? -.5f : .5f));
}

} // namespace

FaceLayer::FaceLayer(PortraitModelPtr model, TileKernel kernel)
    : m_model(std::move(model)), m_kernel(kernel), m_picture(m_model->width, m_model->height, 3),
      m_texture(m_model)
{
    const PortraitModel& m = *m_model;
    m_tilesX = (m.width + kTileSize - 1) / kTileSize;
    m_tilesY = (m.height + kTileSize - 1) / kTileSize;
    makeTriangles();
    setPlate(m.plate);
}

void FaceLayer::setPlate(const Image& plate)
{
    LOQUOR_CHECK(plate.channels == 3 && plate.width == m_model->width &&
                 plate.height == m_model->height);
    m_plate = plate;
    m_lastGrid.clear();
}

// Triangles that sample nothing but transparent pixels need not be drawn at all.
bool FaceLayer::showsPerson(std::int32_t triangle) const
{
    const PortraitModel& m = *m_model;
    std::array<Point2, 3> corners{};
    for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t v = index(m.triangles[3 * index(triangle) + c]);
        corners[c] = {m.restXY[2 * v], m.restXY[2 * v + 1]};
    }
    // The margin covers the sampling filter and the sliding of the lips' texture.
    const Box box = boundsOf(corners, 4.f + .05f * m.u, m.width, m.height);
    for (int y = box.top; y < box.bottom; ++y)
        for (int x = box.left; x < box.right; ++x)
            if (m.layer.row(y)[4 * x + 3] != 0)
                return true;
    return false;
}

void FaceLayer::makeTriangles()
{
    const PortraitModel& m = *m_model;
    const std::size_t count = m.triangles.size() / 3;
    std::vector<float> depth(count, 0.f);
    std::vector<std::int32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t t = 0; t < count; ++t)
        for (std::size_t c = 0; c < 3; ++c)
            depth[t] += m.restX0[3 * index(m.triangles[3 * t + c]) + 2];
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return depth[index(a)] > depth[index(b)];
    });
    for (const std::int32_t t : order)
        if (showsPerson(t))
            for (std::size_t c = 0; c < 3; ++c)
                m_triangles.push_back(m.triangles[3 * index(t) + c]);

    // A strip along each rim of a hole, so that the face exists under the hole's soft edge.
    const auto vertices = static_cast<std::int32_t>(m.restXY.size() / 2);
    auto addStrip = [&](const std::vector<int>& rim, const std::vector<int>& opposite) {
        const std::int32_t base = vertices + static_cast<std::int32_t>(m_skirt.size());
        for (std::size_t i = 0; i < rim.size(); ++i)
            m_skirt.push_back({rim[i], opposite[i]});
        for (std::size_t i = 0; i + 1 < rim.size(); ++i) {
            const auto j = base + static_cast<std::int32_t>(i);
            m_triangles.insert(m_triangles.end(), {rim[i], rim[i + 1], j});
            m_triangles.insert(m_triangles.end(), {rim[i + 1], j + 1, j});
        }
    };
    auto addHole = [&](const std::vector<int>& a, const std::vector<int>& b) {
        addStrip(a, b);
        addStrip(b, a);
    };
    addHole(m.upperInner, m.lowerInner);
    for (const EyeModel& eye : m.eyes)
        addHole(eye.upper, eye.lower);
    m_grid.resize(index(vertices) + m_skirt.size());
    m_dirtyVertex.resize(m_grid.size());
    m_dirtyTriangle.resize(m_triangles.size() / 3);
}

void FaceLayer::toGrid(const FrameGeometry& geometry)
{
    const float limit = 16000.f; // px: far outside, and no overflow on the grid
    for (std::size_t i = 0; i < geometry.x.size(); ++i) {
        GridVertex& g = m_grid[i];
        g.x = toGridUnits(geometry.x[i], limit);
        g.y = toGridUnits(geometry.y[i], limit);
        g.u = toGridUnits(geometry.u[i], limit);
        g.v = toGridUnits(geometry.v[i], limit);
        // 1/1024 steps: finer light changes are invisible and would redraw the whole face
        const float light = std::clamp(geometry.gain[i], 1.f / 1024, 1.99f);
        g.gain = static_cast<std::int32_t>(std::floor(light * 1024.f + .5f)) * (kGainOne / 1024);
    }
    placeSkirts(geometry);
}

void FaceLayer::placeSkirts(const FrameGeometry& geometry)
{
    const std::size_t base = geometry.x.size();
    for (std::size_t i = 0; i < m_skirt.size(); ++i) {
        const std::size_t rim = index(m_skirt[i].rim), opposite = index(m_skirt[i].opposite);
        const float dx = geometry.x[opposite] - geometry.x[rim];
        const float dy = geometry.y[opposite] - geometry.y[rim];
        const float length = std::sqrt(dx * dx + dy * dy);
        const float reach = std::min(.5f, kSkirtReach / std::max(length, 1e-6f));
        GridVertex g = m_grid[rim];
        g.x = toGridUnits(geometry.x[rim] + dx * reach, 16000.f);
        g.y = toGridUnits(geometry.y[rim] + dy * reach, 16000.f);
        m_grid[base + i] = g;
    }
}

void FaceLayer::markTexture(const std::vector<Box>& changed)
{
    std::fill(m_dirtyTriangle.begin(), m_dirtyTriangle.end(), 0);
    for (const Box& box : changed) {
        const int left = box.left * kSubpixels, right = box.right * kSubpixels;
        const int top = box.top * kSubpixels, bottom = box.bottom * kSubpixels;
        for (std::size_t t = 0; t < m_dirtyTriangle.size(); ++t) {
            const GridVertex& a = m_grid[index(m_triangles[3 * t])];
            const GridVertex& b = m_grid[index(m_triangles[3 * t + 1])];
            const GridVertex& c = m_grid[index(m_triangles[3 * t + 2])];
            if (std::max({a.u, b.u, c.u}) >= left && std::min({a.u, b.u, c.u}) <= right &&
                std::max({a.v, b.v, c.v}) >= top && std::min({a.v, b.v, c.v}) <= bottom)
                m_dirtyTriangle[t] = 1;
        }
    }
}

void FaceLayer::markTriangle(std::size_t triangle, const std::vector<GridVertex>& vertices)
{
    const GridVertex& a = vertices[index(m_triangles[3 * triangle])];
    const GridVertex& b = vertices[index(m_triangles[3 * triangle + 1])];
    const GridVertex& c = vertices[index(m_triangles[3 * triangle + 2])];
    constexpr int kTileUnits = kTileSize * kSubpixels;
    const int x0 = std::max(0, std::min({a.x, b.x, c.x}) / kTileUnits);
    const int x1 = std::min(m_tilesX - 1, std::max({a.x, b.x, c.x}) / kTileUnits);
    const int y0 = std::max(0, std::min({a.y, b.y, c.y}) / kTileUnits);
    const int y1 = std::min(m_tilesY - 1, std::max({a.y, b.y, c.y}) / kTileUnits);
    for (int y = y0; y <= y1; ++y)
        for (int x = x0; x <= x1; ++x)
            m_dirtyTile[static_cast<std::size_t>(y * m_tilesX + x)] = 1;
}

void FaceLayer::markChanges()
{
    m_dirtyTile.assign(static_cast<std::size_t>(tileCount()), m_lastGrid.empty() ? 1 : 0);
    if (!m_lastGrid.empty()) {
        for (std::size_t i = 0; i < m_grid.size(); ++i)
            m_dirtyVertex[i] = !(m_grid[i] == m_lastGrid[i]);
        for (std::size_t t = 0; t < m_dirtyTriangle.size(); ++t) {
            const std::int32_t* v = m_triangles.data() + 3 * t;
            if (!m_dirtyTriangle[t] && !m_dirtyVertex[index(v[0])] && !m_dirtyVertex[index(v[1])] &&
                !m_dirtyVertex[index(v[2])])
                continue;
            markTriangle(t, m_lastGrid);
            markTriangle(t, m_grid);
        }
    }
    m_dirtyTiles.clear();
    for (std::size_t i = 0; i < m_dirtyTile.size(); ++i)
        if (m_dirtyTile[i])
            m_dirtyTiles.push_back(static_cast<std::int32_t>(i));
}

void FaceLayer::bin()
{
    // Two passes over the triangles: count the members of each dirty tile, then fill.
    constexpr int kTileUnits = kTileSize * kSubpixels;
    auto visit = [&](auto&& each) {
        for (std::size_t t = 0; t < m_triangles.size() / 3; ++t) {
            const GridVertex& a = m_grid[index(m_triangles[3 * t])];
            const GridVertex& b = m_grid[index(m_triangles[3 * t + 1])];
            const GridVertex& c = m_grid[index(m_triangles[3 * t + 2])];
            const int x0 = std::max(0, std::min({a.x, b.x, c.x}) / kTileUnits);
            const int x1 = std::min(m_tilesX - 1, std::max({a.x, b.x, c.x}) / kTileUnits);
            const int y0 = std::max(0, std::min({a.y, b.y, c.y}) / kTileUnits);
            const int y1 = std::min(m_tilesY - 1, std::max({a.y, b.y, c.y}) / kTileUnits);
            for (int y = y0; y <= y1; ++y)
                for (int x = x0; x <= x1; ++x)
                    if (const auto tile = static_cast<std::size_t>(y * m_tilesX + x);
                        m_dirtyTile[tile])
                        each(tile, static_cast<std::int32_t>(t));
        }
    };
    m_binStart.assign(m_dirtyTile.size() + 1, 0);
    visit([&](std::size_t tile, std::int32_t) { ++m_binStart[tile + 1]; });
    std::partial_sum(m_binStart.begin(), m_binStart.end(), m_binStart.begin());
    m_binMembers.resize(index(m_binStart.back()));
    std::vector<std::int32_t> fill(m_binStart.begin(), m_binStart.end() - 1);
    visit([&](std::size_t tile, std::int32_t t) { m_binMembers[index(fill[tile]++)] = t; });
}

void FaceLayer::prepare(const FrameGeometry& geometry, const Expression& expression)
{
    toGrid(geometry);
    markTexture(m_texture.update(expression));
    markChanges();
    if (!m_dirtyTiles.empty())
        bin();
}

TileJob FaceLayer::jobOf(std::size_t dirty, Image& out) const
{
    const std::int32_t tile = m_dirtyTiles[dirty];
    TileJob job;
    job.vertices = m_grid.data();
    job.triangles = m_triangles.data();
    job.members = m_binMembers.data() + m_binStart[index(tile)];
    job.memberCount = index(m_binStart[index(tile) + 1] - m_binStart[index(tile)]);
    job.texture = m_texture.fine();
    job.x0 = tile % m_tilesX * kTileSize;
    job.y0 = tile / m_tilesX * kTileSize;
    job.width = std::min(kTileSize, m_model->width - job.x0);
    job.height = std::min(kTileSize, m_model->height - job.y0);
    job.stride = out.stride();
    const std::size_t at = job.stride * static_cast<std::size_t>(job.y0) +
                           3 * static_cast<std::size_t>(job.x0);
    job.plate = m_plate.data.data() + at;
    job.out = out.data.data() + at;
    return job;
}

void FaceLayer::drawTiles(WorkerPool& pool, Image& out)
{
    const std::function<void(std::size_t)> draw = [&](std::size_t i) {
#if defined(__x86_64__)
        if (m_kernel == drawTileAvx2 && i + 1 < m_dirtyTiles.size())
            prefetchTileAvx2(jobOf(i + 1, out));
#endif
        m_kernel(jobOf(i, out));
    };
    pool.run(m_dirtyTiles.size(), draw);
}

int FaceLayer::draw(WorkerPool& pool)
{
    if (m_dirtyTiles.empty())
        return 0;
    drawTiles(pool, m_picture);
    m_lastGrid = m_grid;
    return static_cast<int>(m_dirtyTiles.size());
}

const std::vector<Box>& FaceLayer::drawAside(const FrameGeometry& geometry, const Box& area, int top,
                                             float least, WorkerPool& pool, Image& out)
{
    toGrid(geometry); // prepare() makes the grid of the next frame anew
    const auto far = static_cast<std::int32_t>(least * kSubpixels);
    for (std::size_t i = 0; i < m_grid.size(); ++i)
        m_dirtyVertex[i] = std::abs(m_grid[i].x - m_lastGrid[i].x) > far ||
                           std::abs(m_grid[i].y - m_lastGrid[i].y) > far;
    m_dirtyTile.assign(static_cast<std::size_t>(tileCount()), 0);
    for (std::size_t t = 0; t < m_dirtyTriangle.size(); ++t) {
        const std::int32_t* v = m_triangles.data() + 3 * t;
        if (!m_dirtyVertex[index(v[0])] && !m_dirtyVertex[index(v[1])] && !m_dirtyVertex[index(v[2])])
            continue;
        markTriangle(t, m_lastGrid);
        markTriangle(t, m_grid);
    }
    m_dirtyTiles.clear();
    m_aside.clear();
    for (std::int32_t tile = 0; tile < tileCount(); ++tile) {
        const int x = tile % m_tilesX * kTileSize, y = tile / m_tilesX * kTileSize;
        const bool inArea = x < area.right && x + kTileSize > area.left && y < area.bottom && y + kTileSize > area.top;
        m_dirtyTile[index(tile)] = inArea || (y >= top && m_dirtyTile[index(tile)]);
        if (!m_dirtyTile[index(tile)])
            continue;
        m_dirtyTiles.push_back(tile);
        if (y >= top)
            m_aside.push_back({x, y, std::min(x + kTileSize, m_model->width), std::min(y + kTileSize, m_model->height)});
    }
    bin();
    drawTiles(pool, out);
    return m_aside;
}

} // namespace loquor::portrait
