#include "core/modules/graph.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/hardswish.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/prelu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <c10/core/InferenceMode.h>

#include "core/base/check.h"
#include "core/modules/graph_operators.h"
#include "core/weights/safetensors.h"

namespace loquor::modules {

namespace {

enum class Kind {
    None = 0,
    Convolution,
    Deconvolution,
    Add,
    Multiply,
    Sigmoid,
    Pad,
    MaxPool,
    Mean,
    Reshape,
    Concat,
    Resize,
    Slice,
    LandmarkMatrix,
    Sample,
    TransformPoints,
};
enum class Activation {
    None = 0,
    Relu,
    Prelu,
    HardSwish,
};

// clang-format off
const std::map<std::string_view, Kind> kKinds = {
    {"conv", Kind::Convolution}, {"deconv", Kind::Deconvolution}, {"add", Kind::Add},
    {"mul", Kind::Multiply},     {"sigmoid", Kind::Sigmoid},      {"pad", Kind::Pad},
    {"maxpool", Kind::MaxPool},  {"mean", Kind::Mean},            {"reshape", Kind::Reshape},
    {"concat", Kind::Concat},    {"resize", Kind::Resize},        {"slice", Kind::Slice},
    {"landmarkmatrix", Kind::LandmarkMatrix}, {"sample", Kind::Sample},
    {"transformpoints", Kind::TransformPoints}};
// clang-format on
const std::map<std::string_view, Activation> kActivations = {
    {"relu", Activation::Relu}, {"prelu", Activation::Prelu}, {"hardswish", Activation::HardSwish}};

using Numbers = std::vector<std::int64_t>;

struct Operator
{
    Kind kind = Kind::None;
    Activation activation = Activation::None;
    std::size_t out = 0;
    std::vector<std::size_t> in;
    std::vector<std::size_t> lastUse; // values nobody reads after this operator
    at::Tensor weight, bias, slope, constant;
    Numbers stride, padding, channels, kernel, shape, size, begin, end;
    std::int64_t groups = 1, axis = 0;
    bool alignCorners = false;
    CropParameters crop;
};

bool parseNumbers(std::string_view text, Numbers& out)
{
    out.clear();
    while (!text.empty()) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc())
            return false;
        out.push_back(value);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (!text.empty()) {
            if (text.front() != ',')
                return false;
            text.remove_prefix(1);
        }
    }
    return !out.empty();
}

bool parsePositions(std::string_view text, std::vector<std::size_t>& out)
{
    Numbers numbers;
    if (!parseNumbers(text, numbers))
        return false;
    for (const std::int64_t n : numbers) {
        if (n < 0 || n > 100'000)
            return false;
        out.push_back(static_cast<std::size_t>(n));
    }
    return true;
}

at::Tensor activate(const Operator& op, at::Tensor value)
{
    switch (op.activation) {
    case Activation::None:
        break;
    case Activation::Relu:
        return at::relu_(value);
    case Activation::Prelu:
        return preluInPlace(value, op.slope);
    case Activation::HardSwish:
        return at::hardswish_(value);
    }
    return value;
}

} // namespace

struct Graph::Impl
{
    std::filesystem::path path;
    std::shared_ptr<const weights::SafetensorsFile> file;
    std::vector<Operator> operators;
    std::vector<std::size_t> inputs, outputs;
    std::size_t valueCount = 0;

    tl::unexpected<Error> broken(const std::string& what) const
    {
        return fail(ErrorCode::Corrupt, path.string() + " holds a network this version cannot run: " + what +
                                            ". Run the set-up again to replace it.");
    }

    Result<at::Tensor> weight(const std::string& name) const;
    Result<void> option(Operator& op, std::string_view key, const std::string& value) const;
    Result<void> parseLine(const std::string& line);
    Result<void> check() const;
    void findLastUses();
    at::Tensor evaluate(const Operator& op, const std::vector<at::Tensor>& values) const;
};

Result<at::Tensor> Graph::Impl::weight(const std::string& name) const
{
    LQ_TRY(const weights::TensorView view, file->tensor(name));
    if (view.dtype != weights::DType::F32)
        return broken("weight " + name + " is not float32");
    // Reads only: the map is not writable, from_blob just has no const form.
    auto* data = const_cast<std::byte*>(view.data.data());
    at::Tensor mapped = at::from_blob(data, view.shape, at::TensorOptions(at::kFloat));
    const bool aligned = reinterpret_cast<std::uintptr_t>(data) % alignof(float) == 0;
    if (aligned)
        return mapped;
    at::Tensor copy = at::empty(view.shape, at::TensorOptions(at::kFloat));
    std::memcpy(copy.data_ptr(), data, view.data.size());
    return copy;
}

