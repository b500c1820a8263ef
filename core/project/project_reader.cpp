// JSON -> document, with all the distrust that a file deserves.
#include <charconv>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <unordered_set>

#include "core/base/random.h"
#include "core/project/project_file.h"
#include "core/project/project_json.h"
#include "core/project/script_text.h"

namespace loquor::project {

namespace fs = std::filesystem;

namespace {

// Thrown inside this file only, where a field has the wrong type; becomes ErrorCode::Corrupt.
struct FieldError : std::runtime_error
{
    FieldError(const std::string& name, const std::string& wanted)
        : std::runtime_error(name + ": " + wanted + " expected"), field(name), expected(wanted) {}
    std::string field;
    std::string expected;
};

const Json& objectAt(const Json& parent, const char* key, const std::string& where)
{
    static const Json kEmpty = Json::object();
    const auto it = parent.find(key);
    if (it == parent.end() || it->is_null())
        return kEmpty;
    if (!it->is_object())
        throw FieldError{where + key, "an object"};
    return *it;
}

std::string textAt(const Json& parent, const char* key, const std::string& where)
{
    const auto it = parent.find(key);
    if (it == parent.end() || it->is_null())
        return {};
    if (!it->is_string())
        throw FieldError{where + key, "text"};
    return it->get<std::string>();
}

// What of an object this version does not know; "" = nothing.
template<std::size_t N>
std::string unknownIn(Json json, const char* const (&fields)[N])
{
    for (const char* known : fields)
        json.erase(known);
    return json.empty() ? std::string() : json.dump();
}

int intAt(const Json& parent, const char* key, int fallback, const std::string& where)
{
    const auto it = parent.find(key);
    if (it == parent.end() || it->is_null())
        return fallback;
    if (!it->is_number_integer() || it->get<std::int64_t>() < 0 ||
        it->get<std::int64_t>() > 1'000'000)
        throw FieldError{where + key, "a whole number"};
    return it->get<int>();
}

bool flagAt(const Json& parent, const char* key, const std::string& where)
{
    const auto it = parent.find(key);
    if (it == parent.end() || it->is_null())
        return false;
    if (!it->is_boolean())
        throw FieldError{where + key, "true or false"};
    return it->get<bool>();
}

// Seconds with a fraction; absent: 0.
std::chrono::microseconds timeAt(const Json& parent, const char* key, const std::string& where)
{
    constexpr double kMost = 3600.0 * 24 * 365;
    const auto it = parent.find(key);
    if (it == parent.end() || it->is_null())
        return {};
    const double seconds = it->is_number() ? it->get<double>() : -1;
    if (!(seconds >= 0 && seconds <= kMost))
        throw FieldError{where + key, "a number of seconds"};
    return std::chrono::microseconds(std::llround(seconds * 1e6));
}

std::int64_t samplesAt(const Json& parent, const char* key, const std::string& where)
{
    constexpr std::int64_t kMost = std::int64_t{kRecordingRate} * 3600 * 24 * 365;
    const auto it = parent.find(key);
    if (it == parent.end() || !it->is_number_integer() || it->get<std::int64_t>() < 0 || it->get<std::int64_t>() > kMost)
        throw FieldError{where + key, "a number of samples"};
    return it->get<std::int64_t>();
}

// Stands as text, because programs that read numbers as doubles would round it.
std::uint64_t idAt(const Json& parent, const char* key, const std::string& where)
{
    const std::string text = textAt(parent, key, where);
    if (text.empty())
        return 0;
    const auto id = idFromText(text);
    if (!id)
        throw FieldError{where + key, "16 hexadecimal digits"};
    return *id;
}

// A decimal number as text; version 1 wrote a plain number.
std::optional<std::uint64_t> seedAt(const Json& parent, const char* key, const std::string& where)
{
    const auto it = parent.find(key);
    if (it == parent.end() || it->is_null())
        return std::nullopt;
    if (it->is_number_unsigned())
        return it->get<std::uint64_t>();
    std::uint64_t seed = 0;
    if (it->is_string()) {
        const auto& text = it->get_ref<const std::string&>();
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
        if (!text.empty() && error == std::errc() && end == text.data() + text.size())
            return seed;
    }
    throw FieldError{where + key, "a whole number"};
}

fs::path pathAt(const Json& parent, const char* key, const fs::path& folder,
                const std::string& where)
{
    const Json& entry = objectAt(parent, key, where);
    const std::string below = where + key + ".";
    const std::string relative = textAt(entry, "path", below);
    const std::string absolute = textAt(entry, "absolute", below);
    if (relative.empty() && absolute.empty())
        return {};
    fs::path first = (folder / pathFromUtf8(relative)).lexically_normal();
    std::error_code ec;
    if (absolute.empty() || (!relative.empty() && fs::exists(first, ec)))
        return first;
    return pathFromUtf8(absolute);
}

class Reader
{
public:
    Reader(const Json& root, const fs::path& folder, ReadNotes& notes)
        : m_root(root), m_folder(folder), m_notes(notes)
    {
    }

