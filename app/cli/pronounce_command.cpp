// pronounce, project pronounce: how words are said, in the user's dictionary and in that of a project.
#include <cstdio>

#include "app/cli/exit_codes.h"
#include "app/cli/project_commands.h"
#include "core/platform/paths.h"
#include "core/speech/pronunciations.h"

namespace loquor::cli {

namespace {

using speech::Pronunciation;
using speech::Pronunciations;

struct Options
{
    std::string file, words, language, alias, ipa;
    bool remove = false;
    ProjectOutput output;

    const CLI::Option* aliasOption = nullptr;
    const CLI::Option* ipaOption = nullptr;

    bool changes() const { return remove || aliasOption->count() > 0 || ipaOption->count() > 0; }
};

Json toJson(const Pronunciations& list)
{
    Json out = Json::array();
    for (const Pronunciation& p : list) {
        Json entry{{"words", p.words}, {"language", p.language}};
        if (!p.alias.empty())
            entry["as"] = p.alias;
        if (!p.ipa.empty())
            entry["ipa"] = p.ipa;
        out.push_back(std::move(entry));
    }
    return out;
}

std::string toText(const Pronunciation& p)
{
    const std::string how = p.ipa.empty() ? p.alias : "/" + p.ipa + "/";
    return p.words + (p.language.empty() ? "" : " (" + p.language + ")") + " is said " + how;
}

// The entries of the words that were named, or all.
Pronunciations chosen(const Pronunciations& list, const Options& options)
{
    if (options.words.empty())
        return list;
    Pronunciations out;
    for (const Pronunciation& p : list) {
        if (p.words == options.words)
            out.push_back(p);
    }
    return out;
}

Description describe(const Pronunciations& list, const Options& options)
{
    const Pronunciations shown = chosen(list, options);
    std::string text;
    for (const Pronunciation& p : shown)
        text += (text.empty() ? "" : "\n") + toText(p);
    if (options.remove)
        text = "Removed " + options.words;
    else if (shown.empty())
        text = options.words.empty() ? "The dictionary is empty." : "There is no entry for '" + options.words + "'.";
    return {Json{{"pronunciations", toJson(options.remove ? list : shown)}}, text};
}

// Changes the list as asked.
Result<void> change(Pronunciations& list, const Options& options)
{
    if (options.remove) {
        if (!speech::removePronunciation(list, options.words, options.language))
            return fail(ErrorCode::InvalidArgument,
                        "There is no entry for '" + options.words + "'" +
                            (options.language.empty() ? " for every language; name its language with --language if it has one."
                                                      : " in the language " + options.language + "."));
        return {};
    }
    LQ_TRY(Pronunciation entry, speech::makePronunciation(options.words, options.language, options.alias, options.ipa));
    return speech::setPronunciation(list, std::move(entry));
}

int ofUser(const Options& options)
{
    const auto file = speech::userPronunciationsFile(platform::configFolder());
    auto list = speech::readPronunciations(file);
    if (!list)
        return options.output.complain(list.error());
    if (options.changes()) {
        if (const auto done = change(*list, options); !done)
            return options.output.complain(done.error());
        if (const auto written = speech::writePronunciations(file, *list); !written)
            return options.output.complain(written.error());
    }
    const Description description = describe(*list, options);
    options.output.print(description.json, description.text);
    return kSuccess;
}

int ofProject(const Options& options)
{
    if (!options.changes()) {
        const auto loaded = project::loadProject(options.file);
        if (!loaded)
            return options.output.complain(loaded.error());
        const Description description = describe(loaded->document.pronunciations, options);
        options.output.print(description.json, description.text);
        return kSuccess;
    }
    return editProject(
        options.file, options.output,
        [&](const project::Document& document) -> Result<project::Document> {
            project::Document changed = document;
            LQ_CHECKED(change(changed.pronunciations, options));
            return changed;
        },
        [&](const project::Document& document) { return describe(document.pronunciations, options); });
}

void addOptions(CLI::App& app, const std::shared_ptr<Options>& options)
{
    auto* words = app.add_option("WORD", options->words, "A word or phrase (none: all entries are listed)");
    auto* alias = app.add_option("--as", options->alias, "A text that is said instead")->needs(words);
    auto* ipa = app.add_option("--ipa", options->ipa, "Its sounds in the phonetic alphabet (IPA)")->needs(words)->excludes(alias);
    options->aliasOption = alias;
    options->ipaOption = ipa;
    app.add_flag("--remove", options->remove, "Remove the entry")->needs(words)->excludes(alias)->excludes(ipa);
    app.add_option("--language", options->language, "Only in this language (en: all kinds of English)");
    app.add_flag("--json", options->output.json, "Print JSON");
}

} // namespace

void addPronounce(CommandLine line)
{
    auto options = std::make_shared<Options>();
    CLI::App* app = line.app.add_subcommand("pronounce", "How words are said: your dictionary, for all projects");
    addOptions(*app, options);
    app->callback([line, options] { line.action = [options] { return ofUser(*options); }; });
}

void addProjectPronounce(CommandLine group)
{
    auto options = std::make_shared<Options>();
    CLI::App* app = group.app.add_subcommand("pronounce", "How words are said: the dictionary of a project");
    app->add_option("FILE", options->file, "The project")->required();
    addOptions(*app, options);
    app->callback([group, options] { group.action = [options] { return ofProject(*options); }; });
}

} // namespace loquor::cli