Result<void> Graph::Impl::option(Operator& op, std::string_view key, const std::string& value) const
{
    const std::map<std::string_view, at::Tensor*> tensors = {
        {"weight", &op.weight}, {"bias", &op.bias}, {"slope", &op.slope}, {"constant", &op.constant}};
    if (const auto found = tensors.find(key); found != tensors.end()) {
        LQ_TRY(*found->second, weight(value));
        return {};
    }
    // clang-format off
    const std::map<std::string_view, Numbers*> lists = {
        {"stride", &op.stride}, {"pad", &op.padding}, {"channels", &op.channels}, {"kernel", &op.kernel},
        {"shape", &op.shape},   {"size", &op.size},   {"begin", &op.begin},       {"end", &op.end}};
    // clang-format on
    Numbers numbers;
    bool good = false;
    if (const auto found = lists.find(key); found != lists.end())
        good = parseNumbers(value, *found->second);
    else if (key == "in")
        good = parsePositions(value, op.in);
    else if (key == "subset")
        good = parsePositions(value, op.crop.subset);
    else if (key == "act") {
        const auto activation = kActivations.find(value);
        good = activation != kActivations.end();
        op.activation = good ? activation->second : Activation::None;
    } else if (key == "grid") {
        good = value == "centres" || value == "corners";
        op.alignCorners = value == "corners";
    } else if (key == "scale") {
        good = value == "1.5,1.5"; // the only margin the landmark crops use
    } else if (parseNumbers(value, numbers) && numbers.size() == 1 && numbers[0] >= 0) {
        const auto number = numbers[0];
        good = true;
        if (key == "out")
            op.out = static_cast<std::size_t>(number);
        else if (key == "groups")
            op.groups = number;
        else if (key == "axis")
            op.axis = number;
        else if (key == "left")
            op.crop.left = static_cast<std::size_t>(number);
        else if (key == "right")
            op.crop.right = static_cast<std::size_t>(number);
        else
            good = false;
    }
    if (!good)
        return broken("option " + std::string(key) + "=" + value);
    return {};
}

Result<void> Graph::Impl::parseLine(const std::string& line)
{
    std::istringstream words(line);
    std::string word;
    words >> word;
    const auto kind = kKinds.find(word);
    if (kind == kKinds.end())
        return broken("operator " + word);
    Operator op;
    op.kind = kind->second;
    while (words >> word) {
        const auto equals = word.find('=');
        if (equals == std::string::npos)
            return broken("option " + word);
        LQ_CHECKED(option(op, std::string_view(word).substr(0, equals), word.substr(equals + 1)));
    }
    operators.push_back(std::move(op));
    return {};
}

// Every value is made once before it is read, and each operator has what it needs.
Result<void> Graph::Impl::check() const
{
    std::vector<bool> made(valueCount, false);
    for (const std::size_t input : inputs)
        made[input] = true;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        const Operator& op = operators[i];
        const std::string where = "operator number " + std::to_string(i);
        for (const std::size_t in : op.in)
            if (!made[in])
                return broken(where + " reads a value that nothing made");
        if (made[op.out] || op.in.empty())
            return broken(where + " has no input or makes a value twice");
        made[op.out] = true;
        const bool twoInputs = op.kind == Kind::Sample || op.kind == Kind::TransformPoints;
        const bool arithmetic = op.kind == Kind::Add || op.kind == Kind::Multiply;
        const bool convolution = op.kind == Kind::Convolution || op.kind == Kind::Deconvolution;
        if ((twoInputs && op.in.size() != 2) ||
            (arithmetic && op.in.size() + (op.constant.defined() ? 1 : 0) != 2) ||
            (convolution && (!op.weight.defined() || op.weight.dim() != 4 || op.stride.size() != 2)) ||
            (op.kind == Kind::Convolution && op.padding.size() != 4) ||
            (op.kind == Kind::Pad && (op.padding.size() != 4 || op.channels.size() != 2)) ||
            (op.kind == Kind::MaxPool && (op.kernel.size() != 2 || op.stride.size() != 2)) ||
            (op.kind == Kind::Reshape && op.shape.empty()) ||
            ((op.kind == Kind::Resize || op.kind == Kind::Sample || op.kind == Kind::LandmarkMatrix) &&
             op.size.size() != 2) ||
            (op.kind == Kind::LandmarkMatrix && op.crop.subset.empty()) ||
            (op.kind == Kind::Slice && (op.begin.empty() || op.begin.size() != op.end.size())) ||
            (op.activation == Activation::Prelu && !op.slope.defined()) ||
            (op.activation != Activation::None && op.kind != Kind::Convolution && op.kind != Kind::Add))
            return broken(where + " lacks an option");
    }
    for (const std::size_t output : outputs)
        if (!made[output])
            return broken("an output is never made");
    return {};
}

