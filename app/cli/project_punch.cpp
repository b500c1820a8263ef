// project punch: a stretch of a recorded line is said again, the rest of it stays.
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "app/cli/import_options.h"
#include "app/cli/job_follower.h"
#include "app/cli/option_values.h"
#include "app/cli/project_commands.h"
#include "core/audio/audio_backend.h"
#include "core/audio/punch_in.h"
#include "core/audio/recorder.h"
#include "core/platform/hash.h"
#include "core/platform/paths.h"
#include "core/project/line_edits.h"
#include "core/project/recording_edits.h"

namespace loquor::cli {

namespace fs = std::filesystem;

namespace {

constexpr double kShortest = .05; // seconds

struct Options
{
    std::string file, audio, words, from, to;
    int number = 0, countIn = 0;
    double preRoll = 2;
    bool quiet = false;
    ProjectOutput output;
};

struct Span
{
    double from = 0, to = 0; // seconds of the line
};

// Waits for the answer to one command.
template<class Take>
Result<void> answered(session::Session& session, session::CommandId command, Interrupts& interrupts, Take take)
{
    Result<void> out = fail(ErrorCode::Cancelled, "Interrupted.");
    SessionLoop loop(session, interrupts);
    loop.run({
        [&](session::Event& event) {
            if (event.command != command)
                return true;
            if (event.error) {
                out = fail(std::move(*event.error));
            } else {
                take(event);
                out = {};
            }
            return false;
        },
        [] {},
        [&] {
            session.cancel(command);
            return true; // the answer follows
        },
    });
    return out;
}

// "3-5" or "4": words of the line, from 1.
Result<std::pair<std::size_t, std::size_t>> wordNumbers(const std::string& text)
{
    std::size_t first = 0, last = 0;
    const char* end = text.data() + text.size();
    auto [at, bad] = std::from_chars(text.data(), end, first);
    last = first;
    if (bad == std::errc() && at != end && *at == '-') {
        const auto more = std::from_chars(at + 1, end, last);
        at = more.ptr;
        bad = more.ec;
    }
    if (bad != std::errc() || at != end || first < 1 || last < first)
        return fail(ErrorCode::InvalidArgument, "'" + text + "' names no words; write the number of one (4) or of the first and the last (3-5).");
    return std::pair(first, last);
}

// From the middle of the pause before them to the middle of the one behind.
Result<Span> spanOfWords(const project::Document& document, const Options& options, double length, session::Session& session, Interrupts& interrupts)
{
    LQ_TRY(const auto numbers, wordNumbers(options.words));
    std::shared_ptr<const std::vector<speech::Word>> words;
    LQ_CHECKED(answered(session, session.inspectWords(document), interrupts, [&](const session::Event& event) {
        for (const session::LineState& line : event.project->lines) {
            if (line.number == options.number)
                words = line.words;
        }
    }));
    const std::string line = "line " + std::to_string(options.number);
    if (!words || words->empty())
        return fail(ErrorCode::InvalidArgument, "It is not known where the words of " + line + " are before it was rendered; render it, or "
                                                                                               "name the seconds with --from and --to.");
    if (numbers.second > words->size())
        return fail(ErrorCode::InvalidArgument, "There is no word " + std::to_string(numbers.second) + " in " + line + ": it has " +
                                                    std::to_string(words->size()) + '.');
    const std::size_t first = numbers.first - 1, last = numbers.second - 1;
    Span out{0, length};
    if (first > 0)
        out.from = ((*words)[first - 1].end + (*words)[first].start) / 2;
    if (last + 1 < words->size())
        out.to = ((*words)[last].end + (*words)[last + 1].start) / 2;
    return out;
}

Result<Span> spanOf(const project::Document& document, const Options& options, double length, session::Session& session, Interrupts& interrupts)
{
    Span out{0, length};
    if (!options.words.empty()) {
        LQ_TRY(out, spanOfWords(document, options, length, session, interrupts));
    } else {
        const auto seconds = [](const std::string& text) { return std::chrono::duration<double>(timeOf(text)).count(); };
        out.from = seconds(options.from);
        if (!options.to.empty())
            out.to = std::min(seconds(options.to), length);
    }
    if (out.to - out.from >= kShortest)
        return out;
    char text[120];
    std::snprintf(text, sizeof text, "There is nothing between %.2f and %.2f s of line %d, which lasts %.2f s.", out.from, out.to,
                  options.number, length);
    return fail(ErrorCode::InvalidArgument, text);
}

// A name that nothing has yet, beside the project.
fs::path freeName(const fs::path& project, int number, const char* what)
{
    const fs::path folder = fs::absolute(project).parent_path() / "takes";
    std::error_code ignored;
    for (int k = 1;; ++k) {
        const fs::path file = folder / (project.stem().string() + "-line" + std::to_string(number) + '-' + what + std::to_string(k) + ".flac");
        if (!fs::exists(file, ignored))
            return file;
    }
}

Result<void> assemble(const Options& options, const fs::path& old, Span span, const fs::path& target)
{
    // The first moments of the new sound are where the old one fades out.
    const double lead = std::min(audio::kPunchFadeSeconds, (span.to - span.from) / 4);
    LQ_TRY(const SampleIndex samples, audio::assemblePunch({old, options.audio, lead, span.from + lead, span.to}, target));
    static_cast<void>(samples);
    return {};
}

// From the default microphone; what is before it is heard first.
Result<void> record(const Options& options, const fs::path& old, Span span, const fs::path& target, Interrupts& interrupts)
{
    using Phase = audio::RecorderState::Phase;
    const auto device = audio::createPortAudioBackend();
    audio::Recorder recorder(*device);
    audio::TakeRequest request;
    request.file = target;
    request.countIn.count = options.countIn;
    request.punch = audio::PunchIn{old, span.from, span.to, options.preRoll};
    recorder.record(request);
    Phase told = Phase::Idle;
    for (;;) {
        const audio::RecorderState now = recorder.state();
        if (now.phase == Phase::Failed)
            return fail(now.error.value_or(Error(ErrorCode::Internal, "The recording failed.")));
        if (now.phase == Phase::Finished)
            return {};
        if (interrupts.count() > 0) {
            recorder.stop();
            return cancelled();
        }
        if (!options.quiet && now.phase != told && (now.phase == Phase::CountIn || now.phase == Phase::Recording))
            std::fprintf(stderr, now.phase == Phase::Recording ? "Speak now.\n" : "Recording starts in a moment.\n");
        told = now.phase;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

Result<project::Document> punched(const Options& options, const project::Document& document, Interrupts& interrupts, Span& span)
{
    LQ_TRY(const project::LinePlace place, project::findLine(document, options.number));
    const std::optional<project::Recording>& part = document.scenes[place.scene].lines[place.line].recording;
    if (!part)
        return fail(ErrorCode::InvalidArgument, "Line " + std::to_string(options.number) + " is not recorded: a voice says it.");
    LQ_TRY(const std::unique_ptr<session::Session> session, openSession());
    const double length = static_cast<double>(part->samples) / project::kRecordingRate;
    LQ_TRY(span, spanOf(document, options, length, *session, interrupts));
    const fs::path old = freeName(options.file, options.number, "cut"), target = freeName(options.file, options.number, "punch");
    std::optional<project::Recording> cut;
    LQ_CHECKED(answered(*session, session->cutPart(*part, old), interrupts, [&](session::Event& event) { cut = std::move(event.part); }));
    const double before = static_cast<double>(cut->first) / project::kRecordingRate;
    const Span inFile{before + span.from, before + span.to};
    const auto made = options.audio.empty() ? record(options, old, inFile, target, interrupts) : assemble(options, old, inFile, target);
    std::error_code ignored;
    fs::remove(old, ignored);
    if (!made) {
        fs::path alone = target;
        alone.replace_extension(".stretch.flac"); // what the microphone gave
        for (const fs::path& one : {target, alone}) {
            fs::remove(one.string() + ".json", ignored);
            fs::remove(one, ignored);
        }
        return fail(made.error());
    }
    cut->file = target;
    LQ_TRY(cut->sha256, platform::sha256File(target));
    return project::withRecordingReplaced(document, options.number, std::move(*cut));
}

int punch(const Options& options, Interrupts& interrupts)
{
    Span span;
    return editProject(
        options.file, options.output,
        [&](const project::Document& document) { return punched(options, document, interrupts, span); },
        [&](const project::Document& document) {
            const auto where = project::findLine(document, options.number);
            char text[120];
            std::snprintf(text, sizeof text, "Line %d is new from %.2f to %.2f s.", options.number, span.from, span.to);
            return Description{Json{{"lines", project::lineCount(document)},
                                    {"changed", Json::array({lineToJson(document.scenes[where->scene], where->line, options.number)})},
                                    {"from", span.from},
                                    {"to", span.to}},
                               text};
        });
}

} // namespace

void addProjectPunch(CommandLine group)
{
    auto options = std::make_shared<Options>();
    CLI::App* app = group.app.add_subcommand("punch", "Say a stretch of a recorded line again; the rest of it stays");
    app->add_option("FILE", options->file, "The project (.loquor)")->required();
    app->add_option("N", options->number, "Number of the line (1 = first)")->required()->check(numberOf("a line"));
    auto* audio = app->add_option("AUDIO", options->audio, "The new sound; without it the microphone is recorded");
    auto* words = app->add_option("--words", options->words, "Which words: 4, or 3-5 (1 = the first of the line)");
    app->add_option("--from", options->from, "Seconds of the line from which on it is new")->excludes(words)->check(someTime());
    app->add_option("--to", options->to, "Seconds of the line up to which it is new; default: its end")->excludes(words)->check(someEnd());
    app->add_option("--pre-roll", options->preRoll, "Seconds of the line that are heard before")
        ->excludes(audio)
        ->check(CLI::Range(0.0, 10.0))
        ->capture_default_str();
    app->add_option("--count-in", options->countIn, "Seconds that are counted before")->excludes(audio)->check(CLI::Range(0, 10));
    app->add_flag("-q,--quiet", options->quiet, "Say only what is wrong");
    app->add_flag("--json", options->output.json, "Machine-readable");
    app->callback([group, options] { group.action = [group, options] { return punch(*options, group.interrupts); }; });
}

} // namespace loquor::cli
