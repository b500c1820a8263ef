#include "core/session/speech_check.h"

#include <algorithm>
#include <cmath>

#include "core/media/audio_reader.h"
#include "core/platform/paths.h"
#include "core/session/file_names.h"
#include "core/speech/script.h"
#include "core/speech/voice.h"

namespace loquor::session {

namespace {

constexpr float kSilencePeak = .002f; // -54 dB: nothing anybody said

} // namespace

Result<void> refuseSilence(const std::filesystem::path& recording, const media::SoundImport& import, const CancelToken& cancel)
{
    LQ_TRY(media::AudioReader reader, media::AudioReader::open(recording, import.reading(0, 1), cancel));
    bool isHeard = false;
    while (!isHeard || import.to.count() > 0) { // a part has to lie within the sound
        if (cancel.isCancelled())
            return cancelled();
        LQ_TRY(const AudioBlock block, reader.read(1 << 16));
        if (block.samples.empty())
            break;
        isHeard = isHeard || std::any_of(block.samples.begin(), block.samples.end(),
                                         [](float sample) { return std::abs(sample) > kSilencePeak; });
    }
    if (isHeard)
        return {};
    const bool isAll = import.stream == 0 && import.from.count() == 0 && import.to.count() == 0;
    return fail(ErrorCode::EmptyInput, (isAll ? "The recording " : "The chosen part of the recording ") +
                                           platform::quotedPath(recording) + " is silent: nobody can be heard in it.");
}

Result<void> checkSpeech(const SpeechInput& speech, const std::filesystem::path& dataFolder, const CancelToken& cancel)
{
    if (!speech.audioFile.empty()) {
        LQ_CHECKED(refuseText(speech.audioFile, "a recording"));
        return refuseSilence(speech.audioFile, speech.import, cancel);
    }
    LQ_TRY(const speech::Script script, speech::parseScript(speech.text, speech.language));
    LQ_CHECKED(speech::chooseVoice(speech::listVoices(dataFolder), speech.voice, speech.language, script.source));
    return {};
}

} // namespace loquor::session
