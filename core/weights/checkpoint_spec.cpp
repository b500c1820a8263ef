#include "core/weights/checkpoint_spec.h"

#include <algorithm>
#include <set>

#include "core/base/check.h"
#include "core/weights/name_list.h"

namespace loquor::weights {

namespace {

// One spelling with one prefix: what every tensor of the network is called.
struct Reading
{
    const Spelling* spelling = nullptr;
    std::string prefix;
    std::vector<std::vector<FileTensor>> tensors; // in the order of the spec
    std::size_t found = 0;                        // of the required ones
};

Reading tryReading(const CheckpointSpec& spec, const Spelling& spelling, const std::string& prefix, const TensorList& list)
{
    Reading reading{&spelling, prefix, {}, 0};
    for (const TensorSpec& tensor : spec.tensors) {
        std::vector<FileTensor> parts = spelling.spell(tensor);
        for (FileTensor& part : parts) {
            part.name.insert(0, prefix);
            reading.found += list.contains(part.name) ? 1 : 0;
        }
        reading.tensors.push_back(std::move(parts));
    }
    return reading;
}

Reading bestReading(const CheckpointSpec& spec, const TensorList& list)
{
    LOQUOR_CHECK(!spec.spellings.empty(), spec.network);
    std::vector<std::string> prefixes{""};
    prefixes.insert(prefixes.end(), spec.prefixes.begin(), spec.prefixes.end());
    Reading best;
    for (const Spelling& spelling : spec.spellings) {
        for (const std::string& prefix : prefixes) {
            Reading reading = tryReading(spec, spelling, prefix, list);
            if (!best.spelling || reading.found > best.found)
                best = std::move(reading);
        }
    }
    return best;
}

bool fits(const Shape& has, const Shape& wants, Rows rows)
{
    if (has == wants)
        return true;
    return rows == Rows::LastOfMore && has.size() == wants.size() && !has.empty() && has[0] > wants[0] &&
           std::equal(has.begin() + 1, has.end(), wants.begin() + 1);
}

struct Findings
{
    std::vector<std::string> missing, unexpected, misshapen, mistyped;
    bool isEmpty() const { return missing.empty() && unexpected.empty() && misshapen.empty() && mistyped.empty(); }
};

// Binds one tensor, or says what is wrong with it.
void bindTensor(const TensorSpec& spec, const std::vector<FileTensor>& parts, const TensorList& list, Binding& binding, Findings& findings)
{
    BoundTensor bound{{}, spec.shape, spec.rows};
    std::vector<std::string> missing;
    for (const FileTensor& part : parts) {
        const auto entry = list.find(part.name);
        if (entry == list.end()) {
            missing.push_back(part.name);
            continue;
        }
        if (!fits(entry->second.shape, part.shape, spec.rows))
            findings.misshapen.push_back(part.name + " is " + toString(entry->second.shape) + " instead of " + toString(part.shape));
        if (!isFloatingPoint(entry->second.dtype))
            findings.mistyped.push_back(part.name + " is " + toString(entry->second.dtype));
        bound.parts.push_back(part.name);
    }
    if (missing.empty())
        binding.tensors.emplace(spec.name, std::move(bound));
    else if (spec.presence == Presence::Required)
        findings.missing.insert(findings.missing.end(), missing.begin(), missing.end());
}

void findUnexpected(const CheckpointSpec& spec, const Reading& reading, const TensorList& list, Findings& findings)
{
    std::set<std::string> known;
    for (const auto& parts : reading.tensors)
        for (const FileTensor& part : parts)
            known.insert(part.name);
    for (const auto& [name, info] : list) {
        const auto begins = [&tensor = name](const std::string& prefix) {
            return [&tensor, &prefix](const std::string& start) { return tensor.starts_with(prefix + start); };
        };
        static const std::string kNone;
        if (!known.contains(name) && std::none_of(spec.ignored.begin(), spec.ignored.end(), begins(reading.prefix)) &&
            std::none_of(spec.ignored.begin(), spec.ignored.end(), begins(kNone)))
            findings.unexpected.push_back(name);
    }
}

std::string joined(const std::vector<std::string>& items)
{
    std::string text;
    for (const std::string& item : items)
        text += (text.empty() ? "" : ", ") + item;
    return text;
}

std::string describe(const Findings& findings)
{
    std::string text;
    const auto add = [&text](const std::vector<std::string>& items, const std::string& what, const std::string& list) {
        if (!items.empty())
            text += (text.empty() ? "" : "; ") + std::to_string(items.size()) + ' ' + what + ": " + list;
    };
    add(findings.missing, "missing", listNames(findings.missing));
    add(findings.misshapen, "of another shape", joined(findings.misshapen));
    add(findings.mistyped, "of a type that is no floating-point number", joined(findings.mistyped));
    add(findings.unexpected, "unexpected", listNames(findings.unexpected));
    return text;
}

} // namespace

Spelling ownSpelling(std::string name)
{
    return {std::move(name), [](const TensorSpec& tensor) { return std::vector<FileTensor>{{tensor.name, tensor.shape}}; }};
}

Result<Binding> bindCheckpoint(const CheckpointSpec& spec, const TensorList& list, const std::string& file)
{
    const Reading reading = bestReading(spec, list);
    Binding binding{reading.spelling->name, reading.prefix, {}};
    Findings findings;
    for (std::size_t i = 0; i < spec.tensors.size(); ++i)
        bindTensor(spec.tensors[i], reading.tensors[i], list, binding, findings);
    findUnexpected(spec, reading, list, findings);
    if (findings.isEmpty())
        return binding;
    return fail(ErrorCode::Corrupt, file + " does not hold the weights of " + spec.network + " (" + std::to_string(spec.tensors.size()) +
                                        " tensors, compared with the names of " + binding.spelling + "): " + describe(findings) + '.');
}

} // namespace loquor::weights
