#include "core/modules/wan/parameters.h"

#include <map>
#include <regex>
#include <vector>

#include <ATen/ATen.h>

#include "core/base/check.h"

namespace loquor::modules {

struct Parameters::Data
{
    std::map<std::string, at::Tensor> tensors;
};

namespace {

at::ScalarType scalarType(weights::DType type)
{
    switch (type) {
    case weights::DType::F64: return at::kDouble;
    case weights::DType::F32: return at::kFloat;
    case weights::DType::F16: return at::kHalf;
    case weights::DType::BF16: return at::kBFloat16;
    case weights::DType::Unknown:
    case weights::DType::F8E4M3:
    case weights::DType::F8E5M2:
    case weights::DType::I64:
    case weights::DType::I32:
    case weights::DType::I16:
    case weights::DType::I8:
    case weights::DType::U8:
    case weights::DType::Bool: break;
    }
    LOQUOR_CHECK(false, weights::toString(type)); // bindCheckpoint lets floating-point types through only
    return at::kFloat;
}

at::ScalarType scalarType(Precision precision)
{
    switch (precision) {
    case Precision::Float32: return at::kFloat;
    case Precision::BFloat16: return at::kBFloat16;
    case Precision::Float16: return at::kHalf;
    }
    return at::kFloat;
}

// A view of the file that keeps it mapped.
at::Tensor viewOf(const std::shared_ptr<const weights::Checkpoint>& checkpoint, const std::string& name)
{
    const weights::TensorView& view = checkpoint->tensors().at(name);
    const auto options = at::TensorOptions(scalarType(view.dtype));
    if (view.data.empty())
        return at::empty(view.shape, options);
    void* data = const_cast<std::byte*>(view.data.data());
    at::Tensor tensor = at::from_blob(data, view.shape, [checkpoint](void*) {}, options);
    const bool aligned = reinterpret_cast<std::uintptr_t>(data) % weights::sizeOf(view.dtype) == 0;
    return aligned ? tensor : tensor.clone();
}

at::Tensor assemble(const std::shared_ptr<const weights::Checkpoint>& checkpoint, const weights::BoundTensor& bound,
                    const at::Device& device, at::ScalarType type)
{
    std::vector<at::Tensor> parts;
    for (const std::string& name : bound.parts)
        parts.push_back(viewOf(checkpoint, name));
    at::Tensor whole = parts.size() == 1 ? parts[0] : at::cat(parts);
    if (bound.rows == weights::Rows::LastOfMore)
        whole = whole.narrow(0, whole.size(0) - bound.shape[0], bound.shape[0]);
    return whole.reshape(bound.shape).to(at::TensorOptions(device).dtype(type));
}

} // namespace

Parameters::Parameters() = default;
Parameters::~Parameters() = default;
Parameters::Parameters(const Parameters&) = default;
Parameters::Parameters(Parameters&&) noexcept = default;
Parameters& Parameters::operator=(const Parameters&) = default;
Parameters& Parameters::operator=(Parameters&&) noexcept = default;

Result<Parameters> Parameters::load(const std::shared_ptr<const weights::Checkpoint>& checkpoint, const weights::CheckpointSpec& spec,
                                    const Placement& placement)
{
    LQ_TRY(const weights::Binding binding, weights::bindCheckpoint(spec, checkpoint->list(), checkpoint->path().string()));
    auto data = std::make_shared<Data>();
    try {
        const at::Device device(placement.device);
        for (const auto& [name, bound] : binding.tensors)
            data->tensors.emplace(name, assemble(checkpoint, bound, device, scalarType(placement.precision)));
    } catch (const c10::Error& e) {
        return fail(ErrorCode::Unsupported, "The weights of " + spec.network + " cannot be brought to the device " + placement.device + ": " + e.what_without_backtrace());
    }
    Parameters parameters;
    parameters.m_data = std::move(data);
    return parameters;
}

const at::Tensor& Parameters::operator[](const std::string& name) const
{
    const auto found = m_data->tensors.find(name);
    LOQUOR_CHECK(found != m_data->tensors.end(), "no parameter " + name);
    return found->second;
}

bool Parameters::contains(const std::string& name) const
{
    return m_data->tensors.contains(name);
}

int Parameters::scale(const std::string& pattern, double factor)
{
    const std::regex expression(pattern);
    auto scaled = std::make_shared<Data>(*m_data);
    int count = 0;
    for (auto& [name, tensor] : scaled->tensors) {
        if (std::regex_search(name, expression)) {
            tensor = tensor * factor;
            ++count;
        }
    }
    m_data = std::move(scaled);
    return count;
}

} // namespace loquor::modules
