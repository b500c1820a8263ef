#include "core/session/file_checker.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

#include "core/base/guarded_thread.h"
#include "core/media/audio_reader.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"
#include "core/speech/clauses.h"
#include "core/speech/script.h"

namespace loquor::session {

namespace fs = std::filesystem;

namespace {

constexpr float kSilencePeak = .002f;

// First bytes of a file; empty when it cannot be read.
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

// What the name promises: "a picture", "a video", "a recording"; null when it promises none of them.
const char* promisedBy(const fs::path& file)
{
    std::string ending = file.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto isOneOf = [&ending](std::initializer_list<const char*> endings) {
        return std::find(endings.begin(), endings.end(), ending) != endings.end();
    };
    if (isOneOf({".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp", ".gif", ".heic", ".avif"}))
        return "a picture";
    if (isOneOf({".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".mpeg"}))
        return "a video";
    if (isOneOf({".wav", ".mp3", ".m4a", ".aac", ".flac", ".ogg", ".opus", ".aiff", ".wma"}))
        return "a recording";
    return nullptr;
}

// Sound without moving picture.
bool isSound(const fs::path& file)
{
    const auto reader = media::AudioReader::open(file);
    return reader && !reader->info().hasVideo;
}

} // namespace

FileChecker::FileChecker(Done done) : m_done(std::move(done)) {}

FileChecker::~FileChecker()
{
    m_cancel.cancel();
    for (std::thread& worker : m_workers)
        worker.join();
}

CheckReport FileChecker::failed(const fs::path& file, const Error& error)
{
    CheckReport out;
    out.file = file;
    out.kind = "unknown";
    out.problems.push_back(error.text());
    return out;
}

bool FileChecker::startLocally(CommandId id, const fs::path& file)
{
    if (auto fd = platform::openForReading(file); !fd) {
        m_done(id, failed(file, fd.error()));
        return true;
    }
    const std::string head = headOf(file);
    const bool text = looksLikeText(head);
    if (!head.empty() && !text && !isSound(file))
        return false;
    const auto answer = [this, id, token = m_cancel.token()](CheckReport report) {
        if (!token.isCancelled())
            m_done(id, std::move(report));
    };
    // Out of memory, say, ends this check and not the program.
    m_workers.push_back(guardedThread(
        "checking a file",
        [file, text, answer, token = m_cancel.token()] { answer(text ? checkText(file) : checkSound(file, token)); },
        [file, answer](const Error& error) { answer(failed(file, error)); }));
    return true;
}

CheckReport checkSound(const fs::path& file, const CancelToken& cancel)
{
    const auto reader = media::AudioReader::open(file);
    if (!reader)
        return FileChecker::failed(file, reader.error());
    const auto length = media::measureLength(file, cancel);
    if (!length)
        return FileChecker::failed(file, length.error());
    CheckReport out;
    out.file = file;
    out.kind = "audio";
    out.durationSeconds = length->seconds();
    const media::AudioFileInfo& info = reader->info();
    if (!info.streams.empty())
        out.details = info.streams[0].codec + ", " + std::to_string(info.streams[0].sampleRate) + " Hz, " +
                      info.streams[0].layout;
    if (length->peak <= kSilencePeak)
        out.problems.push_back("The recording is silent: nobody can be heard in it.");
    else if (length->peak < .05f)
        out.warnings.push_back("The recording is very quiet; lip movement may be weak.");
    out.usable = out.problems.empty();
    return out;
}

CheckReport checkText(const fs::path& file)
{
    if (const char* promised = promisedBy(file)) {
        CheckReport out;
        out.file = file;
        out.kind = "text";
        out.problems.push_back(std::string("The name says that it is ") + promised + " (" +
                               platform::truncatedUtf8(file.extension().string(), 20) +
                               "), but its content is text. If it is meant to be said, give it the ending .txt.");
        return out;
    }
    const auto text = speech::readScriptFile(file);
    if (!text)
        return FileChecker::failed(file, text.error());
    const auto script = speech::parseScript(*text);
    CheckReport out;
    out.file = file;
    out.kind = "text";
    if (!script) {
        out.problems.push_back(script.error().text());
        return out;
    }
    for (const speech::ScriptLine& line : script->lines)
        out.durationSeconds += speech::estimateSeconds(line.spoken) + line.pauseAfter;
    out.details = std::to_string(script->lines.size()) + (script->lines.size() == 1 ? " sentence" : " sentences") +
                  ", language " + script->language;
    for (const speech::ScriptIssue& issue : script->issues)
        out.warnings.push_back("Line " + std::to_string(issue.line) + ": " + issue.message);
    out.usable = true;
    return out;
}

} // namespace loquor::session
