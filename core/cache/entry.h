// What the store keeps: values that describe one finished entry.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace loquor::cache {

enum class EntryKind {
    N = 1,  // a chunk of a line
    I,      // the join of two chunks
    Speech, // sound and timing of a line
};
const char* toString(EntryKind kind); // "N", "I", "S"

// What the maker of an entry says about it.
struct EntryFacts
{
    std::string key; // 64 lower-case hexadecimal digits: hash of all that the content depends on
    EntryKind kind = EntryKind::N;
    std::string facts = "{}";       // a JSON object of at most 64 KB, kept but not understood here
    std::vector<std::string> parts; // names of all files of the entry: a-z 0-9 . _ -, not first '.'
};

struct PartInfo
{
    std::string name;
    std::uint64_t bytes = 0;
    std::string sha256;

    friend bool operator==(const PartInfo&, const PartInfo&) = default;
};

// A finished entry. Plain value: it does not keep the entry in the store.
struct EntryInfo
{
    std::string key;
    EntryKind kind = EntryKind::N;
    std::string facts;           // as given, with JSON's white space removed and fields sorted
    std::vector<PartInfo> parts; // in the order given at commit
    std::uint64_t bytes = 0;     // of all its files
    std::string createdAt;       // "2026-11-30T12:45:24Z"

    friend bool operator==(const EntryInfo&, const EntryInfo&) = default;
};

// 64 lower-case hexadecimal digits.
bool isValidKey(const std::string& key);

} // namespace loquor::cache
