// Voices that are loaded, the aligner, the phoneme helper they share, and the copies of recordings: what speech is made with.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/session/import_shelf.h"
#include "core/speech/align.h"
#include "core/speech/phoneme_client.h"
#include "core/speech/segment_cache.h"
#include "core/speech/voice.h"

namespace loquor::session {

// Keeps the voice used last, because loading takes about a second. Any thread; a caller waits while
// another loads. The voices it gives may be asked from several threads, which take turns.
class VoiceShelf
{
public:
    // What was said is kept in <cacheFolder>/speech; no folder: it is not kept.
    VoiceShelf(std::filesystem::path dataFolder, std::filesystem::path phonemeProgram, const std::filesystem::path& cacheFolder = {});

    std::vector<speech::VoiceDescription> list() const;
    Result<std::shared_ptr<speech::Voice>> get(const speech::VoiceDescription& description,
                                               const CancelToken& cancel);
    const std::shared_ptr<speech::PhonemeClient>& phonemes() const { return m_phonemes; }
    const std::shared_ptr<ImportShelf>& imports() const { return m_imports; }
    // Aligns a recording with its text; callers wait for each other.
    Result<speech::Alignment> align(const AudioBlock& audio, const std::string& text,
                                    const speech::AlignOptions& options, const CancelToken& cancel);
    // The same bit by bit.
    Result<std::unique_ptr<speech::AlignStream>> alignStream(const std::string& text, const speech::AlignOptions& options);
    Result<speech::AlignedStretch> alignNext(speech::AlignStream& stream, bool ended, const CancelToken& cancel);

private:
    const std::filesystem::path m_dataFolder;
    const std::shared_ptr<speech::PhonemeClient> m_phonemes;
    const std::shared_ptr<speech::SegmentCache> m_cache;
    const std::shared_ptr<ImportShelf> m_imports;
    std::mutex m_mutex; // guards m_voice; held while loading
    std::shared_ptr<speech::Voice> m_voice;
    std::mutex m_alignMutex; // guards m_aligner; held while it works
    speech::Aligner m_aligner;
};

} // namespace loquor::session
