#include "core/speech/piper_graph.h"

#include <algorithm>
#include <cstdint>

#include "core/base/json.h"
#include "core/speech/language.h"
#include "core/speech/onnx_message.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

constexpr std::size_t kNoiseValues = 196613; // a prime: no channel repeats itself where the noise starts again
constexpr std::uint64_t kOldestOpset = 11;   // the first that has Range
constexpr std::size_t kMostSpeakers = 10000;

using onnx::Field;
using onnx::Fields;

// Values of zero mean and variance one: sums of twelve 16-bit numbers from the splitmix64 generator. Exact in
// floats, so that every machine has the same.
std::vector<float> noiseTable()
{
    std::vector<float> out(kNoiseValues);
    std::uint64_t state = 0;
    for (float& value : out) {
        std::int64_t total = -393210;
        for (int i = 0; i < 3; ++i) {
            state += 0x9E3779B97F4A7C15U;
            std::uint64_t z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9U;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
            z ^= z >> 31;
            total += static_cast<std::int64_t>((z & 65535) + (z >> 16 & 65535) + (z >> 32 & 65535) + (z >> 48));
        }
        value = static_cast<float>(total) / 65536.0f;
    }
    return out;
}

// The table's first values in the shape of `like`, in place of random ones.
std::string noiseNodes(std::string_view like, std::string_view output, std::size_t index)
{
    const std::string end = "_" + std::to_string(index);
    const auto name = [&](const char* what) { return "/loquor/" + std::string(what) + end; };
    const std::string size = name("size"), range = name("range"), at = name("index"), values = name("values"),
                      shape = name("shape");
    return onnx::node("Size", {like}, size, end) +
           onnx::node("Range", {"/loquor/zero", size, "/loquor/one"}, range, end) +
           onnx::node("Mod", {range, "/loquor/count"}, at, end) +
           onnx::node("Gather", {"/loquor/noise", at}, values, end) + onnx::node("Shape", {like}, shape, end) +
           onnx::node("Reshape", {values, shape}, output, "_noise" + end);
}

// What the graph is like, before anything is changed.
struct Survey
{
    std::vector<std::string> inputs, outputs, durations;
    bool outputIsFloat = false;
    bool isWhole = true;
};

Survey surveyOf(std::string_view graph)
{
    Survey out;
    Fields fields(graph);
    for (Field f; fields.next(f);) {
        if (f.number == onnx::kGraphInput || f.number == onnx::kGraphOutput || f.number == onnx::kGraphNode)
            out.isWhole = out.isWhole && onnx::isMessage(f.bytes);
        if (f.number == onnx::kGraphInput)
            out.inputs.emplace_back(onnx::textOf(f.bytes, 1));
        if (f.number == onnx::kGraphOutput) {
            out.outputs.emplace_back(onnx::textOf(f.bytes, 1));
            out.outputIsFloat = onnx::elementType(f.bytes) == onnx::kFloat;
        }
        if (f.number == onnx::kGraphNode && onnx::textOf(f.bytes, onnx::kNodeKind) == "Ceil")
            out.durations.emplace_back(onnx::textOf(f.bytes, onnx::kNodeOutput));
    }
    out.isWhole = out.isWhole && !fields.isBroken();
    return out;
}

bool hasAttribute(std::string_view node, std::string_view name)
{
    Fields fields(node);
    for (Field f; fields.next(f);) {
        if (f.number == onnx::kNodeAttribute && onnx::textOf(f.bytes, 1) == name)
            return true;
    }
    return false;
}

std::string quoted(const std::vector<std::string>& names)
{
    std::string out;
    for (const std::string& n : names)
        out += (out.empty() ? "" : ", ") + n.substr(0, 40);
    return out.substr(0, 200);
}

