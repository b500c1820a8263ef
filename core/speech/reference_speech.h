// espeak-ng's reading of a script, line by line: what recordings are compared with. Internal to this folder.
#pragma once

#include <memory>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/speech/phoneme_client.h"
#include "core/speech/script.h"
#include "core/speech/voice.h"

namespace loquor::speech {

class ReferenceSpeech
{
public:
    // The script must outlive it.
    ReferenceSpeech(const Script& script, std::shared_ptr<PhonemeClient> client) : m_script(script), m_client(std::move(client)) {}
    // Puts the next line with words behind `all`, spans in the script's source. False: there is none.
    Result<bool> addLine(SpokenSound& all, const CancelToken& cancel);

private:
    const Script& m_script;
    const std::shared_ptr<PhonemeClient> m_client;
    std::unique_ptr<Voice> m_voice;
    std::size_t m_line = 0;
};

} // namespace loquor::speech