    Document document()
    {
        Document document;
        document.id = idAt(m_root, "id", "");
        document.output = output(objectAt(m_root, "output", ""));
        readPronunciations(document.pronunciations);
        const auto scenes = m_root.find("scenes");
        if (scenes != m_root.end() && !scenes->is_array())
            throw FieldError{"scenes", "a list"};
        if (scenes == m_root.end() || scenes->empty())
            return document;
        document.scenes.clear();
        for (const Json& json : *scenes) {
            const std::string where = "scenes[" + std::to_string(document.scenes.size()) + "].";
            if (!json.is_object())
                throw FieldError{where, "an object"};
            document.scenes.push_back(scene(json, where));
            if (document.scenes.back().id.empty())
                document.scenes.back().id = "scene-" + std::to_string(document.scenes.size());
            readLines(json, document.scenes.back(), where);
        }
        return document;
    }

private:
    void readPronunciations(speech::Pronunciations& list) const
    {
        const auto entries = m_root.find("pronunciations");
        if (entries == m_root.end() || entries->is_null())
            return;
        if (!entries->is_array() || entries->size() > speech::kMaxPronunciations)
            throw FieldError{"pronunciations", "a list of at most " + std::to_string(speech::kMaxPronunciations) + " entries"};
        for (const Json& json : *entries) {
            const std::string where = "pronunciations[" + std::to_string(list.size()) + "].";
            if (!json.is_object())
                throw FieldError{where, "an object"};
            speech::Pronunciation entry;
            entry.words = textAt(json, "words", where);
            entry.language = textAt(json, "language", where);
            entry.alias = textAt(json, "as", where);
            entry.ipa = textAt(json, "ipa", where);
            Json unknown = json;
            for (const char* known : kPronunciationFields)
                unknown.erase(known);
            if (!unknown.empty())
                entry.preserved = unknown.dump();
            list.push_back(std::move(entry));
        }
    }

    Scene scene(const Json& json, const std::string& where)
    {
        Scene scene;
        scene.id = textAt(json, "id", where);
        const Json& reference = objectAt(json, "reference", where);
        scene.reference.file = pathAt(reference, "file", m_folder, where + "reference.");
        scene.reference.faceIndex = intAt(reference, "face", 0, where + "reference.");
        scene.reference.consentAt =
            textAt(reference, "likenessConfirmedAt", where + "reference.");

        const Json& speech = objectAt(json, "speech", where);
        const std::string below = where + "speech.";
        const std::string mode = textAt(speech, "mode", below);
        if (mode == "recording")
            scene.speech.mode = SpeechMode::Recording;
        else if (!mode.empty() && mode != "text")
            throw FieldError{below + "mode", "\"text\" or \"recording\""};
        scene.speech.audioFile = pathAt(speech, "audio", m_folder, below);
        scene.speech.transcript = textAt(speech, "transcript", below);
        scene.speech.voice = textAt(speech, "voice", below);
        scene.speech.language = textAt(speech, "language", below);
        scene.speech.import = importAt(speech, below);

        const Json& background = objectAt(json, "background", where);
        scene.background = textAt(background, "colour", where + "background.");
        if (scene.background.empty()) {
            const fs::path picture =
                pathAt(background, "picture", m_folder, where + "background.");
            scene.background = picture.empty() ? std::string() : utf8Text(picture);
        }
        scene.prompt = textAt(json, "prompt", where);
        return scene;
    }

