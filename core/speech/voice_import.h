// Piper voices of the user's own: taken in so that they are used like the one that set-up brings, or taken away.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/speech/voice.h"

namespace loquor::speech {

struct VoiceImport
{
    std::filesystem::path model;  // NAME.onnx
    std::filesystem::path config; // empty: NAME.onnx.json or NAME.json beside the model
    std::string name;             // for people; empty: as the configuration calls it
    std::string id;               // empty: the model's file name
    bool replace = false;         // the voice that has this id now
};

struct ImportedVoice
{
    VoiceDescription voice;
    std::vector<std::string> warnings; // sentences for the user: licence unknown, times not exact
};

// Copies a voice into <dataFolder>/voices, changed so that it tells its times, tries it and sets its loudness.
// The voice is there whole or not at all. Blocks: some seconds of work, 150 MB. The files stay as they are.
// Errors name the file: NotFound, Corrupt (no model, cut off, JSON of something else), Unsupported (not a Piper
// voice, phonemes of another kind, a language espeak-ng does not know), AlreadyExists (by id),
// InvalidArgument (the same voice is there under another id), DiskFull, PermissionDenied, Cancelled.
Result<ImportedVoice> importVoice(const VoiceImport& request, const std::filesystem::path& dataFolder,
                                  const std::shared_ptr<PhonemeClient>& phonemes, const CancelToken& cancel = {});

// Deletes an installed voice. Errors: InvalidArgument (no such voice, or one of espeak-ng's), PermissionDenied.
Result<void> removeVoice(std::string_view id, const std::filesystem::path& dataFolder);

} // namespace loquor::speech
