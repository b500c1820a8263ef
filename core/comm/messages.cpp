#include "core/comm/messages.h"

#include <cstring>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/comm/message_fields.h"

using nlohmann::json;

namespace loquor::comm {

namespace {

template<class T>
std::vector<std::byte> bytesOf(const std::vector<T>& values)
{
    std::vector<std::byte> out(values.size() * sizeof(T));
    if (!out.empty())
        std::memcpy(out.data(), values.data(), out.size());
    return out;
}

template<class T>
std::vector<T> valuesOf(const std::vector<std::byte>& bytes)
{
    if (bytes.size() % sizeof(T) != 0)
        throw std::invalid_argument("the payload has a broken length");
    std::vector<T> out(bytes.size() / sizeof(T));
    if (!out.empty())
        std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

void append(std::vector<std::byte>& to, const std::vector<std::byte>& bytes)
{
    to.insert(to.end(), bytes.begin(), bytes.end());
}

// The first `count` bytes of a payload, and the rest.
std::pair<std::vector<std::byte>, std::vector<std::byte>> split(const std::vector<std::byte>& payload,
                                                                std::size_t count)
{
    if (count > payload.size())
        throw std::invalid_argument("the payload is shorter than its parts");
    const auto middle = payload.begin() + static_cast<std::ptrdiff_t>(count);
    return {{payload.begin(), middle}, {middle, payload.end()}};
}

// Text from files and drivers may be no valid UTF-8: it is repaired rather than lost.
Frame frameOf(const json& header, std::vector<std::byte> payload = {})
{
    return {header.dump(-1, ' ', false, json::error_handler_t::replace), std::move(payload)};
}

// One overload pair per message: write() fills the header and may move a payload out, read() is its
// inverse and may throw.
Frame write(const CheckFile& m)
{
    return frameOf(json{{"type", "check"}, {"id", m.id}, {"file", pathToJson(m.file)}});
}
Frame write(const PrepareReference& m)
{
    return frameOf(json{{"type", "prepare"},
                        {"id", m.id},
                        {"file", pathToJson(m.reference)},
                        {"settings", m.settings}});
}
json labelToJson(const media::PictureLabel& label)
{
    return {label.text, static_cast<int>(label.corner), label.size};
}
media::PictureLabel labelFromJson(const json& j)
{
    const int corner = j.at(1);
    if (corner < static_cast<int>(media::Corner::TopLeft) || corner > static_cast<int>(media::Corner::BottomRight))
        throw std::invalid_argument("the label has no such corner");
    return {j.at(0), static_cast<media::Corner>(corner), j.at(2)};
}
json styleToJson(const std::optional<media::CaptionStyle>& style)
{
    if (!style)
        return nullptr;
    return {static_cast<int>(style->place), style->size, style->highlight ? json(*style->highlight) : json(nullptr)};
}
std::optional<media::CaptionStyle> styleFromJson(const json& j)
{
    if (j.is_null())
        return std::nullopt;
    const int place = j.at(0);
    if (place != static_cast<int>(media::CaptionPlace::Bottom) && place != static_cast<int>(media::CaptionPlace::Top))
        throw std::invalid_argument("captions have no such place");
    media::CaptionStyle out;
    out.place = static_cast<media::CaptionPlace>(place);
    out.size = j.at(1);
    out.highlight = j.at(2).is_null() ? std::nullopt : std::optional<std::uint32_t>(j.at(2).get<std::uint32_t>());
    return out;
}
json captionsToJson(const std::vector<media::BurntCaption>& captions)
{
    json out = json::array();
    for (const media::BurntCaption& caption : captions) {
        json words = json::array();
        for (const media::BurntWord& word : caption.words)
            words.push_back({word.begin, word.stop, word.start, word.end});
        out.push_back({caption.start, caption.end, caption.text, std::move(words)});
    }
    return out;
}
// The painter takes places in the text for granted.
std::vector<media::BurntCaption> captionsFromJson(const json& j)
{
    std::vector<media::BurntCaption> out;
    for (const json& entry : j) {
        media::BurntCaption caption{entry.at(0), entry.at(1), entry.at(2), {}};
        for (const json& word : entry.at(3)) {
            caption.words.push_back({word.at(0), word.at(1), word.at(2), word.at(3)});
            const media::BurntWord& read = caption.words.back();
            if (read.begin > read.stop || read.stop > caption.text.size())
                throw std::invalid_argument("a word of a caption lies outside of its text");
        }
        out.push_back(std::move(caption));
    }
    return out;
}
Frame write(const StartRender& m)
{
    return frameOf(json{{"type", "render"},
                        {"id", m.id},
                        {"file", pathToJson(m.reference)},
                        {"settings", m.settings},
                        {"rate", m.sampleRate},
                        {"channels", m.channels},
                        {"output", pathToJson(m.output)},
                        {"overwrite", m.overwrite},
                        {"preview", m.preview},
                        {"audioOnly", m.audioOnlyMotion},
                        {"metadata", m.metadata},
                        {"label", labelToJson(m.label)},
                        {"captionStyle", styleToJson(m.captionStyle)},
                        {"trace", pathToJson(m.trace)}});
}
json cuesToJson(const std::vector<LineCue>& cues)
{
    json out = json::array();
    for (const LineCue& cue : cues)
        out.push_back({cue.tag, cue.time, cue.strength});
    return out;
}
std::vector<LineCue> cuesFromJson(const json& j)
{
    std::vector<LineCue> out;
    for (const json& cue : j)
        out.push_back({cue.at(0), cue.at(1), cue.at(2)});
    return out;
}
AudioBlock readSound(const json& j, const std::vector<std::byte>& bytes)
{
    AudioBlock audio;
    audio.sampleRate = j.at("rate");
    audio.channels = j.at("channels");
    audio.samples = valuesOf<float>(bytes);
    if (audio.sampleRate <= 0 || audio.channels <= 0 ||
        audio.samples.size() % static_cast<std::size_t>(audio.channels) != 0)
        throw std::invalid_argument("the sound of a line has a broken shape");
    return audio;
}

Frame write(const SpeechLine& m)
{
    return frameOf(json{{"type", "line"},
                        {"job", m.job},
                        {"id", m.id},
                        {"number", m.number},
                        {"last", m.isLast},
                        {"continues", m.continues},
                        {"timing", m.timing},
                        {"cues", cuesToJson(m.cues)},
                        {"captions", captionsToJson(m.captions)},
                        {"rate", m.audio.sampleRate},
                        {"channels", m.audio.channels}},
                   bytesOf(m.audio.samples));
}
Frame write(const StartProject& m)
{
    return frameOf(json{{"type", "project"},
                        {"id", m.id},
                        {"file", pathToJson(m.reference)},
                        {"settings", m.settings},
                        {"rate", m.sampleRate},
                        {"channels", m.channels},
                        {"staging", pathToJson(m.staging)},
                        {"preview", m.preview},
                        {"firstIndex", m.firstIndex},
                        {"trace", pathToJson(m.trace)}});
}
Frame write(const MakeLine& m)
{
    std::vector<std::byte> payload = m.boundary;
    append(payload, bytesOf(m.audio.samples));
    return frameOf(json{{"type", "makeLine"},
                        {"job", m.job},
                        {"task", m.task},
                        {"id", m.id},
                        {"number", m.number},
                        {"seed", m.seed},
                        {"prompt", m.prompt},
                        {"audioOnly", m.audioOnly},
                        {"from", static_cast<int>(m.boundaryFrom)},
                        {"firstChunk", m.firstChunk},
                        {"timing", m.timing},
                        {"cues", cuesToJson(m.cues)},
                        {"before", m.contextBefore},
                        {"after", m.contextAfter},
                        {"open", m.open},
                        {"known", m.known},
                        {"boundary", m.boundary.size()},
                        {"rate", m.audio.sampleRate},
                        {"channels", m.audio.channels}},
                   std::move(payload));
}
Frame write(const LinePiece& m)
{
    return frameOf(json{{"type", "piece"},
                        {"job", m.job},
                        {"task", m.task},
                        {"last", m.isLast},
                        {"known", m.known},
                        {"timing", m.timing},
                        {"cues", cuesToJson(m.cues)},
                        {"rate", m.audio.sampleRate},
                        {"channels", m.audio.channels}},
                   bytesOf(m.audio.samples));
}
Frame write(const MakeJoin& m)
{
    std::vector<std::byte> payload = m.left;
    append(payload, m.right);
    return frameOf(json{{"type", "makeJoin"},
                        {"job", m.job},
                        {"task", m.task},
                        {"number", m.number},
                        {"left", m.left.size()}},
                   std::move(payload));
}
Frame write(const EndProject& m)
{
    return frameOf(json{{"type", "endProject"}, {"job", m.job}});
}
Frame write(const CancelJob& m)
{
    return frameOf(json{{"type", "cancel"}, {"job", m.job}});
}
Frame write(const FetchFrame& m)
{
    return frameOf(json{{"type", "fetch"}, {"job", m.job}, {"index", m.index}});
}
Frame write(const Shutdown&)
{
    return frameOf(json{{"type", "shutdown"}});
}

Frame write(const Ready& m)
{
    return frameOf(json{{"type", "ready"}, {"version", m.version}, {"device", m.device}});
}
Frame write(const Heartbeat& m)
{
    return frameOf(json{{"type", "heartbeat"},
                        {"ticks", m.ticks},
                        {"busy", m.busy},
                        {"waiting", m.waiting},
                        {"rss", m.rssBytes}});
}
Frame write(const JobProgress& m)
{
    return frameOf(json{{"type", "progress"},
                        {"job", m.job},
                        {"activity", m.activity},
                        {"frames", m.framesDone},
                        {"samples", m.samplesDone}});
}
Frame write(const JobWarning& m)
{
    return frameOf(json{{"type", "warning"}, {"job", m.job}, {"text", m.text}});
}
Frame write(const ChunkDone& m)
{
    return frameOf(json{{"type", "chunk"}, {"job", m.job}, {"chunk", m.chunk}, {"gap", m.lipGap}});
}
Frame write(const ChunkBegun& m)
{
    return frameOf(json{{"type", "begun"}, {"job", m.job}, {"task", m.task}, {"frame", m.frameInLine}, {"first", m.firstIndex}});
}
Frame write(const ChunkMade& m)
{
    return frameOf(json{{"type", "made"},
                        {"job", m.job},
                        {"task", m.task},
                        {"chunk", m.chunk},
                        {"indexInLine", m.indexInLine},
                        {"folder", pathToJson(m.folder)},
                        {"first", m.firstFrameSeconds}});
}
Frame write(const ProjectDone& m)
{
    return frameOf(json{{"type", "projectDone"},
                        {"job", m.job},
                        {"engineCpu", m.engineCpuSeconds},
                        {"encoderCpu", m.encoderCpuSeconds},
                        {"peakRss", m.peakRssMb},
                        {"stages", m.stages},
                        {"pack", m.pack}});
}
Frame write(const FileChecked& m)
{
    return frameOf(json{{"type", "checked"},
                        {"id", m.id},
                        {"report", m.report},
                        {"width", m.picture.width},
                        {"height", m.picture.height}},
                   bytesOf(m.picture.data));
}
Frame write(const ReferencePrepared& m)
{
    return frameOf(json{{"type", "prepared"}, {"id", m.id}});
}
Frame write(const RenderDone& m)
{
    return frameOf(json{{"type", "done"},
                        {"job", m.job},
                        {"frames", m.frames},
                        {"samples", m.samples},
                        {"first", m.firstFrameSeconds},
                        {"engineCpu", m.engineCpuSeconds},
                        {"encoderCpu", m.encoderCpuSeconds},
                        {"peakRss", m.peakRssMb},
                        {"stages", m.stages},
                        {"pack", m.pack}});
}
Frame write(const JobFailed& m)
{
    return frameOf(json{{"type", "failed"}, {"job", m.job}, {"error", errorToJson(m.error)}, {"preparing", m.preparing}});
}
Frame write(const FrameFetched& m)
{
    return frameOf(json{{"type", "frame"},
                        {"job", m.job},
                        {"index", m.index},
                        {"width", m.image.width},
                        {"height", m.image.height}},
                   bytesOf(m.image.data));
}

SpeechLine readLine(const json& j, const std::vector<std::byte>& payload)
{
    SpeechLine line;
    j.at("job").get_to(line.job);
    j.at("id").get_to(line.id);
    j.at("number").get_to(line.number);
    j.at("last").get_to(line.isLast);
    j.at("continues").get_to(line.continues);
    j.at("timing").get_to(line.timing);
    line.cues = cuesFromJson(j.at("cues"));
    line.captions = captionsFromJson(j.at("captions"));
    line.audio = readSound(j, payload);
    return line;
}

BoundaryFrom boundaryFromJson(const json& j)
{
    const int value = j;
    if (value < static_cast<int>(BoundaryFrom::Nothing) || value > static_cast<int>(BoundaryFrom::Given))
        throw std::invalid_argument("unknown kind of boundary");
    return static_cast<BoundaryFrom>(value);
}

MakeLine readMakeLine(const json& j, const std::vector<std::byte>& payload)
{
    MakeLine line;
    j.at("job").get_to(line.job);
    j.at("task").get_to(line.task);
    j.at("id").get_to(line.id);
    j.at("number").get_to(line.number);
    j.at("seed").get_to(line.seed);
    j.at("prompt").get_to(line.prompt);
    j.at("audioOnly").get_to(line.audioOnly);
    line.boundaryFrom = boundaryFromJson(j.at("from"));
    j.at("firstChunk").get_to(line.firstChunk);
    j.at("timing").get_to(line.timing);
    line.cues = cuesFromJson(j.at("cues"));
    j.at("before").get_to(line.contextBefore);
    j.at("after").get_to(line.contextAfter);
    j.at("open").get_to(line.open);
    j.at("known").get_to(line.known);
    auto [boundary, sound] = split(payload, j.at("boundary"));
    line.boundary = std::move(boundary);
    line.audio = readSound(j, sound);
    if (line.firstChunk < 0 || line.contextBefore < 0 || line.contextAfter < 0 ||
        line.contextBefore + line.contextAfter >= line.audio.frames())
        throw std::invalid_argument("a line has no sound of its own");
    return line;
}

LinePiece readLinePiece(const json& j, const std::vector<std::byte>& payload)
{
    return {j.at("job"), j.at("task"), j.at("last"), j.at("known"), j.at("timing"), cuesFromJson(j.at("cues")), readSound(j, payload)};
}

MakeJoin readMakeJoin(const json& j, const std::vector<std::byte>& payload)
{
    MakeJoin join{j.at("job"), j.at("task"), j.at("number"), {}, {}};
    std::tie(join.left, join.right) = split(payload, j.at("left"));
    return join;
}

// RGB pixels of the payload; an empty picture travels as 0 x 0.
Image readPicture(const json& j, const std::vector<std::byte>& payload)
{
    Image picture;
    picture.width = j.at("width");
    picture.height = j.at("height");
    picture.channels = 3;
    picture.data = valuesOf<std::uint8_t>(payload);
    if (picture.width < 0 || picture.height < 0 ||
        picture.data.size() != picture.stride() * static_cast<std::size_t>(picture.height))
        throw std::invalid_argument("the picture has a broken shape");
    return picture;
}

ToRank readToRank(const std::string& type, const json& j, const std::vector<std::byte>& payload)
{
    if (type == "check")
        return CheckFile{j.at("id"), pathFromJson(j.at("file"))};
    if (type == "prepare")
        return PrepareReference{j.at("id"), pathFromJson(j.at("file")), j.at("settings")};
    if (type == "render")
        return StartRender{j.at("id"), pathFromJson(j.at("file")), j.at("settings"),
                           j.at("rate"), j.at("channels"), pathFromJson(j.at("output")),
                           j.at("overwrite"), j.at("preview"), j.at("audioOnly"),
                           j.at("metadata").get<std::map<std::string, std::string>>(),
                           labelFromJson(j.at("label")), styleFromJson(j.at("captionStyle")), pathFromJson(j.at("trace"))};
    if (type == "line")
        return readLine(j, payload);
    if (type == "project")
        return StartProject{j.at("id"), pathFromJson(j.at("file")), j.at("settings"), j.at("rate"),
                            j.at("channels"), pathFromJson(j.at("staging")), j.at("preview"), j.at("firstIndex"),
                            pathFromJson(j.at("trace"))};
    if (type == "makeLine")
        return readMakeLine(j, payload);
    if (type == "piece")
        return readLinePiece(j, payload);
    if (type == "makeJoin")
        return readMakeJoin(j, payload);
    if (type == "endProject")
        return EndProject{j.at("job")};
    if (type == "cancel")
        return CancelJob{j.at("job")};
    if (type == "fetch")
        return FetchFrame{j.at("job"), j.at("index")};
    if (type == "shutdown")
        return Shutdown{};
    throw std::invalid_argument("unknown message '" + type + "'");
}

FromRank readFromRank(const std::string& type, const json& j, const std::vector<std::byte>& payload)
{
    if (type == "ready")
        return Ready{j.at("version"), j.at("device")};
    if (type == "heartbeat")
        return Heartbeat{j.at("ticks"), j.at("busy"), j.at("waiting"), j.at("rss")};
    if (type == "progress")
        return JobProgress{j.at("job"), j.at("activity"), j.at("frames"), j.at("samples")};
    if (type == "warning")
        return JobWarning{j.at("job"), j.at("text")};
    if (type == "chunk")
        return ChunkDone{j.at("job"), j.at("chunk"), j.at("gap")};
    if (type == "made")
        return ChunkMade{j.at("job"), j.at("task"), j.at("chunk"),
                         j.at("indexInLine"), pathFromJson(j.at("folder")), j.at("first")};
    if (type == "begun")
        return ChunkBegun{j.at("job"), j.at("task"), j.at("frame"), j.at("first")};
    if (type == "projectDone")
        return ProjectDone{j.at("job"), j.at("engineCpu"),
                           j.at("encoderCpu"), j.at("peakRss"),
                           j.at("stages").get<std::map<std::string, pipeline::StageCost>>(), j.at("pack")};
    if (type == "checked")
        return FileChecked{j.at("id"), j.at("report"), readPicture(j, payload)};
    if (type == "prepared")
        return ReferencePrepared{j.at("id")};
    if (type == "done")
        return RenderDone{j.at("job"),
                          j.at("frames"),
                          j.at("samples"),
                          j.at("first"),
                          j.at("engineCpu"),
                          j.at("encoderCpu"),
                          j.at("peakRss"),
                          j.at("stages").get<std::map<std::string, pipeline::StageCost>>(),
                          j.at("pack")};
    if (type == "failed")
        return JobFailed{j.at("job"), errorFromJson(j.at("error")), j.at("preparing")};
    if (type == "frame")
        return FrameFetched{j.at("job"), j.at("index"), readPicture(j, payload)};
    throw std::invalid_argument("unknown message '" + type + "'");
}

template<class Message, class Read>
Result<Message> decode(const Frame& frame, Read read)
{
    try {
        const json j = json::parse(frame.header);
        return read(j.at("type").get<std::string>(), j, frame.payload);
    } catch (const std::exception& exception) {
        return fail(ErrorCode::Corrupt,
                    std::string("A message from the other process is damaged: ") + exception.what());
    }
}

} // namespace

Frame encode(const ToRank& message)
{
    return std::visit([](const auto& m) { return write(m); }, message);
}

Frame encode(const FromRank& message)
{
    return std::visit([](const auto& m) { return write(m); }, message);
}

Result<ToRank> decodeToRank(const Frame& frame)
{
    return decode<ToRank>(frame, readToRank);
}

Result<FromRank> decodeFromRank(const Frame& frame)
{
    return decode<FromRank>(frame, readFromRank);
}

} // namespace loquor::comm
