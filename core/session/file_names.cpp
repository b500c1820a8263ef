#include "core/session/file_names.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>

#include "core/platform/atomic_file.h"
#include "core/platform/file_descriptor.h"
#include "core/platform/paths.h"

namespace loquor::session {

namespace fs = std::filesystem;

namespace {

std::string endingOf(const fs::path& file)
{
    std::string ending = file.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending;
}

bool isOneOf(const std::string& ending, std::initializer_list<std::string_view> endings)
{
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

const char* words(Promise promise)
{
    switch (promise) {
    case Promise::Picture: return "a picture";
    case Promise::Video: return "a video";
    case Promise::Recording: return "a recording";
    case Promise::Project: return "a project";
    case Promise::Nothing: break;
    }
    return "nothing";
}

// "talk.avi" -> "talk.mp4"
std::string suggested(const fs::path& file, const char* ending)
{
    fs::path name = file.filename();
    return platform::quotedPath(promisedBy(file) == Promise::Nothing ? fs::path(name.string() + ending)
                                                                     : name.replace_extension(ending));
}

Result<void> expectEnding(const fs::path& file, const char* what, std::initializer_list<std::string_view> endings)
{
    const std::string ending = endingOf(file);
    if (file.empty() || isOneOf(ending, endings))
        return {};
    const std::string first(*endings.begin());
    return fail(ErrorCode::InvalidArgument,
                std::string(what) + ", but the name " + platform::quotedPath(file) +
                    (ending.empty() ? " has no ending" : " promises something else") + ". Call it " +
                    suggested(file, first.c_str()) + ".");
}

} // namespace

Promise promisedBy(const fs::path& file)
{
    const std::string ending = endingOf(file);
    if (isOneOf(ending, {".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp", ".gif", ".heic", ".avif"}))
        return Promise::Picture;
    if (isOneOf(ending, {".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".mpeg"}))
        return Promise::Video;
    if (isOneOf(ending, {".wav", ".mp3", ".m4a", ".aac", ".flac", ".ogg", ".opus", ".aiff", ".wma"}))
        return Promise::Recording;
    return ending == ".loquor" ? Promise::Project : Promise::Nothing;
}

std::string headOf(const fs::path& file)
{
    const auto fd = platform::openForReading(file);
    std::string head(4096, '\0');
    if (!fd)
        return {};
    const auto got = platform::readUpTo(fd->get(), head.data(), head.size(), "Reading");
    head.resize(got ? *got : 0);
    return head;
}

bool looksLikeText(const std::string& head)
{
    if (head.empty())
        return false;
    const auto odd = [](char c) {
        const auto u = static_cast<unsigned char>(c);
        return u == 0 || (u < 32 && u != '\n' && u != '\r' && u != '\t' && u != '\f' && u != 27);
    };
    const bool utf16 = head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff");
    return utf16 || std::none_of(head.begin(), head.end(), odd);
}

std::string promiseBroken(const fs::path& text)
{
    const Promise promise = promisedBy(text);
    if (promise == Promise::Nothing || promise == Promise::Project) // a project is text
        return {};
    return std::string("The name says that it is ") + words(promise) + " (" +
           platform::truncatedUtf8(text.extension().string(), 20) +
           "), but its content is text. If it is meant to be said, give it the ending .txt.";
}

Result<void> refuseText(const fs::path& file, const char* wanted)
{
    if (!looksLikeText(headOf(file)))
        return {};
    const std::string broken = promiseBroken(file);
    return fail(ErrorCode::Unsupported, platform::quotedPath(file) + " is not " + wanted + ". " +
                                            (broken.empty() ? "Its content is text." : broken));
}

Result<void> checkVideoName(const fs::path& file)
{
    return expectEnding(file, "Videos are written as MP4", {".mp4", ".m4v"});
}

Result<void> checkSoundName(const fs::path& file)
{
    return expectEnding(file, "Sound is written as WAV, FLAC or MP3 (.wav, .flac, .mp3)", {".wav", ".flac", ".mp3"});
}

Result<void> checkProjectName(const fs::path& file)
{
    return expectEnding(file, "This writes a project", {".loquor"});
}

Result<void> checkDataName(const fs::path& file, const char* what)
{
    const Promise promise = promisedBy(file);
    if (promise == Promise::Nothing)
        return {};
    return fail(ErrorCode::InvalidArgument, std::string("The ") + what + " is JSON, but the name " +
                                                platform::quotedPath(file) + " promises " + words(promise) +
                                                ". Call it " + suggested(file, ".json") + ".");
}

} // namespace loquor::session
