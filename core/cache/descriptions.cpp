#include "core/cache/descriptions.h"

#include <set>
#include <stdexcept>

#include "core/base/json.h"
#include "core/platform/hash.h"

using nlohmann::json;

namespace loquor::cache {

namespace {

constexpr int kVersion = 1;
constexpr const char* kEntryFormat = "loquor-chunk";
constexpr std::size_t kMaxFacts = 64 << 10;
constexpr std::size_t kMaxParts = 64;
constexpr std::size_t kMaxName = 64;
constexpr std::uint64_t kMaxPartBytes = 1ull << 50;

// Says which field is wrong. Caught where a text is parsed.
class FieldError : public std::runtime_error
{
public:
    explicit FieldError(const std::string& field) : std::runtime_error("'" + field + "' is missing or wrong") {}
};

class NewerVersion : public std::runtime_error
{
public:
    NewerVersion() : std::runtime_error("a newer version of Loquor wrote it") {}
};

const json& member(const json& object, const char* field)
{
    if (!object.is_object() || !object.contains(field))
        throw FieldError(field);
    return object.at(field);
}

std::string text(const json& object, const char* field)
{
    const json& value = member(object, field);
    if (!value.is_string())
        throw FieldError(field);
    return value.get<std::string>();
}

std::uint64_t count(const json& object, const char* field, std::uint64_t highest)
{
    const json& value = member(object, field);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > highest)
        throw FieldError(field);
    return value.get<std::uint64_t>();
}

void checkFormat(const json& object, const char* format)
{
    if (text(object, "format") != format)
        throw FieldError("format");
    if (count(object, "version", 1'000'000) > kVersion)
        throw NewerVersion();
}

EntryKind kindOf(const std::string& name)
{
    for (const EntryKind kind : {EntryKind::N, EntryKind::I, EntryKind::Speech})
        if (name == toString(kind))
            return kind;
    throw FieldError("kind");
}

json partsToJson(const std::vector<PartInfo>& parts)
{
    json out = json::array();
    for (const PartInfo& part : parts)
        out.push_back({{"name", part.name}, {"bytes", part.bytes}, {"sha256", part.sha256}});
    return out;
}

std::vector<PartInfo> partsFromJson(const json& list)
{
    if (!list.is_array() || list.empty() || list.size() > kMaxParts)
        throw FieldError("parts");
    std::vector<PartInfo> out;
    std::set<std::string> names;
    for (const json& one : list) {
        PartInfo part{text(one, "name"), count(one, "bytes", kMaxPartBytes), text(one, "sha256")};
        if (!isValidPartName(part.name) || !names.insert(part.name).second)
            throw FieldError("name");
        if (!isValidKey(part.sha256))
            throw FieldError("sha256");
        out.push_back(std::move(part));
    }
    return out;
}

// A flipped bit in the facts would not show otherwise.
std::string checkOf(json description)
{
    description.erase("check");
    return platform::sha256(description.dump());
}

// Runs a reader; what it throws becomes an Error.
template<class F>
auto guarded(const char* what, F read) -> Result<decltype(read())>
{
    try {
        return read();
    } catch (const NewerVersion& newer) {
        return fail(ErrorCode::Unsupported, std::string(what) + " cannot be used: " + newer.what() + '.');
    } catch (const std::exception& wrong) {
        return fail(ErrorCode::Corrupt, std::string(what) + " is damaged: " + jsonProblem(wrong) + '.');
    }
}

} // namespace

const char* toString(EntryKind kind)
{
    switch (kind) {
    case EntryKind::N: return "N";
    case EntryKind::I: return "I";
    case EntryKind::Speech: return "S";
    }
    return "?";
}

bool isValidKey(const std::string& key)
{
    return key.size() == 64 && key.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool isValidPartName(std::string_view name)
{
    constexpr const char* kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789._-";
    return !name.empty() && name.size() <= kMaxName && name[0] != '.' && name != kEntryFile &&
           name.find_first_not_of(kAllowed) == std::string_view::npos;
}

Result<EntryFacts> checkedFacts(EntryFacts facts)
{
    if (!isValidKey(facts.key))
        return fail(ErrorCode::InvalidArgument,
                    "'" + facts.key.substr(0, 80) + "' is no key of a chunk: it must have 64 hexadecimal digits.");
    std::set<std::string> names;
    for (const std::string& name : facts.parts)
        if (!isValidPartName(name) || !names.insert(name).second)
            return fail(ErrorCode::InvalidArgument, "'" + name.substr(0, 80) + "' cannot be the name of a chunk's part.");
    if (names.empty() || names.size() > kMaxParts)
        return fail(ErrorCode::InvalidArgument, "A chunk must have 1 to 64 parts.");
    const json parsed = json::parse(facts.facts, nullptr, false);
    if (!parsed.is_object() || facts.facts.size() > kMaxFacts)
        return fail(ErrorCode::InvalidArgument,
                    "The facts of chunk " + facts.key + " must be a JSON object of at most 64 KB.");
    facts.facts = parsed.dump();
    return facts;
}

std::string formatEntry(const EntryInfo& entry)
{
    json out{{"format", kEntryFormat},
             {"version", kVersion},
             {"key", entry.key},
             {"kind", toString(entry.kind)},
             {"facts", json::parse(entry.facts)},
             {"parts", partsToJson(entry.parts)},
             {"created", entry.createdAt}};
    out["check"] = checkOf(out);
    return out.dump(1) + '\n';
}

Result<EntryInfo> parseEntry(std::string_view source)
{
    return guarded("The description of a chunk", [&] {
        const json read = json::parse(source);
        checkFormat(read, kEntryFormat);
        EntryInfo entry;
        entry.key = text(read, "key");
        if (!isValidKey(entry.key))
            throw FieldError("key");
        entry.kind = kindOf(text(read, "kind"));
        if (!member(read, "facts").is_object())
            throw FieldError("facts");
        entry.facts = read.at("facts").dump();
        entry.parts = partsFromJson(member(read, "parts"));
        entry.createdAt = text(read, "created");
        entry.bytes = source.size();
        for (const PartInfo& part : entry.parts)
            entry.bytes += part.bytes;
        if (text(read, "check") != checkOf(read))
            throw FieldError("check");
        return entry;
    });
}

std::string formatParts(const std::vector<PartInfo>& parts)
{
    return partsToJson(parts).dump();
}

Result<std::vector<PartInfo>> parseParts(std::string_view source)
{
    return guarded("The list of parts of a chunk", [&] { return partsFromJson(json::parse(source)); });
}

} // namespace loquor::cache
