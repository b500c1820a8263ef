#include "core/comm/message_fields.h"

using nlohmann::json;

namespace loquor {

void to_json(json& j, const Rational& v)
{
    j = json::array({v.num, v.den});
}

void from_json(const json& j, Rational& v)
{
    const auto num = j.at(0).get<std::int64_t>();
    const auto den = j.at(1).get<std::int64_t>();
    if (num < 0 || den <= 0)
        throw std::invalid_argument("a rate must be positive");
    v = Rational::make(num, den);
}

namespace pipeline {

void to_json(json& j, const RenderSettings& v)
{
    // clang-format off
    j = {{"width", v.width},           {"height", v.height}, {"fps", v.fps},
         {"background", v.background}, {"fit", v.framing == Framing::Fit},
         {"prompt", v.prompt},         {"face", v.faceIndex}, {"pack", v.pack}};
    // clang-format on
    if (v.seed)
        j["seed"] = *v.seed;
}

void from_json(const json& j, RenderSettings& v)
{
    j.at("width").get_to(v.width);
    j.at("height").get_to(v.height);
    j.at("fps").get_to(v.fps);
    j.at("background").get_to(v.background);
    v.framing = j.at("fit").get<bool>() ? Framing::Fit : Framing::Fill;
    j.at("prompt").get_to(v.prompt);
    j.at("face").get_to(v.faceIndex);
    j.at("pack").get_to(v.pack);
    if (j.contains("seed"))
        v.seed = j.at("seed").get<std::uint64_t>();
}

void to_json(json& j, const StageCost& v)
{
    j = json::array({v.wallSeconds, v.cpuSeconds, v.count});
}

void from_json(const json& j, StageCost& v)
{
    j.at(0).get_to(v.wallSeconds);
    j.at(1).get_to(v.cpuSeconds);
    j.at(2).get_to(v.count);
}

void to_json(json& j, const ChunkReport& v)
{
    // clang-format off
    j = {{"kind", v.kind},     {"index", v.index},   {"line", v.line},
         {"frames", v.frames}, {"cached", v.cached}, {"seconds", v.seconds}};
    // clang-format on
}

void from_json(const json& j, ChunkReport& v)
{
    j.at("kind").get_to(v.kind);
    j.at("index").get_to(v.index);
    j.at("line").get_to(v.line);
    j.at("frames").get_to(v.frames);
    j.at("cached").get_to(v.cached);
    j.at("seconds").get_to(v.seconds);
}

void to_json(json& j, const FaceInfo& v)
{
    j = {{"index", v.index},
         {"box", {v.x, v.y, v.width, v.height}},
         {"eyes", v.eyeDistancePx},
         {"angles", {v.yawDegrees, v.pitchDegrees, v.rollDegrees}},
         {"open", v.mouthOpen},
         {"outline", v.outline}};
}

void from_json(const json& j, FaceInfo& v)
{
    j.at("index").get_to(v.index);
    const json& box = j.at("box");
    v.x = box.at(0).get<float>();
    v.y = box.at(1).get<float>();
    v.width = box.at(2).get<float>();
    v.height = box.at(3).get<float>();
    j.at("eyes").get_to(v.eyeDistancePx);
    const json& angles = j.at("angles");
    v.yawDegrees = angles.at(0).get<float>();
    v.pitchDegrees = angles.at(1).get<float>();
    v.rollDegrees = angles.at(2).get<float>();
    j.at("open").get_to(v.mouthOpen);
    j.at("outline").get_to(v.outline);
}

void to_json(json& j, const CheckReport& v)
{
    j = {{"file", comm::pathToJson(v.file)},
         {"kind", v.kind},
         {"usable", v.usable},
         {"width", v.width},
         {"height", v.height},
         {"seconds", v.durationSeconds},
         {"details", v.details},
         {"faces", v.faces},
         {"problems", v.problems},
         {"warnings", v.warnings},
         {"bestFrame", v.bestFrame},
         {"bestFrameSeconds", v.bestFrameSeconds}};
}

void from_json(const json& j, CheckReport& v)
{
    v.file = comm::pathFromJson(j.at("file"));
    j.at("kind").get_to(v.kind);
    j.at("usable").get_to(v.usable);
    j.at("width").get_to(v.width);
    j.at("height").get_to(v.height);
    j.at("seconds").get_to(v.durationSeconds);
    j.at("details").get_to(v.details);
    j.at("faces").get_to(v.faces);
    j.at("problems").get_to(v.problems);
    j.at("warnings").get_to(v.warnings);
    j.at("bestFrame").get_to(v.bestFrame);
    j.at("bestFrameSeconds").get_to(v.bestFrameSeconds);
}

} // namespace pipeline

namespace speech {

void to_json(json& j, const Phoneme& v)
{
    j = json::array({v.symbol, v.start, v.end, v.confidence, v.stressed});
}

void from_json(const json& j, Phoneme& v)
{
    j.at(0).get_to(v.symbol);
    j.at(1).get_to(v.start);
    j.at(2).get_to(v.end);
    j.at(3).get_to(v.confidence);
    j.at(4).get_to(v.stressed);
}

void to_json(json& j, const Word& v)
{
    j = json::array({v.text, v.start, v.end, v.textBegin, v.textEnd, v.confidence});
}

void from_json(const json& j, Word& v)
{
    j.at(0).get_to(v.text);
    j.at(1).get_to(v.start);
    j.at(2).get_to(v.end);
    j.at(3).get_to(v.textBegin);
    j.at(4).get_to(v.textEnd);
    j.at(5).get_to(v.confidence);
}

void to_json(json& j, const Timing& v)
{
    j = {{"language", v.language},
         {"source", static_cast<int>(v.source)},
         {"words", v.words},
         {"phonemes", v.phonemes},
         {"seconds", v.durationSeconds}};
}

void from_json(const json& j, Timing& v)
{
    j.at("language").get_to(v.language);
    const int source = j.at("source").get<int>();
    if (source < 0 || source > static_cast<int>(TimingSource::Audio))
        throw std::invalid_argument("unknown timing source");
    v.source = static_cast<TimingSource>(source);
    j.at("words").get_to(v.words);
    j.at("phonemes").get_to(v.phonemes);
    j.at("seconds").get_to(v.durationSeconds);
}

} // namespace speech

namespace comm {

json errorToJson(const Error& error)
{
    return {{"code", static_cast<int>(error.code())},
            {"message", error.message()},
            {"context", error.context()}};
}

Error errorFromJson(const json& j)
{
    const int code = j.at("code").get<int>();
    if (code < 0 || code > static_cast<int>(ErrorCode::Internal))
        throw std::invalid_argument("unknown error code");
    Error error(static_cast<ErrorCode>(code), j.at("message").get<std::string>());
    for (const auto& what : j.at("context"))
        error.addContext(what.get<std::string>());
    return error;
}

json pathToJson(const std::filesystem::path& path)
{
    json bytes = json::array();
    for (const char c : path.native())
        bytes.push_back(static_cast<unsigned char>(c));
    return bytes;
}

std::filesystem::path pathFromJson(const json& j)
{
    std::string bytes;
    for (const auto& one : j)
        bytes.push_back(static_cast<char>(one.get<unsigned char>()));
    return bytes;
}

} // namespace comm

} // namespace loquor