    void readLines(const Json& json, Scene& scene, const std::string& where)
    {
        if (m_notes.version < 2) {
            splitOldText(textAt(objectAt(json, "speech", where), "text", where + "speech."), scene);
            return;
        }
        scene.leadIn = blankAt(json, "leadIn", "", where);
        const auto lines = json.find("lines");
        if (lines == json.end() || lines->is_null())
            return;
        if (!lines->is_array())
            throw FieldError{where + "lines", "a list"};
        scene.lines.reserve(lines->size());
        for (const Json& entry : *lines) {
            const std::string below =
                where + "lines[" + std::to_string(scene.lines.size()) + "].";
            if (!entry.is_object())
                throw FieldError{below, "an object"};
            scene.lines.push_back(line(entry, below));
            makeUnique(scene.lines.back(), scene);
        }
    }

    Line line(const Json& json, const std::string& where)
    {
        Line line;
        line.id = idAt(json, "id", where);
        line.text = textAt(json, "text", where);
        line.after = blankAt(json, "after", "\n", where);
        line.prompt = textAt(json, "prompt", where);
        line.voice = textAt(json, "voice", where);
        if (const auto pause = json.find("pauseAfter"); pause != json.end() && !pause->is_null()) {
            const double seconds = pause->is_number() ? pause->get<double>() : -1;
            if (!(seconds >= 0 && seconds <= 60))
                throw FieldError{where + "pauseAfter", "0 to 60 seconds"};
            line.pauseAfter = seconds;
        }
        line.takeSeed = seedAt(json, "takeSeed", where).value_or(0);
        line.chosenTake = idAt(json, "take", where);
        line.recording = recording(json, where);
        line.captions = captions(json, where);
        line.preserved = unknownIn(json, kLineFields);
        return line;
    }

    static std::optional<LineCaptions> captions(const Json& parent, const std::string& where)
    {
        const Json& json = objectAt(parent, "captions", where);
        if (json.empty())
            return std::nullopt;
        const std::string below = where + "captions.";
        LineCaptions out;
        out.words = textAt(json, "words", below);
        out.preserved = unknownIn(json, kCaptionsFields);
        const auto list = json.find("list");
        if (list == json.end() || !list->is_array() || list->empty())
            throw FieldError{below + "list", "a list of captions"};
        for (const Json& entry : *list) {
            const std::string one = below + "list[" + std::to_string(out.list.size()) + "].";
            if (!entry.is_object())
                throw FieldError{one, "an object"};
            CaptionText caption;
            caption.text = textAt(entry, "text", one);
            caption.firstWord = static_cast<std::size_t>(intAt(entry, "firstWord", 0, one));
            caption.preserved = unknownIn(entry, kCaptionFields);
            if (caption.text.empty())
                throw FieldError{one + "text", "a caption"};
            if (out.list.empty() ? caption.firstWord != 0 : caption.firstWord <= out.list.back().firstWord)
                throw FieldError{one + "firstWord", out.list.empty() ? "0" : "a word behind that of the caption before"};
            out.list.push_back(std::move(caption));
        }
        return out;
    }

    static media::SoundImport importAt(const Json& json, const std::string& below)
    {
        media::SoundImport out;
        out.stream = intAt(json, "stream", 0, below);
        out.from = timeAt(json, "in", below);
        out.to = timeAt(json, "out", below);
        out.loudness = flagAt(json, "loudness", below);
        out.denoise = flagAt(json, "denoise", below);
        if (out.to.count() > 0 && out.to <= out.from)
            throw FieldError{below + "out", "a place behind \"in\""};
        return out;
    }

    std::optional<Recording> recording(const Json& parent, const std::string& where) const
    {
        const Json& json = objectAt(parent, "recording", where);
        if (json.empty())
            return std::nullopt;
        const std::string below = where + "recording.";
        Recording out;
        out.file = pathAt(json, "file", m_folder, below);
        out.sha256 = textAt(json, "sha256", below);
        out.first = samplesAt(json, "firstSample", below);
        out.samples = samplesAt(json, "samples", below);
        if (out.file.empty() || out.sha256.empty())
            throw FieldError{below + (out.file.empty() ? "file" : "sha256"), "given"};
        if (out.samples == 0)
            throw FieldError{below + "samples", "1 or more"};
        out.import = importAt(json, below);
        out.preserved = unknownIn(json, kRecordingFields);
        return out;
    }

    // White space between lines; anything else there would be text that no line speaks.
    static std::string blankAt(const Json& json, const char* key, const char* fallback,
                               const std::string& where)
    {
        const auto it = json.find(key);
        if (it == json.end() || it->is_null())
            return fallback;
        std::string text = textAt(json, key, where);
        if (text.find_first_not_of(" \n\r\t") != std::string::npos)
            throw FieldError{where + key, "white space"};
        return text;
    }

