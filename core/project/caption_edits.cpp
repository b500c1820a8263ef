#include "core/project/caption_edits.h"

#include "core/project/line_edits.h"
#include "core/speech/written_captions.h"

namespace loquor::project {

bool captionsFit(const Line& line)
{
    return !line.captions || line.captions->words == speech::captionWordsText(line.text);
}

Result<Document> withCaptions(const Document& document, int number, const std::vector<std::string>& captions)
{
    LQ_TRY(const LinePlace place, findLine(document, number));
    Document out = document;
    Line& line = out.scenes[place.scene].lines[place.line];
    if (captions.empty()) {
        line.captions.reset();
        return out;
    }
    auto placed = speech::placedCaptions(captions, line.text);
    if (!placed)
        return fail(std::move(placed).error().addContext("writing captions for line " + std::to_string(number)));
    LineCaptions written;
    if (line.captions)
        written.preserved = line.captions->preserved;
    written.words = speech::captionWordsText(line.text);
    for (speech::WrittenCaption& caption : *placed)
        written.list.push_back({std::move(caption.text), caption.firstWord, {}});
    line.captions = std::move(written);
    return out;
}

} // namespace loquor::project
