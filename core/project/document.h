// The document of a project: what the user made, as plain values. No file, no thread, no engine
// here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"

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
    std::string text;                // UTF-8 script, may hold tags
    std::filesystem::path audioFile; // absolute in memory; used when mode is Recording
    std::string transcript;          // of the recording; may be empty
    std::string voice;               // "" = default voice of the language
    std::string language;            // "" = from the voice

    bool operator==(const Speech&) const = default;
};

struct Scene
{
    std::string id; // permanent: positions are not identities
    Reference reference;
    Speech speech;
    std::string background; // "" = the photo's own, "#rrggbb", or an absolute picture path
    std::string prompt;     // motion prompt

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

    bool operator==(const Output&) const = default;
};

// A project. A new one has one empty scene.
struct Document
{
    std::vector<Scene> scenes{firstScene()};
    Output output;
    // The JSON this document was read from, so that fields this version does not know survive a
    // save; opaque to everybody but project_file.cpp.
    std::string preserved;

    bool operator==(const Document&) const = default;
};

} // namespace loquor::project