    // Hand-made files have no ids, or the same twice. What they get depends on the content alone, so
    // that the same file gives the same ids until it is saved.
    void makeUnique(Line& line, const Scene& scene)
    {
        if (line.id != 0 && m_ids.insert(line.id).second)
            return;
        if (line.id != 0)
            m_notes.warnings.push_back("Line " + std::to_string(scene.lines.size()) +
                                       " had the id of another line and got a new one.");
        m_notes.idsGiven = true;
        line.id = derivedId(scene.id + '\n' + line.text);
    }

    std::uint64_t derivedId(const std::string& content)
    {
        std::uint64_t id = mixSeed(0x4C6F71756F72ULL, content);
        while (id == 0 || !m_ids.insert(id).second)
            id = mixSeed(id, std::string_view("again"));
        return id;
    }

    void splitOldText(const std::string& text, Scene& scene)
    {
        std::uint64_t number = 0;
        const IdSource ids = [&] { return derivedId(scene.id + '\n' + std::to_string(++number)); };
        if (!setScriptText(scene, text, ids)) { // NUL bytes, or far too long
            Line line;
            line.text = text;
            line.after.clear();
            line.id = ids();
            scene.lines.push_back(std::move(line));
        }
        m_notes.idsGiven = m_notes.idsGiven || !scene.lines.empty();
    }

    static Output output(const Json& json)
    {
        Output output;
        output.width = intAt(json, "width", output.width, "output.");
        output.height = intAt(json, "height", output.height, "output.");
        const std::string fps = textAt(json, "fps", "output.");
        if (!fps.empty()) {
            const auto rate = Rational::parse(fps);
            if (!rate)
                throw FieldError{"output.fps", "a frame rate such as \"25\" or \"30000/1001\""};
            output.fps = *rate;
        }
        const std::string framing = textAt(json, "framing", "output.");
        if (framing == "fit")
            output.framing = Framing::Fit;
        else if (!framing.empty() && framing != "fill")
            throw FieldError{"output.framing", "\"fill\" or \"fit\""};
        output.seed = seedAt(json, "seed", "output.");
        if (const std::string pack = textAt(json, "pack", "output."); !pack.empty())
            output.pack = pack;
        return output;
    }

    const Json& m_root;
    const fs::path& m_folder;
    ReadNotes& m_notes;
    std::unordered_set<std::uint64_t> m_ids; // of all lines
};

// Lines live in the document; keeping them twice would cost as much as the script.
std::string withoutLines(Json root)
{
    if (const auto scenes = root.find("scenes"); scenes != root.end() && scenes->is_array()) {
        for (Json& scene : *scenes) {
            if (!scene.is_object())
                continue;
            scene.erase("lines");
            scene.erase("leadIn");
            if (const auto speech = scene.find("speech");
                speech != scene.end() && speech->is_object())
                speech->erase("text");
        }
    }
    return root.dump();
}

} // namespace

Result<Document> fromJson(std::string_view json, const fs::path& folder, ReadNotes* notes)
{
    ReadNotes own;
    ReadNotes& told = notes != nullptr ? *notes : own;
    told = {};
    try {
        Json root = Json::parse(json);
        if (!root.is_object() || textAt(root, "format", "") != kFormatName)
            return fail(ErrorCode::Corrupt, "This is not a Loquor project");
        told.version = intAt(root, "version", 0, "");
        if (told.version > kFormatVersion)
            return fail(ErrorCode::Unsupported,
                        "This project was made by a newer version of Loquor (format " +
                            std::to_string(told.version) + "; this one reads up to " +
                            std::to_string(kFormatVersion) + "); update the program to open it");
        if (told.version < 1)
            throw FieldError{"version", "1 or higher"};
        Document document = Reader(root, folder, told).document();
        document.preserved = withoutLines(std::move(root));
        return document;
    } catch (const FieldError& error) {
        return fail(ErrorCode::Corrupt, "The project is damaged: the field '" + error.field +
                                            "' must be " + error.expected);
    } catch (const Json::exception& error) {
        if (!json.empty() && json.find_first_not_of(" \t\r\n") != json.find('{'))
            return fail(ErrorCode::Corrupt, "This is not a Loquor project: it is not valid JSON");
        return fail(ErrorCode::Corrupt,
                    std::string("The project is damaged: it is not valid JSON (") + jsonProblem(error) +
                        ")");
    }
}

} // namespace loquor::project
