#include "core/weights/unpickler.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>

namespace loquor::weights {

namespace {

// Far above any network: a state dict of 1,633 tensors makes 50,000 values.
constexpr std::size_t kMaxValues = 2'000'000;

// What is wrong with the pickle; caught by unpickleStateDict.
struct Fault : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

enum class Kind {
    None = 0,
    Other, // numbers with fractions, truth values, bytes: never needed, kept as a place
    Integer,
    Text,
    Tuple,
    List,
    Dict, // items: key, value, key, value ...
    Global,
    Storage,
    Tensor,
};

// Values belong to the unpickler and refer to each other by pointer: loops and deep nesting do no harm.
struct Value
{
    Kind kind = Kind::None;
    std::int64_t integer = 0;
    std::string text; // Text, Global ("module.name")
    std::vector<const Value*> items;
    StoredTensor tensor; // Storage: dtype, storage and storageElements; Tensor: all
};

struct StorageType
{
    std::string_view name;
    DType dtype;
};
constexpr std::array<StorageType, 10> kStorages = {{{"torch.DoubleStorage", DType::F64},
                                                    {"torch.FloatStorage", DType::F32},
                                                    {"torch.HalfStorage", DType::F16},
                                                    {"torch.BFloat16Storage", DType::BF16},
                                                    {"torch.LongStorage", DType::I64},
                                                    {"torch.IntStorage", DType::I32},
                                                    {"torch.ShortStorage", DType::I16},
                                                    {"torch.CharStorage", DType::I8},
                                                    {"torch.ByteStorage", DType::U8},
                                                    {"torch.BoolStorage", DType::Bool}}};
constexpr std::string_view kOrderedDict = "collections.OrderedDict";
constexpr std::string_view kRebuildTensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kRebuildParameter = "torch._utils._rebuild_parameter";

const StorageType* storageType(std::string_view name)
{
    const auto row = std::find_if(kStorages.begin(), kStorages.end(), [&](const StorageType& s) { return s.name == name; });
    return row == kStorages.end() ? nullptr : &*row;
}

// For messages: what the file asked for, without control characters.
std::string shown(std::string_view text)
{
    std::string out;
    for (const char c : text.substr(0, 80))
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    return '"' + out + '"';
}

std::string opcodeName(unsigned char code)
{
    static const std::map<unsigned char, const char*> kNames = {
        {'i', "INST"}, {'o', "OBJ"}, {0x81, "NEWOBJ"}, {0x92, "NEWOBJ_EX"}, {0x82, "EXT1"}, {0x83, "EXT2"}, {0x84, "EXT4"}, {'P', "PERSID"}, {'d', "DICT"}, {'l', "LIST"}, {'S', "STRING"}, {'V', "UNICODE"}, {'I', "INT"}, {'L', "LONG"}, {'F', "FLOAT"}, {'p', "PUT"}, {'g', "GET"}, {0x8b, "LONG4"}, {0x8f, "EMPTY_SET"}, {0x90, "ADDITEMS"}, {0x91, "FROZENSET"}, {0x96, "BYTEARRAY8"}, {0x97, "NEXT_BUFFER"}, {0x98, "READONLY_BUFFER"}};
    const auto name = kNames.find(code);
    return std::to_string(static_cast<int>(code)) + (name == kNames.end() ? "" : std::string(" (") + name->second + ')');
}

class Unpickler
{
public:
    explicit Unpickler(std::string_view bytes) : m_bytes(bytes) {}

    const Value* run()
    {
        for (;;) {
            const auto code = static_cast<unsigned char>(take(1)[0]);
            if (code == '.') { // STOP
                const Value* result = pop();
                if (!m_stack.empty() || !m_marks.empty())
                    throw Fault("values are left over at its end");
                return result;
            }
            if (!scalar(code) && !container(code) && !memo(code) && !action(code))
                throw Fault("it uses the opcode " + opcodeName(code) + ", which no state dict needs");
        }
    }

private:
    std::string_view take(std::uint64_t count)
    {
        if (count > m_bytes.size() - m_at)
            throw Fault("it ends in the middle of an instruction");
        const std::string_view piece = m_bytes.substr(m_at, static_cast<std::size_t>(count));
        m_at += static_cast<std::size_t>(count);
        return piece;
    }
    // Little-endian and not negative.
    std::uint64_t natural(std::size_t bytes)
    {
        const std::string_view piece = take(bytes);
        std::uint64_t value = 0;
        for (std::size_t i = bytes; i-- > 0;)
            value = value << 8 | static_cast<unsigned char>(piece[i]);
        return value;
    }
    std::string_view line()
    {
        const auto end = m_bytes.find('\n', m_at);
        if (end == std::string_view::npos)
            throw Fault("it ends in the middle of a name");
        const std::string_view text = m_bytes.substr(m_at, end - m_at);
        m_at = end + 1;
        return text;
    }

