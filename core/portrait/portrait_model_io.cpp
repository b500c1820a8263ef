// Format "LQPM": magic, version, payload size, payload hash (all little-endian), payload. The
// payload is every member in the order of visit(); floats are stored as their bits.
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

#include "core/portrait/portrait_model.h"

namespace loquor::portrait {

namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr char kMagic[4] = {'L', 'Q', 'P', 'M'};
// Increase when a member, its meaning or the recipe changes: older files are then built anew.
constexpr std::uint32_t kVersion = 7;
constexpr std::size_t kHeaderSize = 4 + 4 + 8 + 8;
constexpr std::uint64_t kMaxElements = 1ull << 30;

std::uint64_t hashBytes(const std::uint8_t* data, std::size_t size)
{
    std::uint64_t h = 0x9E3779B97F4A7C15ull ^ size;
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        std::uint64_t lane = 0;
        std::memcpy(&lane, data + i, 8);
        h = std::rotl((h ^ lane) * 0xD6E8FEB86659FD93ull, 29);
    }
    for (; i < size; ++i)
        h = std::rotl((h ^ data[i]) * 0xD6E8FEB86659FD93ull, 29);
    return (h ^ (h >> 32)) * 0xD6E8FEB86659FD93ull;
}

template<class T>
concept Plain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

class Writer
{
public:
    std::vector<std::uint8_t> bytes;

    template<Plain T>
    void value(const T& v)
    {
        raw(&v, sizeof v);
    }
    template<Plain T>
    void list(const std::vector<T>& v)
    {
        value(static_cast<std::uint64_t>(v.size()));
        raw(v.data(), v.size() * sizeof(T));
    }
    void flag(bool v) { value(static_cast<std::uint8_t>(v)); }
    void text(const std::string& s)
    {
        value(static_cast<std::uint64_t>(s.size()));
        raw(s.data(), s.size());
    }
    template<class T, class Each>
    void items(const std::vector<T>& v, Each each)
    {
        value(static_cast<std::uint64_t>(v.size()));
        for (const T& item : v)
            each(*this, item);
    }

private:
    void raw(const void* data, std::size_t size)
    {
        if (size == 0)
            return;
        const auto* p = static_cast<const std::uint8_t*>(data);
        bytes.insert(bytes.end(), p, p + size);
    }
};

class Reader
{
public:
    Reader(const std::uint8_t* data, std::size_t size) : m_data(data), m_left(size) {}

    bool ok() const { return m_ok; }
    bool atEnd() const { return m_left == 0; }

    template<Plain T>
    void value(T& v)
    {
        raw(&v, sizeof v);
    }
    template<Plain T>
    void list(std::vector<T>& v)
    {
        const std::uint64_t count = size(sizeof(T));
        v.resize(count);
        raw(v.data(), count * sizeof(T));
    }
    void flag(bool& v)
    {
        std::uint8_t b = 0;
        value(b);
        v = b != 0;
    }
    void text(std::string& s)
    {
        s.resize(size(1));
        raw(s.data(), s.size());
    }
    template<class T, class Each>
    void items(std::vector<T>& v, Each each)
    {
        v.resize(size(1));
        for (T& item : v)
            each(*this, item);
    }

private:
    std::size_t size(std::size_t itemSize)
    {
        std::uint64_t count = 0;
        value(count);
        if (count > kMaxElements || count * itemSize > m_left) {
            m_ok = false;
            return 0;
        }
        return static_cast<std::size_t>(count);
    }
    void raw(void* out, std::size_t n)
    {
        if (!m_ok || n > m_left) {
            m_ok = false;
            return;
        }
        if (n == 0)
            return;
        std::memcpy(out, m_data, n);
        m_data += n;
        m_left -= n;
    }

    const std::uint8_t* m_data;
    std::size_t m_left;
    bool m_ok = true;
};

// One list of members for both directions: A is Writer with const values, or Reader.
template<class A, class I>
void visitImage(A& a, I& image)
{
    a.value(image.width);
    a.value(image.height);
    a.value(image.channels);
    a.list(image.data);
}

template<class A, class E>
void visitEye(A& a, E& eye)
{
    a.list(eye.upper);
    a.list(eye.lower);
    visitImage(a, eye.photo);
    visitImage(a, eye.sclera);
    visitImage(a, eye.iris);
    a.value(eye.x0);
    a.value(eye.y0);
    a.value(eye.irisX);
    a.value(eye.irisY);
    a.value(eye.irisRadius);
    a.value(eye.gazeLimit);
    a.value(eye.planeZ);
    a.value(eye.lashColor);
}

