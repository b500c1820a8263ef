#include <ATen/ATen.h>

#include "core/modules/wan/encoders.h"
#include "core/modules/wan/fit_picture.h"
#include "core/modules/wan/text_tokens.h"
#include "core/modules/wan/wan_vae.h"
#include "core/stages/avatar/tensors.h"
#include "core/weights/network_specs.h"

namespace loquor::stages {

namespace {

using modules::Parameters;

Result<void> doNotFit(const char* what, std::int64_t has, std::int64_t wants)
{
    if (has == wants)
        return {};
    return fail(ErrorCode::Corrupt, std::string("The ") + what + " does not fit the video network: it gives values of width " + std::to_string(has) + ", " +
                                        std::to_string(wants) + " is expected.");
}

// States of the prompt, [1, rows, width]; the encoder is gone afterwards.
Result<at::Tensor> readPrompt(const AvatarNetworks& networks, const std::string& prompt)
{
    LQ_TRY(const NetworkFiles files, openNetwork(networks.files, kTextNetwork));
    LQ_TRY(const weights::Umt5Config config, weights::readUmt5Config(files.config, files.configFile));
    LQ_CHECKED(doNotFit("text encoder", config.width, networks.videoConfig.textWidth));
    const auto model = networks.files.find(kTextModel);
    if (model == networks.files.end())
        return fail(ErrorCode::Corrupt, "The pack names no model that cuts text.");
    LQ_TRY(const std::shared_ptr<const modules::TextTokenizer> tokenizer, modules::TextTokenizer::open(model->second));
    LQ_CHECKED(doNotFit("model that cuts text", std::min(tokenizer->vocabulary(), config.vocabulary), tokenizer->vocabulary()));
    LQ_TRY(const Parameters parameters, Parameters::load(files.checkpoint, weights::umt5Spec(config), networks.placement));
    const auto tokens = tokenizer->encode(prompt, static_cast<std::size_t>(networks.videoConfig.textLength));
    const auto count = static_cast<std::int64_t>(tokens.count);
    const at::Device device(networks.placement.device);
    const at::Tensor ids = at::tensor(tokens.ids).narrow(0, 0, count).unsqueeze(0).to(device);
    return modules::Umt5Encoder(config, parameters).encode(ids, at::ones_like(ids)).to(at::kFloat);
}

Result<at::Tensor> lookAtPicture(const AvatarNetworks& networks, const at::Tensor& picture)
{
    LQ_TRY(const NetworkFiles files, openNetwork(networks.files, kImageNetwork));
    LQ_TRY(const weights::ClipVisionConfig config, weights::readClipVisionConfig(files.config, files.configFile));
    LQ_CHECKED(doNotFit("image encoder", config.width, networks.videoConfig.imageWidth));
    LQ_TRY(const Parameters parameters, Parameters::load(files.checkpoint, weights::clipVisionSpec(config), networks.placement));
    const modules::ClipVisionEncoder encoder(config, parameters);
    return encoder.encode(encoder.prepare(picture.select(2, 0)).to(scalarType(networks.placement.precision))).to(at::kFloat);
}

} // namespace

at::ScalarType scalarType(modules::Precision precision)
{
    switch (precision) {
    case modules::Precision::Float32: break;
    case modules::Precision::BFloat16: return at::kBFloat16;
    case modules::Precision::Float16: return at::kHalf;
    }
    return at::kFloat;
}

at::Tensor encoded(const AvatarNetworks& networks, const at::Tensor& video)
{
    return networks.vae->encode(video.to(scalarType(networks.placement.precision))).to(at::kFloat);
}

AvatarReferencePtr makeAvatarReference(const AvatarNetworks& networks, const at::Tensor& picture, const at::Tensor& text, const at::Tensor& image)
{
    auto out = std::make_shared<AvatarReference>();
    out->picture = picture;
    const std::int64_t following = networks.plan.frames - 1;
    if (networks.plan.model == AvatarModel::FlashTalk) {
        // A mask, then the picture and nothing after it.
        const at::Tensor still = encoded(networks, at::constant_pad_nd(picture, {0, 0, 0, 0, 0, following}));
        at::Tensor mask = at::zeros({1, networks.videoConfig.audio.framesPerLatent, still.size(2), still.size(3), still.size(4)}, still.options());
        mask.select(2, 0).fill_(1);
        out->condition = at::cat({mask, still}, 1);
        out->context = networks.video->context(text, image);
    } else {
        out->condition = encoded(networks, picture.expand({-1, -1, following + 1, -1, -1}));
    }
    out->motion = encoded(networks, picture);
    return out;
}

Result<AvatarReferencePtr> makeAvatarReference(const AvatarNetworks& networks, const Image& photo, int width, int height, const std::string& prompt,
                                               const CancelToken& cancel)
{
    const at::Tensor bytes = at::from_blob(const_cast<std::uint8_t*>(photo.data.data()), {photo.height, photo.width, photo.channels}, at::kByte);
    at::Tensor picture = (modules::fitPicture(bytes.narrow(2, 0, 3).contiguous(), height, width).to(at::kFloat) / 255 - 0.5).mul_(2).unsqueeze(2);
    picture = picture.to(at::Device(networks.placement.device));
    at::Tensor text, image;
    if (networks.plan.model == AvatarModel::FlashTalk) {
        LQ_TRY(text, readPrompt(networks, prompt.empty() ? networks.plan.prompt : prompt));
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(image, lookAtPicture(networks, picture));
    }
    if (cancel.isCancelled())
        return cancelled();
    return makeAvatarReference(networks, picture, text, image);
}

} // namespace loquor::stages