    Value& make(Kind kind)
    {
        if (m_values.size() >= kMaxValues)
            throw Fault("it has more than " + std::to_string(kMaxValues) + " values");
        Value& value = m_values.emplace_back();
        value.kind = kind;
        return value;
    }
    Value& push(Kind kind)
    {
        Value& value = make(kind);
        m_stack.push_back(&value);
        return value;
    }
    void pushInteger(std::int64_t integer) { push(Kind::Integer).integer = integer; }
    Value* pop()
    {
        if (m_stack.empty() || (!m_marks.empty() && m_stack.size() == m_marks.back()))
            throw Fault("it takes more values than there are");
        Value* value = m_stack.back();
        m_stack.pop_back();
        return value;
    }
    Value& top(Kind kind, const char* what)
    {
        if (m_stack.empty() || (!m_marks.empty() && m_stack.size() == m_marks.back()) || m_stack.back()->kind != kind)
            throw Fault(std::string("it adds to a ") + what + " that is not there");
        return *m_stack.back();
    }
    std::vector<const Value*> popToMark()
    {
        if (m_marks.empty())
            throw Fault("it closes a group that was never opened");
        const auto begin = m_stack.begin() + static_cast<std::ptrdiff_t>(m_marks.back());
        std::vector<const Value*> items(begin, m_stack.end());
        m_stack.erase(begin, m_stack.end());
        m_marks.pop_back();
        return items;
    }

    bool scalar(unsigned char code)
    {
        switch (code) {
        case 0x80: // PROTO
            if (const std::uint64_t version = natural(1); version < 2 || version > 5)
                throw Fault("it has the pickle version " + std::to_string(version) + "; 2 to 5 can be read");
            return true;
        case 0x95: take(8); return true; // FRAME
        case 'N': push(Kind::None); return true;
        case 0x88:
        case 0x89: push(Kind::Other); return true; // truth values
        case 'G': // BINFLOAT
            take(8);
            push(Kind::Other);
            return true;
        case 'J': pushInteger(static_cast<std::int32_t>(static_cast<std::uint32_t>(natural(4)))); return true;
        case 'K': pushInteger(static_cast<std::int64_t>(natural(1))); return true;
        case 'M': pushInteger(static_cast<std::int64_t>(natural(2))); return true;
        case 0x8a: longInteger(); return true;
        case 'X': text(natural(4)); return true;
        case 0x8c: text(natural(1)); return true;
        case 0x8d: text(natural(8)); return true;
        case 'U': text(natural(1)); return true; // strings of Python 2
        case 'T': text(natural(4)); return true;
        case 'C': bytes(natural(1)); return true;
        case 'B': bytes(natural(4)); return true;
        case 0x8e: bytes(natural(8)); return true;
        default: return false;
        }
    }
    void text(std::uint64_t length) { push(Kind::Text).text = take(length); }
    void bytes(std::uint64_t length)
    {
        take(length);
        push(Kind::Other);
    }
    void longInteger() // LONG1: two's complement
    {
        const std::size_t length = natural(1);
        const std::string_view piece = take(length);
        if (length > 8)
            throw Fault("it holds a number beyond 64 bits");
        std::uint64_t value = length > 0 && static_cast<signed char>(piece.back()) < 0 ? ~std::uint64_t(0) : 0;
        for (std::size_t i = length; i-- > 0;)
            value = value << 8 | static_cast<unsigned char>(piece[i]);
        pushInteger(static_cast<std::int64_t>(value));
    }

    bool container(unsigned char code)
    {
        switch (code) {
        case '(': m_marks.push_back(m_stack.size()); return true;
        case ')': push(Kind::Tuple); return true;
        case ']': push(Kind::List); return true;
        case '}': push(Kind::Dict); return true;
        case 0x85:
        case 0x86:
        case 0x87: { // TUPLE1 to TUPLE3
            std::vector<const Value*> items(code - 0x84u);
            for (std::size_t i = items.size(); i-- > 0;)
                items[i] = pop();
            push(Kind::Tuple).items = std::move(items);
            return true;
        }
        case 't': {
            auto items = popToMark();
            push(Kind::Tuple).items = std::move(items);
            return true;
        }
        case 'a': {
            const Value* item = pop();
            top(Kind::List, "list").items.push_back(item);
            return true;
        }
        case 'e': append(popToMark(), Kind::List, "list"); return true;
        case 's': {
            const Value* value = pop();
            const Value* key = pop();
            append({key, value}, Kind::Dict, "dict");
            return true;
        }
        case 'u': append(popToMark(), Kind::Dict, "dict"); return true;
        default: return false;
        }
    }
    void append(const std::vector<const Value*>& items, Kind kind, const char* what)
    {
        Value& target = top(kind, what);
        if (kind == Kind::Dict && items.size() % 2 != 0)
            throw Fault("a dict has a key without a value");
        target.items.insert(target.items.end(), items.begin(), items.end());
    }

