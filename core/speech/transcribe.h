// From a recording without text to the lines of a script: with a pack that recognizes speech, their words; without, where
// the lines are.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/media/audio_block.h"

namespace loquor::speech {

// Something that recognizes speech and is installed on request (loquor-cli packs).
struct SpeechPack
{
    std::string_view name;
    std::string_view purpose; // for people
    std::string_view licence;
    bool english = false; // English alone
    double downloadMb = 0;
    double diskMb = 0;
};
std::span<const SpeechPack> speechPacks();
const SpeechPack* speechPack(std::string_view name);
bool isInstalled(const SpeechPack& pack, const std::filesystem::path& dataFolder);
// The installed pack for a language (empty: unknown); nothing when there is none. For English the English one goes first.
const SpeechPack* packFor(std::string_view language, const std::filesystem::path& dataFolder);
// The script that installs packs: beside the programs as they are installed (<prefix>/share/loquor/setup), else in the source
// tree that `programs` was built in. NotFound says where it was looked for.
Result<std::filesystem::path> packInstaller(const std::filesystem::path& programs);
// Deletes it; with the last one also the program that all share. Errors: InvalidArgument (not installed), PermissionDenied.
Result<void> removePack(const SpeechPack& pack, const std::filesystem::path& dataFolder);

struct TranscriptLine
{
    double start = 0; // seconds
    double end = 0;
    std::string text; // empty without a pack
};

struct Transcript
{
    std::string language; // normalized; empty when it was neither given nor heard
    std::string pack;     // what recognized it; empty: lines without words
    std::vector<TranscriptLine> lines;
    std::vector<std::string> warnings;
    // The lines as a script, one a line.
    std::string text() const;
};

struct TranscribeOptions
{
    std::string language; // empty: heard, where the pack can
    std::string pack;     // empty: the installed one that suits the language
    int threads = 2;
    std::function<void(double)> progress; // 0..1; on the calling thread
};

// Mono, 16 kHz, any length: the sound is worked on in pieces of at most half a minute, cut at pauses. Blocks, up to about
// the sound's own length; sees a cancel between pieces and kills the helper. Errors: EmptyInput (nobody speaks), NotFound
// (a pack that was asked for by name is not installed), InvalidArgument, ConnectionLost (the helper crashed), Cancelled.
Result<Transcript> transcribe(const AudioBlock& audio, const TranscribeOptions& options, const std::filesystem::path& dataFolder,
                              const CancelToken& cancel = {});

} // namespace loquor::speech
