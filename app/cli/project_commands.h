// `loquor-cli project ...`: each function adds its commands to the group, whose App is in `group.app`.
#pragma once

#include "app/cli/commands.h"
#include "app/cli/project_access.h"
#include "core/session/session.h"

namespace loquor::cli {

void addProjectNew(CommandLine group);
void addProjectLines(CommandLine group); // add-line, set-line, remove-line, move-line
void addProjectRecordings(CommandLine group); // add-recording, relink
void addProjectPunch(CommandLine group); // punch
void addProjectPronounce(CommandLine group);
void addProjectCaption(CommandLine group);
void addProjectStatus(CommandLine group);
void addProjectFromVideo(CommandLine group);
void addProjectRender(CommandLine group);
void addProjectExport(CommandLine group);
void addProjectTakes(CommandLine group); // takes, choose-take, pin-take, unpin-take, remove-take

// The document part of `project status`: file, id, settings, lines with number, id, text, prompt, voice,
// pause and estimated seconds, missing files. For people: what statusText makes of it.
// What is known about rendering is added between the two, to the object or to its "lines".
Json documentStatus(const std::filesystem::path& file, const project::LoadedProject& loaded);
std::string statusText(const Json& status);

// What of a project is rendered: reads files and store, makes nothing.
// `captionsOf`: number of the line whose captions are wanted; 0: of none.
Result<session::ProjectState> projectState(const project::Document& document, Interrupts& interrupts, int captionsOf = 0);

} // namespace loquor::cli
