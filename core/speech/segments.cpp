#include "core/speech/segments.h"

#include <algorithm>
#include <cmath>

namespace loquor::speech {

namespace {

// What a reader does for emphasis of strength 1: a little slower, higher and louder.
constexpr double kEmphasisRate = 0.86;
constexpr double kEmphasisPitch = 1.0;
constexpr double kEmphasisGainDb = 2.0;

bool replaces(const SpokenSpan& span)
{
    return span.kind == SpanKind::Alias || span.kind == SpanKind::Ipa;
}

// Places where another way of speaking, a replacement or a pause begins or ends.
std::vector<std::int32_t> bordersOf(const ScriptLine& line)
{
    std::vector<std::int32_t> borders{0, static_cast<std::int32_t>(line.text.size())};
    for (const SpokenSpan& span : line.spans) {
        borders.push_back(span.textBegin);
        borders.push_back(span.textEnd);
    }
    for (const ScriptTag& tag : line.tags) {
        if (tag.name != "pause")
            continue;
        borders.push_back(tag.textBegin);
        borders.push_back(tag.textEnd);
    }
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    return borders;
}

} // namespace

SpokenStyle styleAt(const ScriptLine& line, std::int32_t byte)
{
    SpokenStyle style;
    double emphasis = 0;
    for (const SpokenSpan& span : line.spans) {
        if (span.textBegin > byte)
            break;
        if (span.textEnd <= byte)
            continue;
        switch (span.kind) {
        case SpanKind::Rate: style.rate = span.value; break;
        case SpanKind::Pitch: style.pitch = span.value; break;
        case SpanKind::Volume: style.gainDb = span.value; break;
        case SpanKind::Emphasis: emphasis = span.value; break;
        case SpanKind::Alias:
        case SpanKind::Ipa:
        case SpanKind::None: break;
        }
    }
    style.rate *= std::pow(kEmphasisRate, emphasis);
    style.pitch += kEmphasisPitch * emphasis;
    style.gainDb += kEmphasisGainDb * emphasis;
    return style;
}

std::vector<SpokenSegment> spokenSegments(const ScriptLine& line)
{
    std::vector<SpokenSegment> out;
    const auto borders = bordersOf(line);
    double pause = 0;
    auto tag = line.tags.begin();
    auto replacement = std::find_if(line.spans.begin(), line.spans.end(), replaces);
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
        const std::int32_t begin = borders[i], end = borders[i + 1];
        while (tag != line.tags.end() && (tag->name != "pause" || tag->textEnd <= begin))
            ++tag;
        if (tag != line.tags.end() && tag->textBegin <= begin) {
            pause += tag->value;
            continue;
        }
        while (replacement != line.spans.end() && (!replaces(*replacement) || replacement->textEnd <= begin))
            ++replacement;
        SpokenSegment segment;
        segment.begin = begin;
        segment.end = end;
        segment.style = styleAt(line, begin);
        segment.text = line.spoken.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
        if (replacement != line.spans.end() && replacement->textBegin <= begin) {
            segment.isReplaced = true;
            (replacement->kind == SpanKind::Alias ? segment.text : segment.ipa) = replacement->text;
        }
        if (!segment.isReplaced && segment.text.find_first_not_of(' ') == std::string::npos)
            continue; // blanks where tags were
        segment.pauseBefore = pause;
        pause = 0;
        const bool joins = !out.empty() && !segment.isReplaced && !out.back().isReplaced && segment.pauseBefore == 0 &&
                           out.back().end == begin && out.back().style == segment.style;
        if (joins) {
            out.back().end = end;
            out.back().text += segment.text;
        } else {
            out.push_back(std::move(segment));
        }
    }
    if (pause > 0) {
        SpokenSegment rest;
        rest.begin = rest.end = borders.back();
        rest.pauseBefore = pause;
        out.push_back(std::move(rest));
    }
    return out;
}

std::vector<SpokenSegment> segmentsWithin(const std::vector<SpokenSegment>& segments, std::int32_t begin, std::int32_t end)
{
    std::vector<SpokenSegment> out;
    for (const SpokenSegment& whole : segments) {
        const std::int32_t from = std::max(begin, whole.begin), to = std::min(end, whole.end);
        if (from >= to)
            continue;
        SpokenSegment part = whole;
        part.begin = from - begin;
        part.end = to - begin;
        if (!whole.isReplaced)
            part.text = whole.text.substr(static_cast<std::size_t>(from - whole.begin), static_cast<std::size_t>(to - from));
        out.push_back(std::move(part));
    }
    return out;
}

} // namespace loquor::speech
