#include "core/speech/pronunciations.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/json.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"
#include "core/speech/ipa.h"
#include "core/speech/language.h"
#include "core/speech/respelling.h"
#include "core/speech/script_markup.h"
#include "core/speech/utf8.h"

namespace loquor::speech {

namespace {

constexpr const char* kFormat = "loquor-pronunciations";
constexpr std::uint64_t kMaxFileBytes = 16ULL << 20;

bool hasWord(std::string_view text)
{
    for (std::size_t i = 0; i < text.size();) {
        if (isLetterOrDigit(nextCharacter(text, i)))
            return true;
    }
    return false;
}

// Composed, trimmed, with single spaces.
std::string tidy(std::string_view text)
{
    std::string out;
    for (const char c : respell(text, "en").text) {
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank)
            out += c;
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    if (out.ends_with(' '))
        out.pop_back();
    return out;
}

// "en" stays what it is: all kinds of English.
std::string languageOf(std::string_view tag)
{
    const std::string normalized = normalizedLanguage(tag);
    return tag.find_first_of("-_") == std::string_view::npos ? baseLanguage(normalized) : normalized;
}

bool hasCapitals(std::string_view text)
{
    return foldedText(text) != text;
}

bool appliesTo(const Pronunciation& entry, std::string_view language)
{
    return entry.language.empty() || entry.language == language || entry.language == baseLanguage(language);
}

bool hasEffect(const Pronunciation& entry)
{
    if (entry.words.empty())
        return false;
    return entry.ipa.empty() ? hasWord(entry.alias) : ipaProblem(entry.ipa).empty();
}

char32_t smallLetter(char32_t c)
{
    std::string text;
    appendCharacter(text, c);
    const std::string folded = foldedText(text);
    std::size_t at = 0;
    return nextCharacter(folded, at);
}

// Characters of a text with where they come from.
struct Letters
{
    std::u32string exact, small;
    std::vector<std::int32_t> origin; // bytes; one entry more for the end
};

Letters lettersOf(std::string_view text)
{
    const Respelling composed = respell(text, "en");
    Letters out;
    for (std::size_t i = 0; i < composed.text.size();) {
        out.origin.push_back(composed.origin[i]);
        const char32_t c = nextCharacter(composed.text, i);
        out.exact += c == 0x2019 ? U'\'' : c;
        out.small += smallLetter(out.exact.back());
    }
    out.origin.push_back(static_cast<std::int32_t>(text.size()));
    return out;
}

struct Entry
{
    const Pronunciation* source = nullptr;
    std::u32string letters;
    bool isExact = false; // case counts
};

// Entries by their first small letter, the longest first.
class Index
{
public:
    Index(std::span<const Pronunciation> list, std::string_view language)
    {
        for (const Pronunciation& p : list) {
            if (!hasEffect(p) || !appliesTo(p, language))
                continue;
            const Letters letters = lettersOf(p.words);
            const bool exact = hasCapitals(p.words);
            m_entries[letters.small.front()].push_back({&p, exact ? letters.exact : letters.small, exact});
        }
        for (auto& [first, entries] : m_entries)
            std::stable_sort(entries.begin(), entries.end(),
                             [](const Entry& a, const Entry& b) { return a.letters.size() > b.letters.size(); });
    }
    bool isEmpty() const { return m_entries.empty(); }

