// What the window needs from outside. Everything here outlives it.
#pragma once

#include <QString>

#include "core/audio/audio_backend.h"
#include "core/session/session.h"

namespace loquor::ui {

struct StudioContext
{
    session::Session& session;
    audio::AudioBackend& sound;   // the machine's devices
    audio::AudioBackend& silence; // takes over when there is no output
    QString dataFolder;   // rescue files and takes of unnamed projects; "" = XDG data folder
    QString configFolder; // the user's dictionary; "" = XDG settings folder

    QString dataFolderOrDefault() const;
    QString configFolderOrDefault() const;
};

} // namespace loquor::ui
