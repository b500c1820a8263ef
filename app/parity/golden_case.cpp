#include "app/parity/golden_case.h"

#include <cstring>

#include <ATen/ATen.h>

#include "app/parity/cases.h"
#include "core/platform/atomic_file.h"

namespace loquor::parity {

namespace {

at::ScalarType typeOf(weights::DType type)
{
    switch (type) {
    case weights::DType::F64: return at::kDouble;
    case weights::DType::F32: return at::kFloat;
    case weights::DType::F16: return at::kHalf;
    case weights::DType::BF16: return at::kBFloat16;
    case weights::DType::I64: return at::kLong;
    case weights::DType::I32: return at::kInt;
    case weights::DType::I16: return at::kShort;
    case weights::DType::I8: return at::kChar;
    case weights::DType::U8: return at::kByte;
    case weights::DType::Bool: return at::kBool;
    case weights::DType::F8E4M3:
    case weights::DType::F8E5M2:
    case weights::DType::Unknown: break;
    }
    throw GoldenCase::MissingReference(std::string("tensors of the type ") + weights::toString(type) + " are not read here");
}

at::Tensor copyOf(const weights::TensorView& view)
{
    at::Tensor out = at::empty(view.shape, at::TensorOptions(typeOf(view.dtype)));
    if (!view.data.empty())
        std::memcpy(out.mutable_data_ptr(), view.data.data(), view.data.size());
    return out;
}

Row rowOf(const std::string& label, const at::Tensor& actual, const at::Tensor& expected, const Tolerance& tolerance)
{
    Row row{label, 0, 0, {}};
    if (actual.sizes() != expected.sizes()) {
        row.fault = "the shape is " + weights::toString(actual.sizes().vec()) + " instead of " + weights::toString(expected.sizes().vec());
        return row;
    }
    if (actual.numel() == 0)
        return row;
    const at::Tensor a = actual.to(at::kDouble), b = expected.to(at::kDouble);
    const at::Tensor difference = at::where(a.eq(b), 0.0, (a - b).abs()); // infinities that agree
    if (!difference.isfinite().all().item<bool>()) {
        row.fault = "it holds values that are not numbers";
        return row;
    }
    row.worst = difference.max().item<double>();
    const at::Tensor allowed = b.abs().nan_to_num() * tolerance.relative + tolerance.absolute;
    row.share = at::where(difference.eq(0), 0.0, difference / allowed).max().item<double>();
    return row;
}

} // namespace

Result<std::unique_ptr<GoldenCase>> GoldenCase::open(const std::filesystem::path& folder)
{
    auto golden = std::make_unique<GoldenCase>();
    golden->m_folder = std::filesystem::absolute(folder).lexically_normal();
    if (!golden->m_folder.has_filename())
        golden->m_folder = golden->m_folder.parent_path();
    LQ_TRY(const std::string text, platform::readTextFile(folder / "config.json"));
    golden->m_config = nlohmann::json::parse(text, nullptr, false);
    if (!golden->m_config.is_object() || !golden->m_config.contains("kind"))
        return fail(ErrorCode::Corrupt, (folder / "config.json").string() + " is no description of a reference case: a JSON object with \"kind\" is expected.");
    LQ_TRY(const auto io, weights::SafetensorsFile::open(folder / "io.safetensors"));
    for (const auto& [name, view] : io->tensors())
        golden->m_io.emplace(name, copyOf(view));
    return golden;
}

Tolerance GoldenCase::tolerance(const std::string& absolute, const std::string& relative) const
{
    const nlohmann::json& all = m_config.at("tolerance");
    return {all.at(absolute).get<double>(), all.value(relative, 0.0)};
}

at::Tensor GoldenCase::io(const std::string& name)
{
    const auto found = m_io.find(name);
    if (found == m_io.end())
        throw MissingReference("io.safetensors holds no tensor \"" + name + '"');
    m_used.insert(name);
    return found->second;
}

std::vector<std::string> GoldenCase::names(const std::string& beginning) const
{
    std::vector<std::string> out;
    for (auto it = m_io.lower_bound(beginning); it != m_io.end() && it->first.starts_with(beginning); ++it)
        out.push_back(it->first);
    return out;
}

Result<modules::Parameters> GoldenCase::load(const std::string& file, const weights::CheckpointSpec& spec) const
{
    LQ_TRY(const auto checkpoint, weights::Checkpoint::open(m_folder / file));
    return modules::Parameters::load(checkpoint, spec);
}

bool GoldenCase::hasFile(const std::string& file) const
{
    std::error_code ignored;
    return std::filesystem::exists(m_folder / file, ignored);
}

void GoldenCase::compare(const std::string& name, const at::Tensor& actual, const Tolerance& tolerance, const std::string& label)
{
    compare(label.empty() ? name : label, actual, io(name), tolerance);
}

void GoldenCase::compare(const std::string& label, const at::Tensor& actual, const at::Tensor& expected, const Tolerance& tolerance)
{
    m_rows.push_back(rowOf(label, actual, expected, tolerance));
}

void GoldenCase::compareIfThere(const std::string& name, const at::Tensor& actual, const Tolerance& tolerance)
{
    if (has(name))
        compare(name, actual, tolerance);
}

void GoldenCase::finish()
{
    for (const auto& [name, tensor] : m_io) {
        if (!m_used.contains(name))
            m_rows.push_back({name, 0, 0, "it was compared with nothing"});
    }
}

Result<std::vector<Row>> runCase(const std::filesystem::path& folder)
{
    try {
        LQ_TRY(const auto golden, GoldenCase::open(folder));
        LQ_CHECKED(runByKind(*golden));
        golden->finish();
        return golden->rows();
    } catch (const GoldenCase::MissingReference& missing) {
        return fail(ErrorCode::Corrupt, folder.string() + ": " + missing.what() + '.');
    } catch (const nlohmann::json::exception& wrong) {
        return fail(ErrorCode::Corrupt, (folder / "config.json").string() + ": " + jsonProblem(wrong) + '.');
    } catch (const std::exception& e) {
        return fail(ErrorCode::Internal, folder.string() + ": " + e.what());
    }
}

} // namespace loquor::parity
