#include "core/session/voice_shelf.h"

#include "core/speech/denoise.h"

namespace loquor::session {

namespace {

// A voice that is asked from several threads: one clause after the other.
class SharedVoice : public speech::Voice
{
public:
    explicit SharedVoice(std::unique_ptr<speech::Voice> voice) : m_voice(std::move(voice)) {}
    const speech::VoiceDescription& description() const override { return m_voice->description(); }
    Result<speech::SpokenSound> synthesize(const speech::Utterance& utterance, const speech::SpeechOptions& options,
                                           const CancelToken& cancel) override
    {
        std::lock_guard lock(m_mutex);
        return m_voice->synthesize(utterance, options, cancel);
    }

private:
    std::mutex m_mutex; // held while the voice works
    const std::unique_ptr<speech::Voice> m_voice;
};

} // namespace

VoiceShelf::VoiceShelf(std::filesystem::path dataFolder, std::filesystem::path phonemeProgram,
                       const std::filesystem::path& cacheFolder)
    : m_dataFolder(std::move(dataFolder)),
      m_phonemes(std::make_shared<speech::PhonemeClient>(
          phonemeProgram.empty() ? speech::PhonemeClientOptions{}
                                 : speech::PhonemeClientOptions{std::move(phonemeProgram)})),
      m_cache(cacheFolder.empty() ? nullptr : std::make_shared<speech::SegmentCache>(cacheFolder / "speech")),
      m_imports(std::make_shared<ImportShelf>(cacheFolder)),
      m_aligner(m_dataFolder / "deps" / "pocketsphinx" / "model", m_phonemes, speech::denoiserModelFile(m_dataFolder))
{
}

std::vector<speech::VoiceDescription> VoiceShelf::list() const
{
    return speech::listVoices(m_dataFolder);
}

Result<std::shared_ptr<speech::Voice>> VoiceShelf::get(const speech::VoiceDescription& description,
                                                       const CancelToken& cancel)
{
    std::lock_guard lock(m_mutex);
    if (m_voice && m_voice->description().id == description.id)
        return m_voice;
    m_voice.reset(); // one at a time: a voice takes 200 MB
    LQ_TRY(std::unique_ptr<speech::Voice> voice, speech::openVoice(description, m_phonemes, cancel));
    LQ_TRY(std::string version, m_phonemes->engineVersion(cancel));
    m_voice = std::make_shared<SharedVoice>(speech::withCache(std::move(voice), m_cache, std::move(version)));
    return m_voice;
}

Result<speech::Alignment> VoiceShelf::align(const AudioBlock& audio, const std::string& text,
                                            const speech::AlignOptions& options, const CancelToken& cancel)
{
    std::lock_guard lock(m_alignMutex);
    return m_aligner.align(audio, text, options, cancel);
}

Result<std::unique_ptr<speech::AlignStream>> VoiceShelf::alignStream(const std::string& text,
                                                                     const speech::AlignOptions& options)
{
    std::lock_guard lock(m_alignMutex);
    return m_aligner.stream(text, options);
}

Result<speech::AlignedStretch> VoiceShelf::alignNext(speech::AlignStream& stream, bool ended,
                                                     const CancelToken& cancel)
{
    std::lock_guard lock(m_alignMutex);
    return stream.next(ended, cancel);
}

} // namespace loquor::session