template<class A, class M>
void visitMesh(A& a, M& m)
{
    a.list(m.restXY);
    a.list(m.restX0);
    a.list(m.restXH);
    a.list(m.triangles);
    a.list(m.upperInner);
    a.list(m.lowerInner);
    a.value(m.landmarkVertex);
    for (auto& eye : m.eyes)
        visitEye(a, eye);
    a.flag(m.openMouth);
    a.list(m.normals0);
    a.list(m.smoothStart);
    a.list(m.smoothIndex);
    a.list(m.smoothWeight);
    a.list(m.lipField);
    a.list(m.eyeField);
    a.list(m.jawWeight);
    a.list(m.cheekWeight);
    a.list(m.headWeight);
    a.list(m.lightWeight);
    a.list(m.neutralShift);
    a.list(m.roundShift);
    a.list(m.frameHold);
}

template<class A, class M>
void visitMouth(A& a, M& m)
{
    a.value(m.refContour);
    a.value(m.neutralContour);
    a.value(m.lipJawWeight);
    a.value(m.tmj);
    a.value(m.pivot);
    a.value(m.chinY);
    a.flag(m.photoTeeth);
    a.value(m.incisalY);
    a.value(m.teethZ);
    a.value(m.archBend);
    a.value(m.mouthCenter);
    a.value(m.mouthX0);
    a.value(m.mouthX1);
    a.value(m.mouthY0);
    a.value(m.mouthY1);
    for (auto* texture :
         {&m.upperTeeth, &m.lowerTeeth, &m.tongue, &m.upperGloss, &m.lowerGloss, &m.tongueGloss})
        visitImage(a, *texture);
    a.value(m.glossShift);
    a.value(m.cavityColor);
    a.value(m.whiteColor);
    a.list(m.lipColorLower);
    a.list(m.lipColorUpper);
    a.value(m.softness);
}

template<class A, class M>
void visit(A& a, M& m)
{
    a.value(m.width);
    a.value(m.height);
    a.value(m.photoScale);
    a.value(m.u);
    a.value(m.R);
    a.value(m.M0);
    a.value(m.landmarks);
    for (auto* image : {&m.canvas, &m.layer, &m.plate, &m.matte, &m.lid, &m.lidBand, &m.detail})
        visitImage(a, *image);
    a.value(m.detailBox);
    visitMesh(a, m);
    visitMouth(a, m);
    a.value(m.light);
    a.flag(m.glasses);
    a.items(m.notes, [](auto& archive, auto& note) { archive.text(note); });
}

template<class I>
bool fits(const I& image)
{
    return image.width >= 0 && image.height >= 0 && image.channels >= 0 && image.channels <= 4 &&
           image.data.size() == static_cast<std::size_t>(image.width) *
                                    static_cast<std::size_t>(image.height) *
                                    static_cast<std::size_t>(image.channels);
}

template<class V>
bool inRange(const V& indices, std::int64_t lo, std::size_t hi)
{
    for (const auto i : indices)
        if (i < lo || static_cast<std::int64_t>(i) >= static_cast<std::int64_t>(hi))
            return false;
    return true;
}

bool meshIsConsistent(const PortraitModel& m)
{
    const std::size_t n = m.restXY.size() / 2;
    const bool sizes =
        n > 0 && m.restXY.size() == 2 * n && m.restX0.size() == 3 * n && m.restXH.size() == 3 * n &&
        m.normals0.size() == 3 * n && m.smoothStart.size() == n + 1 &&
        m.smoothIndex.size() == m.smoothWeight.size() && m.lipField.size() == kLipHandles * n &&
        m.eyeField.size() == kEyeHandles * n && m.jawWeight.size() == n &&
        m.cheekWeight.size() == n && m.headWeight.size() == n && m.lightWeight.size() == n &&
        m.neutralShift.size() == 3 * n && m.roundShift.size() == 3 * n && m.frameHold.size() == 2 * n &&
        m.triangles.size() % 3 == 0 && m.upperInner.size() == kLipSamples &&
        m.lowerInner.size() == kLipSamples && m.lipColorLower.size() == 3 * kLipSamples &&
        m.lipColorUpper.size() == 3 * kLipSamples;
    if (!sizes || !inRange(m.triangles, 0, n) || !inRange(m.upperInner, 0, n) ||
        !inRange(m.lowerInner, 0, n) || !inRange(m.landmarkVertex, -1, n) ||
        !inRange(m.smoothIndex, 0, n) || !inRange(m.smoothStart, 0, m.smoothIndex.size() + 1) ||
        m.smoothStart.front() != 0 ||
        static_cast<std::size_t>(m.smoothStart.back()) != m.smoothIndex.size())
        return false;
    for (std::size_t i = 0; i < n; ++i)
        if (m.smoothStart[i] > m.smoothStart[i + 1])
            return false;
    for (const EyeModel& eye : m.eyes)
        if (eye.upper.size() != kLidSamples || eye.lower.size() != kLidSamples ||
            !inRange(eye.upper, 0, n) || !inRange(eye.lower, 0, n))
            return false;
    return true;
}

