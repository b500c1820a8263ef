// What the steps of the reference builder share while a portrait is made. Internal to
// core/portrait.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <opencv2/core.hpp>

#include "core/base/error.h"
#include "core/portrait/face_observation.h"
#include "core/portrait/portrait_model.h"

namespace loquor::portrait {

using Vector2 = Eigen::Vector2d;
using Vector3 = Eigen::Vector3d;
using SparseMatrix = Eigen::SparseMatrix<double>; // column-major

// Head frame against image frame: X = R * XH * u + M0.
struct HeadFrame
{
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    Vector3 origin = Vector3::Zero();
    double u = 1;

    Vector3 toHead(const Vector3& image) const { return R.transpose() * (image - origin) / u; }
    Vector3 toImage(const Vector3& head) const { return R * head * u + origin; }
    // Image direction (unit, in the picture plane) of the head's right and down.
    Vector2 right() const { return R.col(0).head<2>().normalized(); }
    Vector2 down() const { return R.col(1).head<2>().normalized(); }
};

// The cut mesh, vertices in canvas coordinates.
struct Mesh
{
    std::vector<Vector2> xy;
    std::vector<double> z;     // image depth; NaN until the solver fills it
    std::vector<Vector3> head; // head frame
    std::vector<std::array<int, 3>> triangles;
    std::array<int, 468>
        landmark{}; // vertex of each landmark (an alias when it lies too close to one)
    std::vector<int> upperInner, lowerInner;
    std::array<std::vector<int>, 2> upperLid, lowerLid;
    std::vector<double> insideOval; // signed distance to the face oval / u, > 0 inside

    int size() const { return static_cast<int>(xy.size()); }
    Vector3 image(int i) const
    {
        const auto k = static_cast<std::size_t>(i);
        return {xy[k].x(), xy[k].y(), z[k]};
    }
};

// Everything a step reads or leaves for later steps. One thread.
struct ReferenceWork
{
    const FaceObservation& face;
    PortraitModel& model;

    cv::Mat rgb;                 // 8-bit RGB canvas (view)
    cv::Mat rgbF;                // the same as float
    cv::Mat gray;                // luminance, float 0..255
    std::array<Vector3, 478> lm; // landmarks, image frame
    HeadFrame frame;

    bool open = false; // parted lips
    double smile = 0;  // 0..1, how much of a smile an open mouth shows
    Mesh mesh;
    SparseMatrix laplacian;                                 // cotangent, positive semi-definite
    SparseMatrix blend;                                     // L M^-1 L (.08 u)^2 + .15 L
    Eigen::SparseMatrix<double, Eigen::RowMajor> smoothing; // two rounds of 1-ring means

    // Lip knots in the head frame, contours UI LI UO LO, of the photo and neutral.
    std::array<std::array<Vector3, kLipKnots>, 4> refLips{}, neutralLips{};

    // Open mouths: what find-teeth saw.
    cv::Mat mouthMask; // 8-bit, antialiased opening
    cv::Mat toothMask; // float, soft
    bool photoTeeth = false;
    std::vector<double> incisalX, incisalY; // head frame, per lip sample
    double incisal = 0;                     // head frame y of the upper incisal edge at the centre

    cv::Mat layerRgb;   // 8-bit RGB: foreground colours, then the face after clean-up
    cv::Mat layerAlpha; // 8-bit
    cv::Mat cleanRgb;   // 8-bit RGB: the photo after clean-up, everywhere

    std::vector<Vector3> normals; // per vertex at rest, smoothed, towards the viewer is -z
    double whiteLevel = 200;      // luminance of white in this light
    Vector3 white = Vector3::Constant(200);

    ReferenceWork(const FaceObservation& f, PortraitModel& m) : face(f), model(m) {}

    double u() const { return frame.u; }
    cv::Size size() const { return rgb.size(); }
    Vector2 point(int landmark) const { return lm[static_cast<std::size_t>(landmark)].head<2>(); }
    Vector3 headLandmark(int landmark) const
    {
        return frame.toHead(lm[static_cast<std::size_t>(landmark)]);
    }
    // Head position of the vertex that stands for a landmark.
    const Vector3& headVertex(int landmark) const
    {
        return mesh
            .head[static_cast<std::size_t>(mesh.landmark[static_cast<std::size_t>(landmark)])];
    }
    template<class List>
    std::vector<cv::Point2f> points(const List& landmarks) const
    {
        std::vector<cv::Point2f> out;
        out.reserve(std::size(landmarks));
        for (const int l : landmarks)
            out.emplace_back(static_cast<float>(point(l).x()), static_cast<float>(point(l).y()));
        return out;
    }
    // Closed outline from two vertex chains with shared ends.
    std::vector<cv::Point2f> outline(const std::vector<int>& upper,
                                     const std::vector<int>& lower) const;
};

// Catmull-Rom matrix as Eigen (rows = samples).
Eigen::MatrixXd catmullRom(int knots, int subSteps);

// Weight 0..1 of the corridors of the nasolabial folds, in a box of the canvas.
cv::Mat foldCorridor(const ReferenceWork& work, const cv::Rect& box);

// The steps, in order. Each reads what the ones before left.
void makeMatteAndPlate(ReferenceWork& work);
Result<void> makeMesh(ReferenceWork& work); // also depth and solver matrices
void findTeeth(ReferenceWork& work);
void makeNeutralLips(ReferenceWork& work);
void findGlasses(ReferenceWork& work);
void cleanPhoto(ReferenceWork& work);
void makeLidTexture(ReferenceWork& work);
void makeWrinkles(ReferenceWork& work);
void makeFields(ReferenceWork& work);
void fitLight(ReferenceWork& work);
void makeEyes(ReferenceWork& work);
void makeMouth(ReferenceWork& work);

} // namespace loquor::portrait