// Values are dropped after their last reader, so a run needs little more memory than its widest layer.
void Graph::Impl::findLastUses()
{
    std::vector<bool> seen(valueCount, false);
    for (const std::size_t output : outputs)
        seen[output] = true;
    for (Operator& op : std::views::reverse(operators))
        for (const std::size_t in : op.in)
            if (!seen[in]) {
                seen[in] = true;
                op.lastUse.push_back(in);
            }
}

at::Tensor Graph::Impl::evaluate(const Operator& op, const std::vector<at::Tensor>& values) const
{
    const at::Tensor& x = values[op.in[0]];
    const auto second = [&]() -> const at::Tensor& { return op.in.size() > 1 ? values[op.in[1]] : op.constant; };
    switch (op.kind) {
    case Kind::Convolution:
        return convolve(x, op.weight, op.bias, op.stride, op.padding, op.groups);
    case Kind::Deconvolution:
        return at::conv_transpose2d(x, op.weight, op.bias, op.stride);
    case Kind::Add:
        return at::add(x, second());
    case Kind::Multiply:
        return at::mul(x, second());
    case Kind::Sigmoid:
        return at::sigmoid(x);
    case Kind::Pad:
        return at::constant_pad_nd(x, {op.padding[1], op.padding[3], op.padding[0], op.padding[2], op.channels[0],
                                       op.channels[1]});
    case Kind::MaxPool:
        return at::max_pool2d(x, op.kernel, op.stride);
    case Kind::Mean:
        return at::adaptive_avg_pool2d(x, {1, 1});
    case Kind::Reshape:
        return reshapeChannelsLast(x, op.shape);
    case Kind::Concat: {
        std::vector<at::Tensor> parts;
        parts.reserve(op.in.size());
        for (const std::size_t in : op.in)
            parts.push_back(values[in]);
        return at::cat(parts, op.axis);
    }
    case Kind::Resize:
        return at::upsample_bilinear2d(x, op.size, op.alignCorners);
    case Kind::Slice: {
        at::Tensor part = x;
        for (std::size_t i = 0; i < op.begin.size(); ++i)
            part = part.slice(static_cast<std::int64_t>(i), op.begin[i], op.end[i]);
        return part;
    }
    case Kind::LandmarkMatrix:
        return landmarkMatrix(x, op.crop, op.size[0], op.size[1]);
    case Kind::Sample:
        return sampleBilinear(x, second(), op.size[0], op.size[1]);
    case Kind::TransformPoints:
        return transformPoints(x, second());
    case Kind::None:
        break;
    }
    LOQUOR_CHECK(false, "operator without a kind");
    return {};
}

Graph::Graph() : m(std::make_unique<Impl>()) {}
Graph::~Graph() = default;

Result<std::unique_ptr<Graph>> Graph::load(const std::filesystem::path& file)
{
    std::unique_ptr<Graph> graph(new Graph);
    Impl& m = *graph->m;
    m.path = file;
    LQ_TRY(m.file, weights::SafetensorsFile::open(file));
    const auto& metadata = m.file->metadata();
    const auto text = [&](const char* key) {
        const auto found = metadata.find(key);
        return found == metadata.end() ? std::string() : found->second;
    };
    if (text("format") != "loquor-graph 1")
        return m.broken("it has the format \"" + text("format") + "\", \"loquor-graph 1\" is needed");
    if (!parsePositions(text("inputs"), m.inputs) || m.inputs.size() != 1 || !parsePositions(text("outputs"), m.outputs))
        return m.broken("it does not name one input and its outputs");
    std::istringstream lines(text("ops"));
    for (std::string line; std::getline(lines, line);)
        LQ_CHECKED(m.parseLine(line));
    for (const auto* list : {&m.inputs, &m.outputs})
        for (const std::size_t value : *list)
            m.valueCount = std::max(m.valueCount, value + 1);
    for (const Operator& op : m.operators) {
        m.valueCount = std::max(m.valueCount, op.out + 1);
        for (const std::size_t value : op.in)
            m.valueCount = std::max(m.valueCount, value + 1);
    }
    LQ_CHECKED(m.check());
    m.findLastUses();
    return graph;
}

std::vector<at::Tensor> Graph::run(const at::Tensor& input) const
{
    const c10::InferenceMode guard;
    // These networks are too small for two threads: OpenMP's barriers cost more than they save.
    if (at::get_num_threads() != 1)
        at::set_num_threads(1);
    std::vector<at::Tensor> values(m->valueCount);
    values[m->inputs[0]] = input;
    for (const Operator& op : m->operators) {
        values[op.out] = activate(op, m->evaluate(op, values));
        for (const std::size_t value : op.lastUse)
            values[value].reset();
    }
    std::vector<at::Tensor> outputs;
    for (const std::size_t output : m->outputs)
        outputs.push_back(values[output]);
    return outputs;
}

} // namespace loquor::modules
