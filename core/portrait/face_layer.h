// The moving photo: keeps the last drawn picture of person over plate and draws the tiles whose
// triangles changed. What a tile shows depends on the grid vertices alone, so drawing some tiles or
// all gives the same bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/media/image.h"
#include "core/portrait/face_geometry.h"
#include "core/portrait/face_texture.h"
#include "core/portrait/portrait_model.h"
#include "core/portrait/tile_kernel.h"
#include "core/portrait/worker_pool.h"

namespace loquor::portrait {

class FaceLayer
{
public:
    FaceLayer(PortraitModelPtr model, TileKernel kernel);

    void setPlate(const Image& plate);
    // Moves the picture to this geometry and expression: first what changes, then the tiles. draw()
    // returns how many.
    void prepare(const FrameGeometry& geometry, const Expression& expression);
    int draw(WorkerPool& pool);
    // Draws into `out` (of the picture's size) what lies elsewhere in another geometry of the same
    // expression, and leaves the kept picture alone: the tiles of `area`, and below `top` px those of
    // triangles that moved by more than `least` px. Returns the boxes of those below `top`.
    const std::vector<Box>& drawAside(const FrameGeometry& geometry, const Box& area, int top, float least,
                                      WorkerPool& pool, Image& out);
    int tileCount() const { return m_tilesX * m_tilesY; }
    const Image& picture() const { return m_picture; } // RGB

private:
    bool showsPerson(std::int32_t triangle) const;
    void makeTriangles();
    void toGrid(const FrameGeometry& geometry);
    void placeSkirts(const FrameGeometry& geometry);
    void markTexture(const std::vector<Box>& changed);
    void markTriangle(std::size_t triangle, const std::vector<GridVertex>& vertices);
    void markChanges();
    void bin();
    TileJob jobOf(std::size_t dirty, Image& out) const;
    void drawTiles(WorkerPool& pool, Image& out);

    PortraitModelPtr m_model;
    TileKernel m_kernel;
    Image m_plate, m_picture;
    int m_tilesX = 0, m_tilesY = 0;

    FaceTexture m_texture;
    std::vector<std::int32_t> m_triangles;         // drawing order: far to near, skirts last
    struct SkirtVertex
    {
        std::int32_t rim, opposite;
    };
    std::vector<SkirtVertex> m_skirt;              // grid vertices after those of the mesh
    std::vector<GridVertex> m_grid, m_lastGrid;    // m_lastGrid empty: nothing drawn yet
    std::vector<char> m_dirtyVertex, m_dirtyTile;
    std::vector<char> m_dirtyTriangle;
    std::vector<std::int32_t> m_dirtyTiles;
    std::vector<Box> m_aside;
    std::vector<std::int32_t> m_binStart, m_binMembers; // members of dirty tiles, in drawing order
};

} // namespace loquor::portrait
