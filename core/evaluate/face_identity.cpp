#include "core/evaluate/face_identity.h"

#include <algorithm>

#include <dlib/dnn.h>
#include <dlib/image_processing.h>
#include <dlib/image_transforms.h>

#include "core/base/check.h"

namespace loquor::evaluate {

namespace {

// The network whose weights the model file holds, as dlib's documentation defines it.
template<template<int, template<typename> class, int, typename> class Block, int N,
         template<typename> class Norm, typename Subnet>
using Residual = dlib::add_prev1<Block<N, Norm, 1, dlib::tag1<Subnet>>>;
template<template<int, template<typename> class, int, typename> class Block, int N,
         template<typename> class Norm, typename Subnet>
using ResidualDown = dlib::add_prev2<dlib::avg_pool<2, 2, 2, 2, dlib::skip1<dlib::tag2<Block<N, Norm, 2, dlib::tag1<Subnet>>>>>>;
template<int N, template<typename> class Norm, int Stride, typename Subnet>
using Block = Norm<dlib::con<N, 3, 3, 1, 1, dlib::relu<Norm<dlib::con<N, 3, 3, Stride, Stride, Subnet>>>>>;
template<int N, typename Subnet>
using Unit = dlib::relu<Residual<Block, N, dlib::affine, Subnet>>;
template<int N, typename Subnet>
using Down = dlib::relu<ResidualDown<Block, N, dlib::affine, Subnet>>;
template<typename Subnet>
using Level0 = Down<256, Subnet>;
template<typename Subnet>
using Level1 = Unit<256, Unit<256, Down<256, Subnet>>>;
template<typename Subnet>
using Level2 = Unit<128, Unit<128, Down<128, Subnet>>>;
template<typename Subnet>
using Level3 = Unit<64, Unit<64, Unit<64, Down<64, Subnet>>>>;
template<typename Subnet>
using Level4 = Unit<32, Unit<32, Unit<32, Subnet>>>;
using Network = dlib::loss_metric<dlib::fc_no_bias<
    128, dlib::avg_pool_everything<Level0<Level1<Level2<Level3<Level4<dlib::max_pool<
             3, 3, 2, 2, dlib::relu<dlib::affine<dlib::con<32, 7, 7, 2, 2, dlib::input_rgb_image_sized<150>>>>>>>>>>>>>;

} // namespace

struct FaceIdentity::Impl
{
    dlib::shape_predictor landmarks;
    Network network;
};

FaceIdentity::FaceIdentity() : m(std::make_unique<Impl>()) {}
FaceIdentity::~FaceIdentity() = default;

Result<std::unique_ptr<FaceIdentity>> FaceIdentity::load(const std::filesystem::path& folder)
{
    const auto landmarks = folder / "shape_predictor_5_face_landmarks.dat";
    const auto network = folder / "dlib_face_recognition_resnet_model_v1.dat";
    for (const auto& file : {landmarks, network})
        if (!std::filesystem::exists(file))
            return fail(ErrorCode::NotFound, "the identity network is not installed (" + file.string() +
                                                 " is missing): run packaging/setup.sh --tests");
    std::unique_ptr<FaceIdentity> identity(new FaceIdentity);
    try {
        dlib::deserialize(landmarks.string()) >> identity->m->landmarks;
        dlib::deserialize(network.string()) >> identity->m->network;
    } catch (const std::exception& e) {
        return fail(ErrorCode::Corrupt, "the identity network in " + folder.string() + " cannot be read: " + e.what());
    }
    return identity;
}

std::array<float, 128> FaceIdentity::embed(const Image& rgb, const Box& box)
{
    LOQUOR_CHECK(rgb.channels == 3 && box.width > 0 && box.height > 0, "identity needs a face in an RGB image");
    dlib::matrix<dlib::rgb_pixel> image(rgb.height, rgb.width);
    for (int y = 0; y < rgb.height; ++y) {
        const std::uint8_t* p = rgb.row(y);
        for (int x = 0; x < rgb.width; ++x, p += 3)
            image(y, x) = dlib::rgb_pixel(p[0], p[1], p[2]);
    }
    const dlib::rectangle face(box.x, box.y, box.x + box.width, box.y + box.height);
    const auto shape = m->landmarks(image, face);
    dlib::matrix<dlib::rgb_pixel> chip;
    dlib::extract_image_chip(image, dlib::get_face_chip_details(shape, 150, 0.25), chip);
    const dlib::matrix<float, 0, 1> embedding = m->network(chip);
    std::array<float, 128> out{};
    std::copy(embedding.begin(), embedding.end(), out.begin());
    return out;
}

} // namespace loquor::evaluate
