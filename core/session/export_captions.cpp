#include "core/session/export_captions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/platform/atomic_file.h"

namespace loquor::session {

namespace {

void shift(speech::CaptionCue& cue, double seconds)
{
    cue.start += seconds;
    cue.end += seconds;
    for (speech::CaptionWord& word : cue.words) {
        word.start += seconds;
        word.end += seconds;
    }
}

} // namespace

std::vector<speech::CaptionCue> captionsOf(const std::vector<SaidText>& texts, const media::CaptionRoom* room)
{
    std::vector<speech::CaptionCue> out;
    for (const SaidText& said : texts) {
        speech::CaptionRules rules = speech::captionRules(said.timing.language);
        if (room != nullptr) {
            rules.columns = std::min(rules.columns, room->columns);
            rules.lines = room->lines;
        }
        std::vector<speech::CaptionCue> cues =
            said.written.empty() ? speech::makeCaptions(said.timing, said.text, said.length, rules)
                                 : speech::writtenCaptions(said.timing, said.text, said.written, said.length, rules);
        for (speech::CaptionCue& cue : cues) {
            if (room != nullptr)
                speech::breakWideLines(cue, rules, said.timing.language);
            shift(cue, said.start);
        }
        std::move(cues.begin(), cues.end(), std::back_inserter(out));
    }
    return out;
}

std::vector<media::BurntCaption> burntCaptions(std::vector<speech::CaptionCue> cues)
{
    std::vector<media::BurntCaption> out;
    for (speech::CaptionCue& cue : cues) {
        media::BurntCaption burnt{cue.start, cue.end, std::move(cue.text), {}};
        for (const speech::CaptionWord& word : cue.words)
            burnt.words.push_back({word.begin, word.stop, word.start, word.end});
        out.push_back(std::move(burnt));
    }
    return out;
}

Result<void> writeCaptionFile(const std::filesystem::path& file, Captions captions, const std::vector<speech::CaptionCue>& cues)
{
    const auto words = captions == Captions::VttWords ? speech::VttWords::Timed : speech::VttWords::None;
    return platform::writeFile(file, captions == Captions::Srt ? speech::toSrt(cues) : speech::toVtt(cues, words));
}

} // namespace loquor::session