    bool memo(unsigned char code)
    {
        switch (code) {
        case 'q': put(natural(1)); return true;
        case 'r': put(natural(4)); return true;
        case 0x94: put(m_memo.size()); return true;
        case 'h': get(natural(1)); return true;
        case 'j': get(natural(4)); return true;
        default: return false;
        }
    }
    void put(std::uint64_t key)
    {
        Value* value = pop();
        m_stack.push_back(value);
        m_memo[key] = value;
    }
    void get(std::uint64_t key)
    {
        const auto value = m_memo.find(key);
        if (value == m_memo.end())
            throw Fault("it refers to a value that it never kept");
        m_stack.push_back(value->second);
    }

    bool action(unsigned char code)
    {
        switch (code) {
        case 'c': { // GLOBAL
            const std::string module(line());
            global(module + '.' + std::string(line()));
            return true;
        }
        case 0x93: { // STACK_GLOBAL
            const Value* name = pop();
            const Value* module = pop();
            if (name->kind != Kind::Text || module->kind != Kind::Text)
                throw Fault("it names something without a name");
            global(module->text + '.' + name->text);
            return true;
        }
        case 'R': {
            const Value* arguments = pop();
            const Value* function = pop();
            if (function->kind != Kind::Global || arguments->kind != Kind::Tuple)
                throw Fault("it calls something that is no function");
            call(function->text, arguments->items);
            return true;
        }
        case 'b': // BUILD: what OrderedDict keeps besides its items (versions of modules)
            pop();
            top(Kind::Dict, "dict");
            return true;
        case 'Q': storage(*pop()); return true;
        default: return false;
        }
    }
    void global(const std::string& name)
    {
        if (name != kOrderedDict && name != kRebuildTensor && name != kRebuildParameter && !storageType(name))
            throw Fault("it asks for " + shown(name) + ", which is not allowed: only tensors are read, nothing is executed");
        push(Kind::Global).text = name;
    }
    void call(const std::string& function, const std::vector<const Value*>& arguments)
    {
        if (function == kOrderedDict) {
            if (!arguments.empty())
                throw Fault("a dict is made from something");
            push(Kind::Dict);
        } else if (function == kRebuildTensor) {
            push(Kind::Tensor).tensor = rebuilt(arguments);
        } else if (function == kRebuildParameter && !arguments.empty() && arguments[0]->kind == Kind::Tensor) {
            push(Kind::Tensor).tensor = arguments[0]->tensor;
        } else {
            throw Fault("it calls " + shown(function) + " with arguments that make no tensor");
        }
    }
    void storage(const Value& id)
    {
        const auto& items = id.items;
        const bool fits = id.kind == Kind::Tuple && items.size() == 5 && items[0]->kind == Kind::Text && items[0]->text == "storage" && items[1]->kind == Kind::Global && items[2]->kind == Kind::Text && items[4]->kind == Kind::Integer && items[4]->integer >= 0;
        const StorageType* type = fits ? storageType(items[1]->text) : nullptr;
        if (!type || items[2]->text.size() > 64)
            throw Fault("it refers to something outside that is no storage of a tensor");
        StoredTensor& tensor = push(Kind::Storage).tensor;
        tensor.info.dtype = type->dtype;
        tensor.storage = items[2]->text;
        tensor.storageElements = static_cast<std::uint64_t>(items[4]->integer);
    }
    static std::vector<std::int64_t> integers(const Value& tuple)
    {
        std::vector<std::int64_t> out;
        if (tuple.kind != Kind::Tuple || tuple.items.size() > 16)
            throw Fault("a tensor has an impossible shape");
        for (const Value* item : tuple.items) {
            if (item->kind != Kind::Integer || item->integer < 0)
                throw Fault("a tensor has an impossible shape");
            out.push_back(item->integer);
        }
        return out;
    }
    // (storage, offset, size, stride, requires_grad, hooks, ...)
    static StoredTensor rebuilt(const std::vector<const Value*>& arguments)
    {
        if (arguments.size() < 4 || arguments[0]->kind != Kind::Storage || arguments[1]->kind != Kind::Integer || arguments[1]->integer < 0)
            throw Fault("a tensor is made from something that is no storage");
        StoredTensor tensor = arguments[0]->tensor;
        tensor.offset = static_cast<std::uint64_t>(arguments[1]->integer);
        tensor.info.shape = integers(*arguments[2]);
        tensor.strides = integers(*arguments[3]);
        if (tensor.strides.size() != tensor.info.shape.size())
            throw Fault("a tensor has an impossible shape");
        return tensor;
    }