    // The entry whose words stand at `at`; null when there is none.
    const Entry* find(const Letters& text, std::size_t at) const
    {
        const auto entries = m_entries.find(text.small[at]);
        if (entries == m_entries.end())
            return nullptr;
        for (const Entry& entry : entries->second) {
            const std::u32string& letters = entry.isExact ? text.exact : text.small;
            if (letters.compare(at, entry.letters.size(), entry.letters) == 0 && isWhole(text.exact, at, at + entry.letters.size()))
                return &entry;
        }
        return nullptr;
    }

private:
    // A letter beside a letter goes on with the word; Chinese characters are each a word.
    static bool continues(char32_t a, char32_t b)
    {
        return isLetterOrDigit(a) && isLetterOrDigit(b) && !isHan(a) && !isHan(b);
    }
    static bool isWhole(std::u32string_view text, std::size_t begin, std::size_t end)
    {
        return (begin == 0 || !continues(text[begin - 1], text[begin])) &&
               (end == text.size() || !continues(text[end - 1], text[end]));
    }
    std::unordered_map<char32_t, std::vector<Entry>> m_entries;
};

// Words with a tag among them, or that a tag speaks for, are left alone.
bool isFree(const ScriptLine& line, std::int32_t begin, std::int32_t end)
{
    for (std::int32_t i = begin; i < end; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (line.spoken[at] != line.text[at] && line.text[at] != '\n' && line.text[at] != '\r')
            return false;
    }
    return std::none_of(line.spans.begin(), line.spans.end(), [&](const SpokenSpan& span) {
        if (span.kind == SpanKind::Alias || span.kind == SpanKind::Ipa)
            return span.textBegin < end && begin < span.textEnd;
        // A border of another way of speaking inside the words.
        return (span.textBegin > begin && span.textBegin < end) || (span.textEnd > begin && span.textEnd < end);
    });
}

std::vector<const Pronunciation*> apply(ScriptLine& line, const Index& index)
{
    std::vector<const Pronunciation*> used;
    if (index.isEmpty() || !line.hasWords)
        return used;
    const Letters text = lettersOf(line.spoken);
    std::vector<SpokenSpan> found;
    for (std::size_t at = 0; at < text.exact.size();) {
        const Entry* entry = index.find(text, at);
        const std::size_t next = at + (entry ? entry->letters.size() : 1);
        const std::int32_t begin = text.origin[at], end = text.origin[next];
        if (!entry || !isFree(line, begin, end)) {
            ++at;
            continue;
        }
        const Pronunciation& p = *entry->source;
        found.push_back({p.ipa.empty() ? SpanKind::Alias : SpanKind::Ipa, 0, p.ipa.empty() ? p.alias : p.ipa, begin, end});
        if (std::find(used.begin(), used.end(), &p) == used.end())
            used.push_back(&p);
        at = next;
    }
    line.spans.insert(line.spans.end(), found.begin(), found.end());
    std::stable_sort(line.spans.begin(), line.spans.end(),
                     [](const SpokenSpan& a, const SpokenSpan& b) { return a.textBegin < b.textBegin; });
    return used;
}

Error damaged(const std::filesystem::path& file, const std::string& why)
{
    return Error(ErrorCode::Corrupt, "The dictionary " + platform::quotedPath(file) + " cannot be read: " + why +
                                         ". Repair it, or move it away to start a new one.");
}

Result<nlohmann::ordered_json> readJson(const std::filesystem::path& file)
{
    std::error_code code;
    if (!std::filesystem::exists(file, code))
        return nlohmann::ordered_json::object();
    LQ_TRY(const std::string text, platform::readTextFile(file, kMaxFileBytes));
    try {
        auto json = nlohmann::ordered_json::parse(text);
        if (!json.is_object() || json.value("format", "") != kFormat)
            return fail(damaged(file, "it is no dictionary of Loquor"));
        if (json.value("version", 0) != 1)
            return fail(Error(ErrorCode::Unsupported, "The dictionary " + platform::quotedPath(file) + " is of a newer version of Loquor."));
        return json;
    } catch (const nlohmann::json::exception& e) {
        return fail(damaged(file, jsonProblem(e)));
    }
}

} // namespace

Result<Pronunciation> makePronunciation(std::string_view words, std::string_view language, std::string_view alias,
                                        std::string_view ipa)
{
    if (firstInvalidUtf8(words) || firstInvalidUtf8(alias) || firstInvalidUtf8(ipa))
        return fail(ErrorCode::InvalidArgument, "The entry is not UTF-8 text.");
    Pronunciation out;
    out.words = tidy(words);
    out.language = languageOf(language);
    out.alias = tidy(alias);
    out.ipa = tidy(ipa);
    const std::string shown = "'" + out.words + "'";
    if (!hasWord(out.words) || out.words.find_first_of("[]") != std::string::npos)
        return fail(ErrorCode::InvalidArgument, "The entry needs a word: " + shown + " holds none, or a bracket.");
    if (std::max({out.words.size(), out.alias.size(), out.ipa.size()}) > kMaxQuotedBytes)
        return fail(ErrorCode::InvalidArgument, "The entry for " + shown + " is longer than " + std::to_string(kMaxQuotedBytes) + " bytes.");
    if (out.alias.empty() == out.ipa.empty())
        return fail(ErrorCode::InvalidArgument, "The entry for " + shown + " needs either a text that is said instead or its sounds.");
    if (!out.alias.empty() && !hasWord(out.alias))
        return fail(ErrorCode::InvalidArgument, "The text for " + shown + " holds no word: '" + out.alias + "'.");
    if (const std::string problem = out.ipa.empty() ? std::string() : ipaProblem(out.ipa); !problem.empty())
        return fail(ErrorCode::InvalidArgument, "The sounds for " + shown + " cannot be read: '" + out.ipa + "' " + problem + '.');
    return out;
}

Result<void> setPronunciation(Pronunciations& list, Pronunciation entry)
{
    const auto same = std::find_if(list.begin(), list.end(), [&](const Pronunciation& p) {
        return p.words == entry.words && p.language == entry.language;
    });
    if (same != list.end()) {
        entry.preserved = same->preserved;
        *same = std::move(entry);
        return {};
    }
    if (list.size() >= kMaxPronunciations)
        return fail(ErrorCode::InvalidArgument, "The dictionary is full: it has " + std::to_string(list.size()) + " entries.");
    list.push_back(std::move(entry));
    return {};
}

bool removePronunciation(Pronunciations& list, std::string_view words, std::string_view language)
{
    const std::string wanted = tidy(words), of = languageOf(language);
    return std::erase_if(list, [&](const Pronunciation& p) { return p.words == wanted && p.language == of; }) > 0;
}

Pronunciations mergedPronunciations(const Pronunciations& project, const Pronunciations& user)
{
    Pronunciations out = project;
    for (const Pronunciation& p : user) {
        const bool isKnown = std::any_of(project.begin(), project.end(), [&](const Pronunciation& own) {
            return own.words == p.words && (own.language.empty() || own.language == p.language) && hasEffect(own);
        });
        if (!isKnown)
            out.push_back(p);
    }
    return out;
}

std::vector<const Pronunciation*> applyPronunciations(ScriptLine& line, std::span<const Pronunciation> list,
                                                      std::string_view language)
{
    return apply(line, Index(list, language));
}

void applyPronunciations(Script& script, std::span<const Pronunciation> list, std::string_view language)
{
    const Index index(list, language);
    for (ScriptLine& line : script.lines)
        apply(line, index);
}

std::string pronunciationsUsed(std::string_view text, std::span<const Pronunciation> list, std::string_view language)
{
    const Index index(list, language);
    if (index.isEmpty())
        return {};
    auto script = parseScript(text, language);
    if (!script)
        return {};
    nlohmann::json used = nlohmann::json::array();
    for (ScriptLine& line : script->lines) {
        for (const Pronunciation* p : apply(line, index))
            used.push_back({p->words, p->alias, p->ipa});
    }
    return used.empty() ? std::string() : used.dump();
}

std::filesystem::path userPronunciationsFile(const std::filesystem::path& configFolder)
{
    return configFolder / "pronunciations.json";
}

Result<Pronunciations> readPronunciations(const std::filesystem::path& file)
{
    LQ_TRY(const auto json, readJson(file));
    Pronunciations out;
    try {
        for (const auto& entry : json.value("entries", nlohmann::ordered_json::array())) {
            Pronunciation p;
            p.words = tidy(entry.at("words").get<std::string>());
            p.language = languageOf(entry.value("language", ""));
            p.alias = entry.value("as", "");
            p.ipa = entry.value("ipa", "");
            auto unknown = entry;
            for (const char* known : {"words", "language", "as", "ipa"})
                unknown.erase(known);
            if (!unknown.empty())
                p.preserved = unknown.dump();
            out.push_back(std::move(p));
        }
    } catch (const nlohmann::json::exception& e) {
        return fail(damaged(file, "entry " + std::to_string(out.size() + 1) + ": " + jsonProblem(e)));
    }
    return out;
}

Result<void> writePronunciations(const std::filesystem::path& file, const Pronunciations& list)
{
    LQ_CHECKED(readPronunciations(file)); // what cannot be read is not written over
    LQ_TRY(auto json, readJson(file));
    json["format"] = kFormat;
    json["version"] = 1;
    auto entries = nlohmann::ordered_json::array();
    for (const Pronunciation& p : list) {
        nlohmann::ordered_json entry{{"words", p.words}};
        if (!p.language.empty())
            entry["language"] = p.language;
        if (!p.alias.empty())
            entry["as"] = p.alias;
        if (!p.ipa.empty())
            entry["ipa"] = p.ipa;
        const auto unknown = nlohmann::ordered_json::parse(p.preserved, nullptr, false);
        if (unknown.is_object())
            entry.update(unknown);
        entries.push_back(std::move(entry));
    }
    json["entries"] = std::move(entries);
    LQ_CHECKED(platform::makeFolder(file.parent_path()));
    return platform::writeFile(file, json.dump(2) + "\n");
}

} // namespace loquor::speech
