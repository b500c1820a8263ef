#include "core/project/script_text.h"

#include <algorithm>
#include <unordered_set>

#include "core/project/line_match.h"
#include "core/speech/language.h"
#include "core/speech/script.h"
#include "core/speech/utf8.h"

namespace loquor::project {

namespace {

constexpr std::string_view kBlank = " \n\r\t";

// Where a line lies in the script as one text.
struct Span
{
    std::size_t begin = 0, textEnd = 0;
};

std::vector<Span> spansOf(const Scene& scene)
{
    std::vector<Span> spans;
    spans.reserve(scene.lines.size());
    std::size_t at = scene.leadIn.size();
    for (const Line& line : scene.lines) {
        spans.push_back({at, at + line.text.size()});
        at += line.text.size() + line.after.size();
    }
    return spans;
}

// What an edit changed: the same bytes before `prefix`, and the last `suffix` ones.
struct Edit
{
    std::size_t prefix = 0, suffix = 0;
};

bool isInsideCharacter(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

Edit compare(std::string_view before, std::string_view after)
{
    Edit edit;
    const std::size_t shorter = std::min(before.size(), after.size());
    edit.prefix = static_cast<std::size_t>(
        std::mismatch(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(shorter),
                      after.begin())
            .first -
        before.begin());
    while (edit.prefix > 0 && edit.prefix < after.size() && isInsideCharacter(after[edit.prefix]))
        --edit.prefix;
    const auto room = static_cast<std::ptrdiff_t>(shorter - edit.prefix);
    edit.suffix = static_cast<std::size_t>(
        std::mismatch(before.rbegin(), before.rbegin() + room, after.rbegin()).first -
        before.rbegin());
    while (edit.suffix > 0 && isInsideCharacter(after[after.size() - edit.suffix]))
        --edit.suffix;
    return edit;
}

// The lines [first, last) that an edit may have changed, joined or split: between the nearest borders
// whose two sides it left alone.
struct Region
{
    std::size_t first = 0, last = 0; // lines
    std::size_t begin = 0, end = 0;  // bytes of the old text
};

Region touchedRegion(const std::vector<Span>& spans, const Edit& edit, std::size_t oldBytes)
{
    Region region{0, spans.size(), 0, oldBytes};
    for (std::size_t i = 1; i < spans.size() && spans[i].begin < edit.prefix; ++i) {
        region.first = i;
        region.begin = spans[i].begin;
    }
    const std::size_t suffixBegin = oldBytes - edit.suffix;
    for (std::size_t i = spans.size(); i-- > region.first + 1;) {
        if (spans[i - 1].textEnd <= suffixBegin)
            break;
        region.last = i;
        region.end = spans[i].begin;
    }
    return region;
}

struct Pieces
{
    std::size_t leadIn = 0; // bytes before the first
    std::vector<Span> spans;
};

std::size_t textEndOf(std::string_view text, std::size_t begin, std::size_t end)
{
    const std::size_t last = text.substr(begin, end - begin).find_last_not_of(kBlank);
    return last == std::string_view::npos ? begin : begin + last + 1;
}

// Sentences of a text. What parseScript leaves out (emoji between sentences) goes with the line before.
Result<Pieces> split(std::string_view text, std::string_view language)
{
    Pieces pieces;
    pieces.leadIn = std::min(text.find_first_not_of(kBlank), text.size());
    if (pieces.leadIn == text.size())
        return pieces;
    std::vector<std::size_t> begins{pieces.leadIn};
    auto script = speech::parseScript(text, language);
    if (script) {
        for (std::size_t i = 1; i < script->lines.size(); ++i)
            begins.push_back(static_cast<std::size_t>(script->lines[i].sourceBegin));
    } else if (script.error().code() != ErrorCode::EmptyInput) {
        return fail(std::move(script).error());
    }
    for (std::size_t i = 0; i < begins.size(); ++i) {
        // A tab or an exotic space at the start of a line belongs to the space before it.
        const std::size_t begin =
            std::min(text.find_first_not_of(kBlank, begins[i]), text.size());
        const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : text.size();
        if (begin < end)
            pieces.spans.push_back({begin, textEndOf(text, begin, end)});
    }
    return pieces;
}

// A line may hold several sentences because it was made so; as long as it is unchanged it stays one.
void keepWholeLines(Pieces& pieces, const std::vector<Span>& whole)
{
    std::vector<Span> kept;
    auto next = whole.begin();
    for (std::size_t i = 0; i < pieces.spans.size(); ++i) {
        Span span = pieces.spans[i];
        while (next != whole.end() && next->begin < span.begin)
            ++next;
        if (next != whole.end() && next->begin == span.begin) {
            std::size_t last = i;
            while (last < pieces.spans.size() && pieces.spans[last].textEnd < next->textEnd)
                ++last;
            if (last < pieces.spans.size() && pieces.spans[last].textEnd == next->textEnd) {
                span.textEnd = next->textEnd;
                i = last;
            }
        }
        kept.push_back(span);
    }
    pieces.spans = std::move(kept);
}

// The old lines of the region whose bytes the edit left alone, where they lie in the new region.
std::vector<Span> unchangedLines(const std::vector<Span>& spans, const Region& region,
                                 const Edit& edit, std::size_t oldBytes, std::size_t newBytes)
{
    std::vector<Span> out;
    for (std::size_t i = region.first; i < region.last; ++i) {
        const Span span = spans[i];
        if (span.textEnd <= edit.prefix)
            out.push_back({span.begin - region.begin, span.textEnd - region.begin});
        else if (span.begin >= oldBytes - edit.suffix)
            out.push_back({span.begin + newBytes - oldBytes - region.begin,
                           span.textEnd + newBytes - oldBytes - region.begin});
    }
    return out;
}

std::vector<Line> linesFrom(std::string_view text, const Pieces& pieces)
{
    std::vector<Line> lines(pieces.spans.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const Span span = pieces.spans[i];
        const std::size_t end =
            i + 1 < lines.size() ? pieces.spans[i + 1].begin : text.size();
        lines[i].text = text.substr(span.begin, span.textEnd - span.begin);
        lines[i].after = text.substr(span.textEnd, end - span.textEnd);
    }
    return lines;
}

// New ids that no line of the scene has.
class FreshIds
{
public:
    FreshIds(const Scene& scene, const IdSource& ids) : m_scene(scene), m_ids(ids) {}
    std::uint64_t next()
    {
        if (m_taken.empty()) {
            m_taken.insert(0);
            for (const Line& line : m_scene.lines)
                m_taken.insert(line.id);
        }
        std::uint64_t id = m_ids();
        while (!m_taken.insert(id).second)
            id = m_ids();
        return id;
    }

private:
    const Scene& m_scene;
    const IdSource& m_ids;
    std::unordered_set<std::uint64_t> m_taken;
};

void takeOver(std::vector<Line>& fresh, const Scene& scene, const Region& region,
              const IdSource& ids)
{
    std::vector<std::string_view> before, after;
    for (std::size_t i = region.first; i < region.last; ++i)
        before.push_back(scene.lines[i].text);
    for (const Line& line : fresh)
        after.push_back(line.text);
    const auto matches = matchLines(before, after);
    FreshIds source(scene, ids);
    for (std::size_t i = 0; i < fresh.size(); ++i) {
        if (!matches[i]) {
            fresh[i].id = source.next();
            continue;
        }
        Line line = scene.lines[region.first + *matches[i]];
        line.text = std::move(fresh[i].text);
        line.after = std::move(fresh[i].after);
        fresh[i] = std::move(line);
    }
}

} // namespace

std::string scriptText(const Scene& scene)
{
    std::string text = scene.leadIn;
    for (const Line& line : scene.lines)
        text.append(line.text).append(line.after);
    return text;
}

Result<void> setScriptText(Scene& scene, std::string_view text, const IdSource& ids)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    const std::string old = scriptText(scene);
    if (old == text)
        return {};
    if (std::any_of(scene.lines.begin(), scene.lines.end(), [](const Line& line) { return line.recording.has_value(); }))
        return fail(ErrorCode::Unsupported, "Some lines of this script are recorded, so that it cannot be edited as "
                                            "one text: change its lines one by one.");
    if (text.size() > speech::kMaxScriptBytes || speech::firstInvalidUtf8(text))
        return fail(speech::parseScript(text).error()); // says what is wrong and where
    const std::vector<Span> spans = spansOf(scene);
    const Edit edit = compare(old, text);
    const Region region = touchedRegion(spans, edit, old.size());
    const std::size_t end = text.size() - (old.size() - region.end);
    const std::string_view changed = text.substr(region.begin, end - region.begin);
    const std::string language = scene.speech.language.empty()
                                     ? speech::guessLanguage(text).language
                                     : scene.speech.language;
    LQ_TRY(Pieces pieces, split(changed, language));
    keepWholeLines(pieces, unchangedLines(spans, region, edit, old.size(), text.size()));
    std::vector<Line> fresh = linesFrom(changed, pieces);
    takeOver(fresh, scene, region, ids);
    std::string& blankBefore =
        region.first == 0 ? scene.leadIn : scene.lines[region.first - 1].after;
    if (region.first == 0)
        blankBefore.clear();
    blankBefore += changed.substr(0, pieces.leadIn);
    const auto at = scene.lines.begin();
    const auto first = at + static_cast<std::ptrdiff_t>(region.first);
    const auto last = at + static_cast<std::ptrdiff_t>(region.last);
    const auto place = scene.lines.erase(first, last);
    scene.lines.insert(place, std::make_move_iterator(fresh.begin()),
                       std::make_move_iterator(fresh.end()));
    return {};
}

Result<std::vector<Line>> linesOfText(std::string_view text, std::string_view language,
                                      const IdSource& ids)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    LQ_CHECKED(speech::parseScript(text, language)); // for its words on empty and broken texts
    LQ_TRY(const Pieces pieces, split(text, language));
    std::vector<Line> lines = linesFrom(text, pieces);
    const Scene none;
    FreshIds source(none, ids);
    for (Line& line : lines)
        line.id = source.next();
    return lines;
}

bool boundarySurvives(const Line& left, const Line& right)
{
    const std::string text = left.text + left.after + right.text;
    const auto pieces = split(text, {});
    const std::size_t border = left.text.size() + left.after.size();
    return pieces && std::any_of(pieces->spans.begin(), pieces->spans.end(),
                                 [&](const Span& span) { return span.begin == border; });
}

} // namespace loquor::project
