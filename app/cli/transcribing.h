// Recordings without text to the lines of a script, for all commands that need them.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"
#include "core/media/sound_import.h"
#include "core/speech/transcribe.h"

namespace loquor::cli {

struct TranscribeRequest
{
    std::filesystem::path audio;
    std::string language, pack; // empty: heard, the one that suits
    bool quiet = false;         // no progress
    media::SoundImport import{};
};

struct HeardRecording
{
    AudioBlock sound; // mono, 16 kHz
    speech::Transcript transcript;
};

// Reads (at most two hours) and transcribes; warnings and progress go to stderr.
Result<HeardRecording> transcribeFile(const TranscribeRequest& request, const CancelToken& cancel);

} // namespace loquor::cli