// Shapes are left out: they help nothing here, but ONNX Runtime plans the reuse of memory for every tensor that
// has one, in a time that grows with the square of their number.
void appendPatched(std::string_view graph, const Survey& survey, bool withDurations, PiperGraph& out)
{
    std::size_t noises = 0;
    std::string& to = out.model;
    Fields fields(graph);
    for (Field f; fields.next(f);) {
        const std::string_view kind = f.number == onnx::kGraphNode ? onnx::textOf(f.bytes, onnx::kNodeKind) : std::string_view();
        if (f.number == onnx::kGraphValueInfo)
            continue;
        if (kind == "RandomNormalLike" && !hasAttribute(f.bytes, "mean") && !hasAttribute(f.bytes, "scale")) {
            to += noiseNodes(onnx::textOf(f.bytes, onnx::kNodeInput), onnx::textOf(f.bytes, onnx::kNodeOutput), noises++);
            continue;
        }
        if (kind.starts_with("Random"))
            out.isRepeatable = false;
        if (f.number == onnx::kGraphInput)
            to += onnx::textField(f.number, onnx::withoutShape(f.bytes, {}));
        else if (f.number == onnx::kGraphOutput)
            to += onnx::textField(f.number, onnx::withoutShape(f.bytes, withDurations ? "outcat" : ""));
        else
            to += f.whole;
    }
    to += onnx::integers("/loquor/zero", {}, {0}) + onnx::integers("/loquor/one", {}, {1});
    to += onnx::integers("/loquor/count", {}, {kNoiseValues}) + onnx::integers("/loquor/flat", {1}, {-1});
    to += onnx::floats("/loquor/noise", noiseTable());
    if (!withDurations)
        return;
    to += onnx::node("Reshape", {survey.durations[0], "/loquor/flat"}, "/loquor/durations", "_durations");
    to += onnx::node("Reshape", {survey.outputs[0], "/loquor/flat"}, "/loquor/samples", "_samples");
    to += onnx::node("Concat", {"/loquor/samples", "/loquor/durations"}, "outcat", "", onnx::integerAttribute("axis", 0));
}

Result<void> checkGraph(const Survey& survey, const PiperConfig& config)
{
    if (!survey.isWhole)
        return fail(ErrorCode::Corrupt, "it is cut off or damaged");
    std::vector<std::string> wanted{"input", "input_lengths", "scales"};
    if (!config.speakers.empty())
        wanted.push_back("sid");
    if (survey.inputs != wanted)
        return fail(ErrorCode::Unsupported, "it is no Piper voice: it takes (" + quoted(survey.inputs) + "), (" + quoted(wanted) +
                                                ") is expected" +
                                                (survey.inputs.size() == 4 || wanted.size() == 4 ? "; do model and configuration belong together?" : ""));
    if (survey.outputs.size() != 1 || survey.outputs[0].empty())
        return fail(ErrorCode::Unsupported, "it is no Piper voice: it gives (" + quoted(survey.outputs) + "), sound alone is expected");
    if (!survey.outputIsFloat)
        return fail(ErrorCode::Unsupported, "it gives its sound in another number format than 32-bit floats");
    return {};
}

// One line for each symbol that is one character with a number: others never occur in what espeak-ng says, and
// the runtime ends the program at them.
std::string tokensOf(const nlohmann::ordered_json& map)
{
    std::string out;
    for (const auto& [symbol, ids] : map.items()) {
        std::size_t at = 0;
        if (symbol.empty() || firstInvalidUtf8(symbol) || nextCharacter(symbol, at) < ' ' || at != symbol.size())
            continue;
        const auto id = ids.at(0).get<int>();
        if (id < 0 || id > 100000)
            throw nlohmann::json::other_error::create(501, "a phoneme has an impossible number", &ids);
        out += symbol + ' ' + std::to_string(id) + '\n';
    }
    return out;
}

std::vector<std::string> speakersOf(const nlohmann::ordered_json& j, std::size_t count)
{
    if (count > kMostSpeakers)
        throw nlohmann::json::other_error::create(501, "it has too many speakers", &j);
    std::vector<std::string> out(count);
    for (std::size_t i = 0; i < count; ++i)
        out[i] = std::to_string(i);
    const auto names = j.value("speaker_id_map", nlohmann::ordered_json::object());
    for (const auto& [name, id] : names.items()) {
        const auto number = id.get<std::size_t>();
        if (number < count && !name.empty())
            out[number] = name;
    }
    return out;
}

} // namespace

