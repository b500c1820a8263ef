#include "core/session/voice_shelf.h"

namespace loquor::session {

VoiceShelf::VoiceShelf(std::filesystem::path dataFolder, std::filesystem::path phonemeProgram)
    : m_dataFolder(std::move(dataFolder)),
      m_phonemes(std::make_shared<speech::PhonemeClient>(
          speech::PhonemeClientOptions{.program = std::move(phonemeProgram)}))
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

} // namespace loquor::session
