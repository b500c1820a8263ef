// loquor-evaluate: measures a finished video and says what it found.
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "core/base/cancel.h"
#include "core/evaluate/evaluate_file.h"
#include "core/evaluate/plot.h"
#include "core/evaluate/report.h"
#include "core/media/image_writer.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"
#include "core/platform/signals.h"

using namespace loquor;

namespace {

enum ExitStatus {
    kClean = 0,
    kHardFlag = 1,
    kNotMeasured = 2,
};

struct Arguments
{
    std::string video, reference, timing, plot, models, region;
    double maxSeconds = 0;
    bool json = false;
};

// "x,y,w,h"
bool parseRegion(const std::string& text, evaluate::Box& box)
{
    const char* at = text.data();
    const char* const end = at + text.size();
    for (int* value : {&box.x, &box.y, &box.width, &box.height}) {
        if (value != &box.x) {
            if (at == end || *at != ',')
                return false;
            ++at;
        }
        const auto [next, problem] = std::from_chars(at, end, *value);
        if (problem != std::errc())
            return false;
        at = next;
    }
    return at == end && box.width > 0 && box.height > 0;
}

// For CLI11, whose own words would show the largest number there is.
std::string isSeconds(const std::string& text)
{
    double seconds = 0;
    const char* end = text.data() + text.size();
    const auto [read, problem] = std::from_chars(text.data(), end, seconds);
    return problem == std::errc() && read == end && seconds > 0 ? std::string() : "'" + text + "' is not a number of seconds above 0.";
}

void describe(CLI::App& app, Arguments& arguments)
{
    app.description("Measures a talking video: streams, lips against sound, eyes, head, identity, colour, and faults.\n"
                    "Exit status: 0 no hard flag, 1 at least one hard flag, 2 could not measure.");
    app.add_option("video", arguments.video, "The video to measure")->required();
    app.add_option("--reference,--ref", arguments.reference, "Photo of the person: adds identity, sharpness and colour against it");
    app.add_option("--timing", arguments.timing, "timing.json of what is spoken: adds closures on p, b and m");
    app.add_flag("--json", arguments.json, "Print JSON instead of text (docs/evaluate.md)");
    app.add_option("--plot", arguments.plot, "Write the curves as a PNG picture");
    app.add_option("--roi", arguments.region, "x,y,w,h of the face in pixels of the video, when there are several");
    app.add_option("--max-seconds", arguments.maxSeconds, "Track only the beginning")->check(CLI::Validator(isSeconds, ""));
    app.add_option("--models", arguments.models, "Folder of the networks (default: models in the data folder)");
}

int complain(const std::string& text)
{
    std::cerr << "loquor-evaluate: " << text << "\n";
    return kNotMeasured;
}

int run(const Arguments& arguments, const CancelToken& cancel)
{
    evaluate::FileOptions options;
    options.models = arguments.models.empty() ? platform::dataFolder() / "models" : std::filesystem::path(arguments.models);
    if (!arguments.reference.empty())
        options.reference = arguments.reference;
    if (!arguments.timing.empty())
        options.timing = arguments.timing;
    if (arguments.maxSeconds > 0)
        options.maxSeconds = arguments.maxSeconds;
    if (!arguments.region.empty()) {
        evaluate::Box box;
        if (!parseRegion(arguments.region, box))
            return complain("--roi needs four whole numbers x,y,w,h, not '" + arguments.region + "'");
        options.region = box;
    }
    if (!arguments.plot.empty()) {
        std::vector<std::filesystem::path> inputs{arguments.video};
        for (const std::string& input : {arguments.reference, arguments.timing})
            if (!input.empty())
                inputs.emplace_back(input);
        if (auto own = platform::refuseInputAsOutput(arguments.plot, inputs); !own)
            return complain(own.error().text());
        if (auto writable = platform::checkWritable(arguments.plot, platform::IfExists::Replace); !writable)
            return complain(writable.error().text());
    }
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (terminal)
        options.progress = [](double part) { std::fprintf(stderr, "\rtracking %3.0f %%", 100 * part); };
    const auto evaluation = evaluate::evaluateFile(arguments.video, options, cancel);
    if (terminal)
        std::fprintf(stderr, "\r\033[K");
    if (!evaluation)
        return complain(evaluation.error().text());
    std::cout << (arguments.json ? toJson(*evaluation) : toText(*evaluation)) << std::flush;
    if (!arguments.plot.empty())
        if (const auto written = media::writePng(arguments.plot, evaluate::plot(*evaluation)); !written)
            return complain(written.error().text());
    return evaluation->hardFlags() > 0 ? kHardFlag : kClean;
}

int runCommandLine(int argc, char** argv, const CancelToken& cancel)
{
    CLI::App app;
    Arguments arguments;
    describe(app, arguments);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? kClean : kNotMeasured;
    }
    return run(arguments, cancel);
}

} // namespace

int main(int argc, char** argv)
{
    // The networks are too small for several threads, and idle ones would spin.
    ::setenv("OMP_NUM_THREADS", "1", 1);
    platform::ignorePipeAndSizeSignals();
    try {
        CancelSource cancel;
        const platform::InterruptWatch watch([&](int) { cancel.cancel(); });
        return runCommandLine(argc, argv, cancel.token());
    } catch (const std::exception& e) {
        std::fprintf(stderr, "loquor-evaluate: internal error: %s\n", e.what());
        return kNotMeasured;
    }
}
