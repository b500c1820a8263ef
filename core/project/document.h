// The document of a project: what the user made, as plain values. No file, no thread, no engine
// here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "core/media/sound_import.h"
#include "core/speech/pronunciations.h"

namespace loquor::project {

// How the person is put on the output picture when shapes differ.
enum class Framing {
    Fill = 1,
    Fit,
};

// Where the speech of a scene comes from.
enum class SpeechMode {
    Text = 1,
    Recording,
};

// The person: a photo or a clip.
struct Reference
{
    std::filesystem::path file; // absolute in memory; empty = none chosen yet
    int faceIndex = 0;          // 1..n when the photo holds several; 0 = must be one
    // When the user confirmed the right to use this likeness (UTC, ISO 8601); empty = not
    // confirmed.
    std::string consentAt;

    bool operator==(const Reference&) const = default;
};

struct Speech
{
    SpeechMode mode = SpeechMode::Text;
    std::filesystem::path audioFile; // absolute in memory; used when mode is Recording
    std::string transcript;          // of the recording; may be empty
    std::string voice;               // "" = default voice of the language
    std::string language;            // "" = from the voice
    media::SoundImport import{};     // how audioFile is taken in

    bool operator==(const Speech&) const = default;
};

// A part of a recording. Samples count from the start of its sound as it was taken in (behind what was cut off), at
// kRecordingRate and mono.
inline constexpr int kRecordingRate = 48000;
struct Recording
{
    std::filesystem::path file; // absolute in memory
    std::string sha256;         // of its content: another file under this name is not this recording
    std::int64_t first = 0, samples = 0;
    media::SoundImport import{}; // how the file is taken in
    std::string preserved{};     // as Line::preserved

    bool operator==(const Recording&) const = default;
};

// Captions of a line as the user wrote them. They are held to the words of the line, not to times: whenever these
// words are said, however often the line is rendered again.
struct CaptionText
{
    std::string text;          // may hold line breaks
    std::size_t firstWord = 0; // of the line, from which on it is shown; 0 of the first one, growing
    std::string preserved;     // as Line::preserved

    bool operator==(const CaptionText&) const = default;
};
struct LineCaptions
{
    std::string words;             // of the line they were written for (speech::captionWordsText)
    std::vector<CaptionText> list; // not empty
    std::string preserved;         // as Line::preserved

    bool operator==(const LineCaptions&) const = default;
};

// One line of the script: usually a sentence, and always one unit of rendering. Its id is what takes,
// seeds and finished chunks hang on: it is given once and never changes, wherever the line moves and
// whatever its text becomes. Lines are made and changed through script_text.h and line_edits.h.
struct Line
{
    std::uint64_t id = 0; // random, never 0 in a document
    // UTF-8, may hold tags; white space at the ends is not part of it. Of a recorded line: what is said in
    // it, "" = nobody knows.
    std::string text;
    std::optional<Recording> recording; // absent: a voice says the text
    std::string prompt;   // motion prompt; "" = the scene's
    std::string voice;    // "" = the scene's
    // Seconds of silence behind the line; absent: by punctuation (pauseSeconds in line_facts.h), none
    // behind a recorded one.
    std::optional<double> pauseAfter;
    std::uint64_t takeSeed = 0;   // another number makes another take of the same words
    std::uint64_t chosenTake = 0; // id of the take that is shown; 0 = the newest
    // The white space between this line and the next when the script is written as one text.
    std::string after = "\n";
    // Fields of the file this version does not know, as a JSON object; "" = none.
    std::string preserved;
    std::optional<LineCaptions> captions{}; // absent: they are made of the text

    bool operator==(const Line&) const = default;
};

inline Line makeLine(std::uint64_t id, std::string text)
{
    Line line;
    line.id = id;
    line.text = std::move(text);
    return line;
}

struct Scene
{
    std::string id; // permanent: positions are not identities
    Reference reference;
    Speech speech;
    std::vector<Line> lines; // what is said when the mode is Text
    std::string leadIn;      // white space before the first line in the script as a text
    std::string background;  // "" = the photo's own, "#rrggbb", or an absolute picture path
    std::string prompt;      // motion prompt

    bool operator==(const Scene&) const = default;
};

inline Scene firstScene()
{
    Scene scene;
    scene.id = "scene-1";
    return scene;
}

struct Output
{
    int width = 1280, height = 720;
    Rational fps{25, 1};
    Framing framing = Framing::Fill;
    std::optional<std::uint64_t> seed; // absent: derived from the inputs
    std::string pack = "portrait";     // engine pack: id or folder

    bool operator==(const Output&) const = default;
};

// A project. A new one has one empty scene.
struct Document
{
    // Permanent and random: what is stored for this project outside its file (takes) belongs to
    // this number. 0 = not given yet. A copy under another name gets its own (copyIdentity in
    // ids.h).
    std::uint64_t id = 0;
    std::vector<Scene> scenes{firstScene()};
    Output output;
    speech::Pronunciations pronunciations; // of this project; they go before those of the user
    // The JSON this document was read from without its lines, so that fields this version does not
    // know survive a save; opaque to everybody but the reader and writer.
    std::string preserved;

    bool operator==(const Document&) const = default;
};

} // namespace loquor::project