bool isConsistent(const PortraitModel& m)
{
    const auto canvasSized = [&](const Image& i, int channels) {
        return fits(i) && i.width == m.width && i.height == m.height && i.channels == channels;
    };
    bool ok = m.width > 0 && m.height > 0 && canvasSized(m.canvas, 3) && canvasSized(m.layer, 4) &&
              canvasSized(m.plate, 3) && canvasSized(m.matte, 1) && canvasSized(m.lid, 3) &&
              canvasSized(m.lidBand, 1) && canvasSized(m.detail, 3);
    for (const Texture* t : {&m.upperTeeth, &m.lowerTeeth, &m.tongue})
        ok = ok && fits(*t) && t->channels == 4;
    for (const Texture* t : {&m.upperGloss, &m.lowerGloss, &m.tongueGloss})
        ok = ok && fits(*t) && t->channels == 1;
    for (const EyeModel& eye : m.eyes)
        ok = ok && fits(eye.photo) && fits(eye.sclera) && fits(eye.iris);
    return ok && std::isfinite(m.u) && m.u > 0 && meshIsConsistent(m);
}

} // namespace

Result<std::vector<std::uint8_t>> serialize(const PortraitModel& model)
{
    if (!isConsistent(model))
        return fail(ErrorCode::InvalidArgument,
                    "The portrait model is incomplete and cannot be stored.");
    Writer writer;
    writer.bytes.reserve(model.canvas.data.size() * 6 + model.restXY.size() * 220);
    writer.bytes.resize(kHeaderSize);
    visit(writer, model);
    std::uint8_t* head = writer.bytes.data();
    const std::uint64_t size = writer.bytes.size() - kHeaderSize;
    const std::uint64_t hash = hashBytes(head + kHeaderSize, size);
    std::memcpy(head, kMagic, 4);
    std::memcpy(head + 4, &kVersion, 4);
    std::memcpy(head + 8, &size, 8);
    std::memcpy(head + 16, &hash, 8);
    return std::move(writer.bytes);
}

Result<PortraitModelPtr> deserialize(const std::vector<std::uint8_t>& bytes)
{
    std::uint32_t version = 0;
    std::uint64_t size = 0;
    std::uint64_t hash = 0;
    if (bytes.size() < kHeaderSize || std::memcmp(bytes.data(), kMagic, 4) != 0)
        return fail(ErrorCode::Corrupt, "The stored portrait is not a portrait file.");
    std::memcpy(&version, bytes.data() + 4, 4);
    std::memcpy(&size, bytes.data() + 8, 8);
    std::memcpy(&hash, bytes.data() + 16, 8);
    if (version != kVersion)
        return fail(ErrorCode::Corrupt, "The stored portrait was written by another version.");
    if (size != bytes.size() - kHeaderSize ||
        hash != hashBytes(bytes.data() + kHeaderSize, bytes.size() - kHeaderSize))
        return fail(ErrorCode::Corrupt, "The stored portrait is damaged.");
    auto model = std::make_shared<PortraitModel>();
    Reader reader(bytes.data() + kHeaderSize, bytes.size() - kHeaderSize);
    visit(reader, *model);
    if (!reader.ok() || !reader.atEnd() || !isConsistent(*model))
        return fail(ErrorCode::Corrupt, "The stored portrait does not hold together.");
    return PortraitModelPtr(std::move(model));
}

} // namespace loquor::portrait
