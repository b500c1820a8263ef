// The JSON text beside the data of an entry: entry.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/cache/entry.h"

namespace loquor::cache {

inline constexpr const char* kEntryFile = "entry.json";
inline constexpr std::uint64_t kMaxDescriptionBytes = 1 << 20;

bool isValidPartName(std::string_view name);
// Checked key, names and facts; the facts are brought into their one form. InvalidArgument.
Result<EntryFacts> checkedFacts(EntryFacts facts);

// entry.json without `bytes`, which depends on the file itself.
std::string formatEntry(const EntryInfo& entry);
// Any text gives an entry or Corrupt; Unsupported when a newer version wrote it. `bytes` is the sum of
// the parts and of this text.
Result<EntryInfo> parseEntry(std::string_view text);

// Parts inside one column of the index.
std::string formatParts(const std::vector<PartInfo>& parts);
Result<std::vector<PartInfo>> parseParts(std::string_view text);

} // namespace loquor::cache
