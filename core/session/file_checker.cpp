#include "core/session/file_checker.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/guarded_thread.h"
#include "core/base/json.h"
#include "core/media/audio_reader.h"
#include "core/media/sound_report.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"
#include "core/project/line_edits.h"
#include "core/project/project_file.h"
#include "core/session/file_names.h"
#include "core/speech/clauses.h"
#include "core/speech/script.h"

namespace loquor::session {

namespace fs = std::filesystem;

namespace {

constexpr float kSilencePeak = .002f;

// Sound without moving picture; also what is named like sound and cannot be read as anything: then the fault of the
// sound is the one to be told.
bool isSound(const fs::path& file)
{
    const auto reader = media::AudioReader::open(file);
    return reader ? !reader->info().hasVideo : promisedBy(file) == Promise::Recording;
}

// By its name: there is nothing else to go by.
const char* kindOfEmpty(const fs::path& file)
{
    switch (promisedBy(file)) {
    case Promise::Picture: return "image";
    case Promise::Video: return "video";
    case Promise::Recording: return "audio";
    case Promise::Project: return "project";
    case Promise::Nothing: break;
    }
    return "text";
}

bool isJson(const std::string& text)
{
    const auto json = nlohmann::json::parse(text, nullptr, false);
    return json.is_object() || json.is_array();
}

CheckReport checkProject(const fs::path& file)
{
    CheckReport out;
    out.file = file;
    out.kind = "project";
    const auto loaded = project::loadProject(file);
    if (!loaded) {
        out.problems.push_back(loaded.error().text());
        return out;
    }
    const int lines = project::lineCount(loaded->document);
    out.details = std::to_string(lines) + (lines == 1 ? " line" : " lines");
    out.width = loaded->document.output.width;
    out.height = loaded->document.output.height;
    out.warnings = loaded->warnings;
    out.warnings.push_back("It is a project and no script: see it with loquor-cli project status, make its video with "
                           "loquor-cli project render.");
    out.usable = true;
    return out;
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
    std::error_code unknown;
    if (head.empty() && fs::file_size(file, unknown) == 0 && !unknown) {
        CheckReport empty = failed(file, Error(ErrorCode::EmptyInput, "The file " + platform::quotedPath(file) + " is empty (0 bytes)."));
        empty.kind = kindOfEmpty(file);
        m_done(id, std::move(empty));
        return true;
    }
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

namespace {

std::string placeText(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%d:%05.2f", static_cast<int>(seconds / 60), std::fmod(seconds, 60));
    return text;
}

// What people want to know before they use a recording: where it is distorted, where nobody speaks, what else is in it.
void warnOfSound(const media::SoundReport& sound, std::vector<std::string>& warnings)
{
    constexpr double kLongSilence = 5, kLongEnd = 1; // seconds
    constexpr std::size_t kShown = 5;
    const double rate = sound.sampleRate;
    if (!sound.clipped.empty()) {
        std::string places;
        for (std::size_t i = 0; i < std::min(kShown, sound.clipped.size()); ++i)
            places += (i > 0 ? ", " : "") + placeText(static_cast<double>(sound.clipped[i].first) / rate);
        warnings.push_back("The recording was too loud and is distorted (" + std::to_string(sound.clippedRuns) + " times) at " +
                           places + (sound.clipped.size() > kShown ? " and later." : "."));
    }
    for (const media::SoundSpan& span : sound.silences) {
        const double seconds = static_cast<double>(span.frames) / rate;
        const bool isEnd = span.first + span.frames == sound.frames;
        if (seconds >= (isEnd || span.first == 0 ? kLongEnd : kLongSilence))
            warnings.push_back("Nothing is heard for " + std::to_string(std::lround(seconds)) + " s" + (isEnd ? " at the end, from " : " from ") +
                               placeText(static_cast<double>(span.first) / rate) + ".");
        if (warnings.size() >= 2 * kShown)
            break;
    }
}

void tellStreams(const media::AudioFileInfo& info, std::vector<std::string>& warnings)
{
    if (info.streams.size() > 1) {
        std::string all;
        for (const media::AudioStreamInfo& stream : info.streams)
            all += (all.empty() ? "" : "; ") + std::to_string(stream.number) + ": " + stream.codec + ", " + stream.layout +
                   (stream.language.empty() ? "" : ", " + stream.language);
        warnings.push_back("The file holds " + std::to_string(info.streams.size()) +
                           " sound streams (" + all + "); the first one is used, another one with --stream N.");
    }
}

} // namespace

CheckReport checkSound(const fs::path& file, const CancelToken& cancel)
{
    const auto failed = [&file](const Error& error) {
        CheckReport report = FileChecker::failed(file, error);
        report.kind = "audio";
        return report;
    };
    const auto reader = media::AudioReader::open(file);
    if (!reader)
        return failed(reader.error());
    const auto length = media::inspectSound(file, 0, cancel);
    if (!length)
        return failed(length.error());
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
    if (out.problems.empty())
        warnOfSound(*length, out.warnings);
    tellStreams(info, out.warnings);
    out.usable = out.problems.empty();
    return out;
}

CheckReport checkText(const fs::path& file)
{
    if (std::string broken = promiseBroken(file); !broken.empty()) {
        CheckReport out;
        out.file = file;
        out.kind = "text";
        out.problems.push_back(std::move(broken));
        return out;
    }
    if (promisedBy(file) == Promise::Project)
        return checkProject(file);
    const auto text = speech::readScriptFile(file);
    if (!text)
        return FileChecker::failed(file, text.error());
    if (isJson(*text)) {
        CheckReport json = checkProject(file); // whatever its name is
        if (!json.usable) {
            json.kind = "JSON";
            json.problems = {"It is data for programs (JSON) and no script: nobody would say it."};
        }
        return json;
    }
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
