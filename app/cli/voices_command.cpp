// voices: which there are; import and remove.
#include <cstdio>

#include "app/cli/commands.h"
#include "app/cli/exit_codes.h"
#include "core/base/json.h"
#include "core/platform/paths.h"
#include "core/speech/voice.h"
#include "core/speech/voice_import.h"

using nlohmann::ordered_json;

namespace loquor::cli {

namespace {

ordered_json toJson(const speech::VoiceDescription& voice)
{
    const speech::VoiceSupport& can = voice.supports;
    ordered_json j{{"id", voice.id},
                   {"name", voice.name},
                   {"language", voice.language},
                   {"licence", voice.licence},
                   {"model_card", voice.modelCard.string()},
                   {"note", voice.note},
                   {"sample_rate", voice.sampleRate},
                   {"exact_timing", can.exactTiming},
                   {"speed", {can.slowest, can.fastest}},
                   {"pitch", can.pitch},
                   {"ipa", can.sounds},
                   {"emphasis", true},
                   {"single_words", can.singleWords}};
    if (!voice.speakers.empty())
        j["speakers"] = voice.speakers;
    return j;
}

int printVoices(bool json)
{
    const auto voices = speech::listVoices(platform::dataFolder());
    if (json) {
        ordered_json list = ordered_json::array();
        for (const speech::VoiceDescription& voice : voices)
            list.push_back(toJson(voice));
        std::printf("%s\n", list.dump(2).c_str());
        return kSuccess;
    }
    for (const speech::VoiceDescription& voice : voices) {
        std::printf("%-22s %-8s %s\n", voice.id.c_str(), voice.language.c_str(), voice.name.c_str());
        if (voice.engine == speech::VoiceEngine::Piper)
            std::printf("  licence: %s%s\n", voice.licence.c_str(),
                        voice.modelCard.empty() ? "" : (" (" + voice.modelCard.string() + ')').c_str());
        if (!voice.speakers.empty())
            std::printf("  %zu speakers: %s:%s and so on\n", voice.speakers.size(), voice.id.c_str(), voice.speakers[0].c_str());
        if (!voice.note.empty())
            std::printf("  %s\n", voice.note.c_str());
    }
    return kSuccess;
}

Result<void> importVoice(const speech::VoiceImport& request, bool json, const CancelToken& cancel)
{
    LQ_TRY(const speech::ImportedVoice done,
           speech::importVoice(request, platform::dataFolder(), std::make_shared<speech::PhonemeClient>(), cancel));
    for (const std::string& warning : done.warnings)
        std::fprintf(stderr, "warning: %s\n", warning.c_str());
    if (json)
        std::printf("%s\n", toJson(done.voice).dump(2).c_str());
    else
        std::printf("Imported '%s' (%s, %d Hz). Say something with it: loquor-cli say --voice %s -t \"...\" -o hello.wav\n",
                    done.voice.id.c_str(), done.voice.language.c_str(), done.voice.sampleRate, done.voice.id.c_str());
    return {};
}

} // namespace

void addVoices(CommandLine line)
{
    CLI::App* app = line.app.add_subcommand("voices", "List the voices; import and remove them");
    auto json = std::make_shared<bool>(false);
    app->add_flag("--json", *json, "Machine-readable");
    app->require_subcommand(0, 1);

    auto request = std::make_shared<speech::VoiceImport>();
    CLI::App* import = app->add_subcommand("import", "Take in a Piper voice: NAME.onnx and its NAME.onnx.json");
    import->add_option("MODEL", request->model, "The model (.onnx)")->required();
    import->add_option("CONFIG", request->config, "Its configuration; default: MODEL.json beside it");
    import->add_option("--name", request->name, "What the voice is called in lists");
    import->add_option("--id", request->id, "What it is called in commands and projects; default: the model's file name");
    import->add_flag("--overwrite", request->replace, "Replace the voice that has this id");
    import->add_flag("--json", *json, "Machine-readable");
    runCancellable(*import, line, [] {}, [request, json](const CancelToken& cancel) { return importVoice(*request, *json, cancel); });

    auto id = std::make_shared<std::string>();
    CLI::App* remove = app->add_subcommand("remove", "Delete an imported voice");
    remove->add_option("ID", *id, "The voice")->required();
    runCancellable(*remove, line, [] {}, [id](const CancelToken&) -> Result<void> {
        LQ_CHECKED(speech::removeVoice(*id, platform::dataFolder()));
        std::printf("Removed '%s'.\n", id->c_str());
        return {}; });

    app->callback([line, app, json] {
        if (app->get_subcommands().empty())
            line.action = [json] { return printVoices(*json); };
    });
}

} // namespace loquor::cli
