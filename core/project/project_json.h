// Names and helpers that reader and writer of project files share. For this folder only.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/json.h"

namespace loquor::project {

using Json = nlohmann::ordered_json;

inline constexpr const char* kFormatName = "loquor-project";

// Fields of a line that this version knows.
inline constexpr const char* kLineFields[] = {"id", "text", "after", "prompt", "voice",
                                              "pauseAfter", "takeSeed", "take", "recording", "captions"};

// Of a part of a recording.
inline constexpr const char* kRecordingFields[] = {"file", "sha256", "firstSample", "samples", "stream",
                                                   "in", "out", "loudness", "denoise"};

// How a sound is taken in.
inline constexpr const char* kImportFields[] = {"stream", "in", "out", "loudness", "denoise"};

// Of the captions of a line, and of one of them.
inline constexpr const char* kCaptionsFields[] = {"words", "list"};
inline constexpr const char* kCaptionFields[] = {"text", "firstWord"};

// Of an entry of the dictionary.
inline constexpr const char* kPronunciationFields[] = {"words", "language", "as", "ipa"};

inline std::string utf8Text(const std::filesystem::path& path)
{
    const std::u8string text = path.generic_u8string();
    return {text.begin(), text.end()};
}

inline std::filesystem::path pathFromUtf8(const std::string& text)
{
    return {std::u8string(text.begin(), text.end())};
}

} // namespace loquor::project
