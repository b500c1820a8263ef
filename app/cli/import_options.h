// How a recording is taken in, as options of the commands that read one.
#pragma once

#include <memory>

#include <CLI/CLI.hpp>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"
#include "core/media/sound_import.h"

namespace loquor::cli {

// --stream, --in, --out, --loudness, --denoise; what they say is in the result once parsed. `audio`: the option they need;
// null: none.
std::shared_ptr<media::SoundImport> addImportOptions(CLI::App& app, CLI::Option* audio = nullptr);

// "--in", "--out" and "--stream" of a command that changes an import.
CLI::Validator someTime();
CLI::Validator someEnd(); // not 0, where sounds begin
// What a text that passed is; "" = 0.
std::chrono::microseconds timeOf(const std::string& text);

// Mono, as an import gives it; at most two hours. `progress`: of a processed copy that is made for it.
Result<AudioBlock> readImported(const std::filesystem::path& file, const media::SoundImport& import, int sampleRate,
                                const CancelToken& cancel, const media::ImportProgress& progress = {});

} // namespace loquor::cli
