// project from-video: a project out of what an exported video carries.
#include "app/cli/exit_codes.h"
#include "app/cli/file_reports.h"
#include "app/cli/outputs.h"
#include "app/cli/project_commands.h"
#include "core/media/probe.h"
#include "core/platform/hash.h"
#include "core/platform/paths.h"
#include "core/project/exported_settings.h"
#include "core/project/line_edits.h"

namespace loquor::cli {

namespace fs = std::filesystem;

namespace {

struct VideoOptions
{
    std::string video, file, reference;
    bool overwrite = false;
    ProjectOutput output;
};

Result<std::string> settingsIn(const fs::path& video)
{
    LQ_CHECKED(platform::openForReading(video)); // missing, a folder, no permission: in plain words
    auto facts = media::probeMedia(video, media::ProbeDepth::Headers);
    if (!facts)
        return fail(std::move(facts).error().addContext("looking for the project in " + platform::quotedPath(video)));
    const auto tag = facts->tags.find(project::kSettingsTag);
    if (tag == facts->tags.end())
        return fail(ErrorCode::Unsupported,
                    platform::quotedPath(video) +
                        " carries no project: it was not exported from a Loquor project, or another program has rewritten it.");
    return tag->second;
}

// The file the video was made of: beside the project or beside the video, with the same content when
// its hash is known.
std::optional<fs::path> findSource(const project::SourceFile& source, const fs::path& video)
{
    std::error_code ec;
    for (const fs::path& candidate : {source.file, fs::absolute(video, ec).parent_path() / source.file.filename()}) {
        if (!fs::is_regular_file(candidate, ec))
            continue;
        if (source.sha256.empty() || platform::sha256File(candidate).value_or("") == source.sha256)
            return candidate;
    }
    return std::nullopt;
}

struct Rebuilt
{
    project::ImportedSettings settings;
    std::vector<std::string> warnings;
};

Result<void> useReference(const VideoOptions& options, Rebuilt& rebuilt, Interrupts& interrupts)
{
    const int face = rebuilt.settings.document.scenes.front().reference.faceIndex;
    LQ_TRY(rebuilt.warnings, checkPerson(options.reference, face, interrupts));
    std::error_code ec;
    for (project::Scene& scene : rebuilt.settings.document.scenes) {
        const fs::path old = scene.reference.file;
        scene.reference.file = fs::absolute(options.reference, ec).lexically_normal();
        for (const project::SourceFile& source : rebuilt.settings.sources) {
            if (source.file != old || source.sha256.empty())
                continue;
            LQ_TRY(const std::string hash, platform::sha256File(options.reference));
            if (hash != source.sha256)
                rebuilt.warnings.push_back(platform::quotedPath(options.reference) +
                                           " is not the picture the video was made of; the new video will differ.");
        }
    }
    return {};
}

Result<Rebuilt> rebuild(const VideoOptions& options, Interrupts& interrupts)
{
    LQ_TRY(const std::string settings, settingsIn(options.video));
    std::error_code ec;
    const fs::path folder = fs::absolute(options.file, ec).lexically_normal().parent_path();
    Rebuilt out;
    LQ_TRY(out.settings, project::projectFromSettings(settings, folder));
    project::Document& document = out.settings.document;
    project::copyIdentity(document, project::randomIds());
    project::giveIds(document, project::randomIds());
    if (!options.reference.empty())
        LQ_CHECKED(useReference(options, out, interrupts));
    for (const project::SourceFile& source : out.settings.sources) {
        if (const auto found = findSource(source, options.video)) {
            project::replaceFile(document, source.file, *found);
            continue;
        }
        const auto isSpokenBy = [&](const project::Line& line) {
            return line.recording && line.recording->file == source.file;
        };
        bool isUsed = false, isRecording = false;
        for (const project::Scene& scene : document.scenes) {
            isRecording = isRecording || std::any_of(scene.lines.begin(), scene.lines.end(), isSpokenBy);
            isUsed = isUsed || isRecording || scene.reference.file == source.file ||
                     scene.speech.audioFile == source.file || scene.background == source.file.string();
        }
        const char* remedy = isRecording                 ? " or tell the project where it is: project relink."
                             : options.reference.empty() ? " or name the picture with --reference."
                                                         : ".";
        if (isUsed)
            out.warnings.push_back("The video was made of " + platform::quotedPath(source.file.filename()) +
                                   ", which is not here. Put it at " + platform::quotedPath(source.file) + remedy);
    }
    return out;
}

int fromVideo(const VideoOptions& options, Interrupts& interrupts)
{
    const auto writable = checkOutputs({{OutputKind::Project, options.file, ifExists(options.overwrite)}},
                                       {options.video, options.reference});
    if (!writable)
        return options.output.complain(writable.error());
    const auto rebuilt = rebuild(options, interrupts);
    if (!rebuilt)
        return options.output.complain(rebuilt.error());
    options.output.warn(rebuilt->warnings);
    const project::ExportFacts& facts = rebuilt->settings.facts;
    Json more = {{"made_by", facts.product}, {"pack_label", facts.packLabel}, {"weights", Json(facts.weights)}, {"warnings", rebuilt->warnings}};
    return writeNewProject(
        rebuilt->settings.document, options.file, options.output,
        [&] {
            return "Made " + platform::quotedPath(options.file) + " with " +
                   std::to_string(project::lineCount(rebuilt->settings.document)) + " lines, made by " + facts.product +
                   (facts.packLabel.empty() ? "." : ", engine " + facts.packLabel + ".");
        },
        more);
}

} // namespace

void addProjectFromVideo(CommandLine group)
{
    auto options = std::make_shared<VideoOptions>();
    CLI::App* app = group.app.add_subcommand("from-video", "Make a project out of an exported video");
    app->add_option("MP4", options->video, "The video")->required();
    app->add_option("-o,--output", options->file, "The project to make (.loquor)")->required();
    app->add_option("-r,--reference", options->reference, "The picture it was made of, when it is somewhere else now");
    app->add_flag("--overwrite", options->overwrite, "Replace the project if it exists");
    app->add_flag("--json", options->output.json, "Machine-readable");
    app->callback([group, options] { group.action = [group, options] { return fromVideo(*options, group.interrupts); }; });
}

} // namespace loquor::cli
