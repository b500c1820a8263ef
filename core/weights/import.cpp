#include "core/weights/import.h"

#include <algorithm>
#include <array>
#include <memory>

#include "core/weights/checkpoint.h"
#include "core/weights/safetensors_writer.h"
#include "core/weights/state_dict.h"

namespace loquor::weights {

namespace {

// What safetensors and PyTorch files have in common here.
struct Source
{
    std::shared_ptr<const Checkpoint> checkpoint;
    std::unique_ptr<StateDictFile> stateDict;

    TensorList list() const { return checkpoint ? checkpoint->list() : stateDict->tensors(); }
    Result<void> read(const std::string& name, const StateDictFile::Sink& sink) const
    {
        if (stateDict)
            return stateDict->read(name, sink);
        LQ_TRY(const TensorView view, checkpoint->tensor(name));
        constexpr std::size_t kPiece = 4u << 20;
        for (std::size_t at = 0; at < view.data.size(); at += kPiece)
            LQ_CHECKED(sink(view.data.subspan(at, std::min(kPiece, view.data.size() - at))));
        return {};
    }
};

Result<Source> openSource(const std::filesystem::path& path)
{
    static constexpr std::array<const char*, 4> kTorch{".pth", ".pt", ".bin", ".ckpt"};
    Source source;
    const std::string extension = path.extension().string();
    if (std::find(kTorch.begin(), kTorch.end(), extension) != kTorch.end()) {
        LQ_TRY(source.stateDict, StateDictFile::open(path));
    } else {
        LQ_TRY(source.checkpoint, Checkpoint::open(path));
    }
    return source;
}

} // namespace

Result<TensorList> listTensors(const std::filesystem::path& source)
{
    LQ_TRY(const Source opened, openSource(source));
    return opened.list();
}

Result<void> importWeights(const std::filesystem::path& source, const CheckpointSpec& spec, const std::filesystem::path& target,
                           const ImportOptions& options, const CancelToken& cancel)
{
    LQ_CHECKED(platform::refuseInputAsOutput(target, std::array{source}));
    LQ_TRY(const Source opened, openSource(source));
    const TensorList list = opened.list();
    LQ_TRY(const Binding binding, bindCheckpoint(spec, list, source.string()));
    std::vector<std::pair<std::string, TensorInfo>> tensors;
    std::uint64_t total = 0;
    for (const auto& [name, bound] : binding.tensors) {
        for (const std::string& part : bound.parts) {
            tensors.emplace_back(part, list.at(part));
            total += denseBytes(tensors.back().second.shape, tensors.back().second.dtype).value_or(0);
        }
    }
    LQ_TRY(const auto writer, SafetensorsWriter::create(target, tensors, {{"network", spec.network}}, options.ifExists));
    std::uint64_t written = 0;
    const auto copy = [&](std::span<const std::byte> piece) -> Result<void> {
        if (cancel.isCancelled())
            return cancelled();
        LQ_CHECKED(writer->write(piece));
        written += piece.size();
        if (options.progress)
            options.progress(static_cast<double>(written) / static_cast<double>(total));
        return {};
    };
    for (const auto& [name, info] : tensors)
        LQ_CHECKED(opened.read(name, copy));
    return writer->finish();
}

} // namespace loquor::weights
