#include "app/cli/import_options.h"

#include <string>

#include "app/cli/option_values.h"
#include "core/base/time.h"
#include "core/session/import_shelf.h"

namespace loquor::cli {

namespace {

constexpr double kLongestSeconds = 2 * 3600.0;

std::string noTime(const std::string& text)
{
    return "'" + text + "' is no time; write seconds (12.5) or h:mm:ss.ms (1:02:03.456).";
}

} // namespace

CLI::Validator someTime()
{
    return CLI::Validator([](const std::string& text) { return clockTimeFrom(text) ? std::string() : noTime(text); }, "");
}

CLI::Validator someEnd()
{
    const auto check = [](const std::string& text) -> std::string {
        const auto time = clockTimeFrom(text);
        if (!time)
            return noTime(text);
        return time->count() > 0 ? "" : "an end at 0 leaves nothing of the recording.";
    };
    return CLI::Validator(check, "");
}

std::chrono::microseconds timeOf(const std::string& text)
{
    return clockTimeFrom(text).value_or(std::chrono::microseconds(0));
}

std::shared_ptr<media::SoundImport> addImportOptions(CLI::App& app, CLI::Option* audio)
{
    auto out = std::make_shared<media::SoundImport>();
    CLI::Option* const options[] = {
        app.add_option("--stream", out->stream, "Which sound stream of the recording, from 1; default: the first")
            ->check(numberOf("a sound stream")),
        app.add_option_function<std::string>(
               "--in", [out](const std::string& text) { out->from = timeOf(text); },
               "Use the recording from here on: seconds or h:mm:ss.ms")
            ->check(someTime()),
        app.add_option_function<std::string>(
               "--out", [out](const std::string& text) { out->to = timeOf(text); }, "Use it up to here")
            ->check(someEnd()),
        app.add_flag("--loudness", out->loudness, "Bring it to -16 LUFS; default: as loud as it is"),
        app.add_flag("--denoise", out->denoise, "Take steady noise out of it, for those who listen")};
    for (CLI::Option* option : options) {
        if (audio != nullptr)
            option->needs(audio);
    }
    return out;
}

Result<AudioBlock> readImported(const std::filesystem::path& file, const media::SoundImport& import, int sampleRate,
                                const CancelToken& cancel, const media::ImportProgress& progress)
{
    session::ImportShelf shelf;
    LQ_TRY(const session::ImportedSound sound, shelf.get(file, import, cancel, {}, progress));
    return media::readAudio(sound.file, sound.reading(sampleRate, 1), kLongestSeconds, cancel);
}

} // namespace loquor::cli
