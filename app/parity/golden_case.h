// One folder of reference numbers: config.json, weights and io.safetensors of a published implementation.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/modules/wan/parameters.h"
#include "core/weights/checkpoint.h"
#include "core/weights/checkpoint_spec.h"

namespace loquor::parity {

struct Tolerance
{
    double absolute = 0, relative = 0; // |a - b| <= absolute + relative * |b|
};

// How far one tensor is from its reference.
struct Row
{
    std::string tensor;
    double worst = 0;  // largest absolute difference
    double share = 0;  // of what is allowed, at the worst place; above 1 is a miss
    std::string fault; // when it could not be compared: another shape, not a number, never computed
    bool isMiss() const { return !fault.empty() || !(share <= 1); }
};

// Runs on one thread. What the case's program asks for and the folder does not have is thrown as MissingReference.
class GoldenCase
{
public:
    struct MissingReference : std::runtime_error
    {
        using std::runtime_error::runtime_error;
    };

    static Result<std::unique_ptr<GoldenCase>> open(const std::filesystem::path& folder);

    std::string name() const { return m_folder.filename().string(); }
    const nlohmann::json& config() const { return m_config; }
    std::string configText() const { return m_config.dump(); }
    std::string configFile() const { return (m_folder / "config.json").string(); }
    // A tolerance by the names of its fields; a relative part that is not given is none.
    Tolerance tolerance(const std::string& absolute = "abs", const std::string& relative = "rel") const;

    // A tensor of io.safetensors, as the file has it. It counts as used.
    at::Tensor io(const std::string& name);
    bool has(const std::string& name) const { return m_io.contains(name); }
    // Names in io.safetensors that begin so, in order.
    std::vector<std::string> names(const std::string& beginning) const;
    Result<modules::Parameters> load(const std::string& file, const weights::CheckpointSpec& spec) const;
    bool hasFile(const std::string& file) const;

    // Compares with io.safetensors and notes the result under `name` (or `label`).
    void compare(const std::string& name, const at::Tensor& actual, const Tolerance& tolerance, const std::string& label = {});
    void compare(const std::string& label, const at::Tensor& actual, const at::Tensor& expected, const Tolerance& tolerance);
    // For a tap: compares when the folder has that tensor, else does nothing.
    void compareIfThere(const std::string& name, const at::Tensor& actual, const Tolerance& tolerance);

    const std::vector<Row>& rows() const { return m_rows; }
    // Notes every tensor of io.safetensors that was never used as a miss.
    void finish();

private:
    std::filesystem::path m_folder;
    nlohmann::json m_config;
    std::map<std::string, at::Tensor> m_io;
    std::set<std::string> m_used;
    std::vector<Row> m_rows;
};

// Runs the case by its kind. Unsupported: a kind that is not known.
Result<std::vector<Row>> runCase(const std::filesystem::path& folder);

} // namespace loquor::parity