    std::string_view m_bytes;
    std::size_t m_at = 0;
    std::deque<Value> m_values;
    std::vector<Value*> m_stack;
    std::vector<std::size_t> m_marks; // stack heights
    std::map<std::uint64_t, Value*> m_memo;
};

// Inside of its storage, and each element of the storage used once at most: views that repeat elements could make
// a small file endless.
void checkExtent(const std::string& name, const StoredTensor& tensor)
{
    const auto bytes = denseBytes(tensor.info.shape, tensor.info.dtype);
    const std::uint64_t size = sizeOf(tensor.info.dtype);
    if (!bytes || *bytes / size > tensor.storageElements)
        throw Fault("tensor " + shown(name) + " of shape " + toString(tensor.info.shape) + " has more elements than its storage (" + std::to_string(tensor.storageElements) + ')');
    if (*bytes == 0)
        return;
    std::uint64_t last = tensor.offset;
    for (std::size_t i = 0; i < tensor.strides.size(); ++i) {
        std::uint64_t reach = 0;
        if (__builtin_mul_overflow(static_cast<std::uint64_t>(tensor.info.shape[i] - 1), static_cast<std::uint64_t>(tensor.strides[i]), &reach) ||
            __builtin_add_overflow(last, reach, &last))
            throw Fault("tensor " + shown(name) + " lies outside of its storage");
    }
    if (last >= tensor.storageElements)
        throw Fault("tensor " + shown(name) + " lies outside of its storage: it ends at element " + std::to_string(last) + " of " + std::to_string(tensor.storageElements));
}

std::map<std::string, StoredTensor> tensorsOf(const Value& dict)
{
    std::map<std::string, StoredTensor> out;
    for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
        if (dict.items[i]->kind != Kind::Text || dict.items[i + 1]->kind != Kind::Tensor)
            continue;
        const std::string& name = dict.items[i]->text;
        checkExtent(name, dict.items[i + 1]->tensor);
        if (!out.emplace(name, dict.items[i + 1]->tensor).second)
            throw Fault("it names tensor " + shown(name) + " twice");
    }
    return out;
}

std::map<std::string, StoredTensor> stateDict(const Value& root)
{
    if (root.kind != Kind::Dict)
        throw Fault("it is no dict of tensors");
    std::map<std::string, StoredTensor> tensors = tensorsOf(root);
    if (!tensors.empty())
        return tensors;
    std::vector<std::string> names;
    for (std::size_t i = 0; i + 1 < root.items.size(); i += 2) {
        if (root.items[i + 1]->kind != Kind::Dict)
            continue;
        auto inner = tensorsOf(*root.items[i + 1]);
        if (inner.empty())
            continue;
        names.push_back(root.items[i]->kind == Kind::Text ? shown(root.items[i]->text) : "one without a name");
        tensors = std::move(inner);
    }
    if (names.empty())
        throw Fault("it holds no tensors by name");
    if (names.size() > 1)
        throw Fault("it holds several dicts of tensors: " + names[0] + ", " + names[1]);
    return tensors;
}

} // namespace

bool StoredTensor::isContiguous() const
{
    if (std::find(info.shape.begin(), info.shape.end(), 0) != info.shape.end())
        return true;
    std::int64_t expected = 1;
    for (std::size_t i = strides.size(); i-- > 0;) {
        if (info.shape[i] != 1 && strides[i] != expected)
            return false;
        expected *= info.shape[i];
    }
    return true;
}

Result<std::map<std::string, StoredTensor>> unpickleStateDict(std::string_view pickle, const std::string& file)
{
    try {
        Unpickler unpickler(pickle);
        return stateDict(*unpickler.run());
    } catch (const Fault& fault) {
        return fail(ErrorCode::Corrupt, file + " cannot be read as a PyTorch state dict: " + fault.what() + '.');
    }
}

} // namespace loquor::weights
