#include "core/session/voice_shelf.h"

namespace loquor::session {

VoiceShelf::VoiceShelf(std::filesystem::path dataFolder, std::filesystem::path phonemeProgram)
    : m_dataFolder(std::move(dataFolder)),
      m_phonemes(std::make_shared<speech::PhonemeClient>(
          phonemeProgram.empty() ? speech::PhonemeClientOptions{}
                                 : speech::PhonemeClientOptions{std::move(phonemeProgram)})),
      m_aligner(m_dataFolder / "deps" / "pocketsphinx" / "model", m_phonemes)
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
    m_voice = std::move(voice);
    return m_voice;
}

Result<speech::Alignment> VoiceShelf::align(const AudioBlock& audio, const std::string& text,
                                            const std::string& language, const CancelToken& cancel)
{
    speech::AlignOptions options;
    options.language = language;
    std::lock_guard lock(m_alignMutex);
    return m_aligner.align(audio, text, options, cancel);
}

Result<std::unique_ptr<speech::AlignStream>> VoiceShelf::alignStream(const std::string& text,
                                                                     const std::string& language)
{
    std::lock_guard lock(m_alignMutex);
    return m_aligner.stream(text, language);
}

Result<speech::AlignedStretch> VoiceShelf::alignNext(speech::AlignStream& stream, bool ended,
                                                     const CancelToken& cancel)
{
    std::lock_guard lock(m_alignMutex);
    return stream.next(ended, cancel);
}

} // namespace loquor::session
