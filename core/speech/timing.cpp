#include "core/speech/timing.h"

#include <algorithm>

namespace loquor::speech {

const char* toString(TimingSource source)
{
    switch (source) {
    case TimingSource::None: return "none";
    case TimingSource::Synthesis: return "synthesis";
    case TimingSource::Events: return "events";
    case TimingSource::Alignment: return "alignment";
    case TimingSource::Audio: return "audio";
    }
    return "none";
}

void appendTiming(Timing& whole, const Timing& part, double startSeconds, std::int32_t textOffset)
{
    if (whole.source == TimingSource::None) {
        whole.language = part.language;
        whole.source = part.source;
    }
    if (startSeconds > whole.durationSeconds) {
        Phoneme silence;
        silence.start = whole.durationSeconds;
        silence.end = startSeconds;
        if (!whole.phonemes.empty() && whole.phonemes.back().symbol.empty())
            whole.phonemes.back().end = startSeconds;
        else
            whole.phonemes.push_back(silence);
    }
    for (Word word : part.words) {
        word.start += startSeconds;
        word.end += startSeconds;
        word.textBegin += textOffset;
        word.textEnd += textOffset;
        whole.words.push_back(std::move(word));
    }
    for (Phoneme phoneme : part.phonemes) {
        phoneme.start += startSeconds;
        phoneme.end += startSeconds;
        const bool joins = phoneme.symbol.empty() && !whole.phonemes.empty() &&
                           whole.phonemes.back().symbol.empty();
        if (joins)
            whole.phonemes.back().end = phoneme.end;
        else
            whole.phonemes.push_back(std::move(phoneme));
    }
    whole.durationSeconds = std::max(whole.durationSeconds, startSeconds + part.durationSeconds);
}

} // namespace loquor::speech