Result<PiperConfig> readPiperConfig(std::string_view json)
{
    try {
        const auto j = nlohmann::ordered_json::parse(json);
        if (!j.is_object() || !j.contains("phoneme_id_map") || !j.contains("audio"))
            return fail(ErrorCode::Corrupt, "it is JSON, but not the configuration of a Piper voice");
        const std::string kind = j.value("phoneme_type", "espeak");
        if (kind != "espeak")
            return fail(ErrorCode::Unsupported, "the voice wants phonemes of the kind '" + kind.substr(0, 40) +
                                                    "', only those of espeak-ng ('espeak') are supported");
        PiperConfig out;
        out.espeakVoice = j.at("espeak").at("voice");
        const auto language = j.value("language", nlohmann::ordered_json::object());
        out.language = normalizedLanguage(language.value("code", out.espeakVoice));
        out.languageName = language.value("name_english", out.language);
        out.name = j.value("dataset", "");
        out.sampleRate = j.at("audio").at("sample_rate");
        const auto inference = j.value("inference", nlohmann::ordered_json::object());
        out.noiseScale = inference.value("noise_scale", 0.667f);
        out.lengthScale = inference.value("length_scale", 1.0f);
        const auto speakers = j.value("num_speakers", std::size_t(1));
        if (speakers > 1)
            out.speakers = speakersOf(j, speakers);
        out.tokens = tokensOf(j.at("phoneme_id_map"));
        if (out.sampleRate < 8000 || out.sampleRate > 96000)
            return fail(ErrorCode::Corrupt, "it gives an impossible sample rate (" + std::to_string(out.sampleRate) + ")");
        if (!(out.lengthScale > 0.05f && out.lengthScale < 20) || !(out.noiseScale >= 0 && out.noiseScale < 10))
            return fail(ErrorCode::Corrupt, "it gives an impossible speed or noise");
        for (const char* needed : {"_ ", "^ ", "$ "}) {
            if (out.tokens.find(needed) == std::string::npos)
                return fail(ErrorCode::Corrupt, "its phonemes lack the marks for begin, end and between");
        }
        if (out.espeakVoice.empty() || out.language.empty())
            return fail(ErrorCode::Corrupt, "it does not say which language the voice speaks");
        return out;
    } catch (const nlohmann::json::exception& e) {
        return fail(ErrorCode::Corrupt, jsonProblem(e));
    }
}

Result<PiperGraph> patchPiperModel(std::string_view model, const PiperConfig& config, Durations durations)
{
    std::string_view graph;
    std::uint64_t opset = 0;
    Fields fields(model);
    for (Field f; fields.next(f);) {
        if (f.number == onnx::kModelGraph)
            graph = f.bytes;
        if (f.number == onnx::kModelOpset && onnx::textOf(f.bytes, 1).empty()) {
            Fields set(f.bytes);
            for (Field entry; set.next(entry);)
                opset = entry.number == 2 ? entry.value : opset;
        }
    }
    if (fields.isBroken() && graph.empty())
        return fail(ErrorCode::Corrupt, "it is no ONNX model, or only the beginning of one");
    if (fields.isBroken())
        return fail(ErrorCode::Corrupt, "it is cut off or damaged");
    if (graph.empty())
        return fail(ErrorCode::Corrupt, "it is no ONNX model");
    const Survey survey = surveyOf(graph);
    LQ_CHECKED(checkGraph(survey, config));
    if (opset < kOldestOpset)
        return fail(ErrorCode::Unsupported, "it is written in an ONNX version too old for this program (opset " +
                                                std::to_string(opset) + ")");
    PiperGraph patched;
    patched.givesDurations = durations == Durations::Append && survey.durations.size() == 1;
    patched.isRepeatable = true;
    patched.model.reserve(graph.size() + kNoiseValues * sizeof(float) + 4096);
    appendPatched(graph, survey, patched.givesDurations, patched);
    PiperGraph out{std::string(), patched.givesDurations, patched.isRepeatable};
    out.model.reserve(patched.model.size() + 4096);
    Fields again(model);
    for (Field f; again.next(f);) {
        if (f.number == onnx::kModelGraph)
            out.model += onnx::textField(onnx::kModelGraph, patched.model);
        else if (f.number != onnx::kModelMetadata) // its own notes could contradict those below
            out.model += f.whole;
    }
    const std::pair<const char*, std::string> notes[] = {
        {"model_type", "vits"},
        {"comment", "piper"},
        {"language", config.languageName},
        {"voice", config.espeakVoice},
        {"has_espeak", "1"},
        {"n_speakers", std::to_string(std::max<std::size_t>(1, config.speakers.size()))},
        {"sample_rate", std::to_string(config.sampleRate)},
        {"add_blank", "1"}};
    for (const auto& [key, value] : notes)
        out.model += onnx::metadata(key, value);
    return out;
}

} // namespace loquor::speech
