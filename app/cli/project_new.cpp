// project new, and the group of the project commands.
#include "app/cli/file_reports.h"
#include "app/cli/line_warnings.h"
#include "app/cli/option_values.h"
#include "app/cli/outputs.h"
#include "app/cli/picture_options.h"
#include "app/cli/project_commands.h"
#include "core/packs/manifest.h"
#include "core/packs/pack_finder.h"
#include "core/platform/paths.h"
#include "core/speech/language.h"

namespace loquor::cli {

namespace fs = std::filesystem;

namespace {

struct NewOptions
{
    std::string file, reference, size, fps = "25", aspect, background, framing = "fill", voice, language, seed, prompt,
                                       pack = "portrait";
    int face = 0;
    bool overwrite = false;
    ProjectOutput output;
};

Result<void> checkOutput(const project::Output& output)
{
    LQ_TRY(const packs::PackManifest pack,
           packs::findPack(output.pack, packs::packFolders(platform::dataFolder())));
    LQ_CHECKED(packs::checkForProjects(pack));
    pipeline::RenderSettings settings;
    settings.width = output.width;
    settings.height = output.height;
    settings.fps = output.fps;
    return packs::checkSettings(pack, settings);
}

Result<project::Document> documentFrom(const NewOptions& options, Interrupts& interrupts)
{
    std::error_code ec;
    project::Document document = project::newDocument(project::randomIds());
    project::Output& output = document.output;
    LQ_TRY(const PictureSize size, chosenSize(options.size, options.aspect));
    output.width = size.width;
    output.height = size.height;
    LQ_TRY(output.fps, chosenRate(options.fps));
    output.framing = options.framing == "fit" ? project::Framing::Fit : project::Framing::Fill;
    if (!options.seed.empty()) {
        LQ_TRY(output.seed, chosenSeed(options.seed));
    }
    output.pack = options.pack.find('/') == std::string::npos
                      ? options.pack
                      : fs::absolute(options.pack, ec).lexically_normal().string();
    LQ_CHECKED(checkOutput(output));

    project::Scene& scene = document.scenes.front();
    LQ_TRY(scene.background, chosenBackground(options.background));
    LQ_CHECKED(checkVoice(options.voice));
    LQ_CHECKED(checkLanguage(options.language));
    LQ_TRY(std::vector<std::string> warnings, checkPerson(options.reference, options.face, interrupts));
    for (std::string& warning : promptWarnings(options.prompt))
        warnings.push_back(std::move(warning));
    options.output.warn(warnings);
    scene.reference.file = fs::absolute(options.reference, ec).lexically_normal();
    scene.reference.faceIndex = options.face;
    scene.prompt = options.prompt;
    scene.speech.voice = options.voice;
    scene.speech.language = speech::normalizedLanguage(options.language);
    return document;
}

Result<project::Document> create(const NewOptions& options, Interrupts& interrupts)
{
    const bool isPicture = !options.background.empty() && options.background[0] != '#';
    LQ_CHECKED(checkOutputs({{OutputKind::Project, options.file, ifExists(options.overwrite)}},
                            {options.reference, isPicture ? options.background : ""}));
    return documentFrom(options, interrupts);
}

int makeNew(const NewOptions& options, Interrupts& interrupts)
{
    const auto document = create(options, interrupts);
    if (!document)
        return options.output.complain(document.error());
    return writeNewProject(*document, options.file, options.output,
                           [&] { return "Made " + platform::quotedPath(options.file) + "."; });
}

} // namespace

void addProjectNew(CommandLine group)
{
    auto options = std::make_shared<NewOptions>();
    CLI::App* app = group.app.add_subcommand("new", "Make a project");
    app->add_option("FILE", options->file, "The project to make (.loquor)")->required();
    app->add_option("-r,--reference", options->reference, "Photo or clip of the person")->required();
    app->add_option("--size", options->size, "Size of the video, WxH (1280x720)");
    app->add_option("--aspect", options->aspect, "Shape of the video: 16:9, 9:16, 1:1 or 4:5");
    app->add_option("--fps", options->fps, "Frames per second")->capture_default_str();
    app->add_option("--background", options->background, "#rrggbb or a picture file instead of the photo's own");
    app->add_option("--framing", options->framing, "fill: cut the photo to the shape; fit: show all of it")
        ->check(oneOf({"fill", "fit"}))
        ->capture_default_str();
    app->add_option("--face", options->face, "Which face, when the photo shows several (1 = biggest)")
        ->check(numberOf("a face", 0));
    app->add_option("--voice", options->voice, "Voice id (see: loquor-cli voices)");
    app->add_option("--language", options->language, "Language of the text (en-us, es, vi, zh ...)");
    app->add_option("--prompt", options->prompt, "How the person moves: \"calm, smiling\"");
    app->add_option("--seed", options->seed, "Whole number; the same seed gives the same video");
    app->add_option("--pack", options->pack, "Engine pack: id or folder")->capture_default_str();
    app->add_flag("--overwrite", options->overwrite, "Replace the project if it exists");
    app->add_flag("--json", options->output.json, "Machine-readable");
    app->callback([group, options] { group.action = [group, options] { return makeNew(*options, group.interrupts); }; });
}

void addProject(CommandLine line)
{
    CLI::App* app = line.app.add_subcommand("project", "Make, edit and look at projects");
    app->require_subcommand(1);
    const CommandLine group{*app, line.interrupts, line.action};
    addProjectNew(group);
    addProjectLines(group);
    addProjectPronounce(group);
    addProjectRecordings(group);
    addProjectPunch(group);
    addProjectCaption(group);
    addProjectStatus(group);
    addProjectRender(group);
    addProjectExport(group);
    addProjectTakes(group);
    addProjectFromVideo(group);
}

} // namespace loquor::cli
