#include "core/media/image_loader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <sys/stat.h>

#include "core/base/check.h"
#include "core/media/image_decoders.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"

namespace loquor::media {

namespace fs = std::filesystem;

namespace {

// No picture beyond this is a photo; it would take minutes.
constexpr std::int64_t kMostPixels = 1'000'000'000;

enum class Kind {
    Jpeg = 1,
    Png,
    Webp,
    Tiff,
    Heif,
    Text,
    Other,
};

Kind kindOf(std::span<const std::uint8_t> head)
{
    const auto begins = [&](std::string_view magic, std::size_t at = 0) {
        return head.size() >= at + magic.size() &&
               std::memcmp(head.data() + at, magic.data(), magic.size()) == 0;
    };
    if (begins("\xFF\xD8\xFF"))
        return Kind::Jpeg;
    if (begins("\x89PNG\r\n\x1A\n"))
        return Kind::Png;
    if (begins("RIFF") && begins("WEBP", 8))
        return Kind::Webp;
    if (begins(std::string_view("II*\0", 4)) || begins(std::string_view("MM\0*", 4)) ||
        begins(std::string_view("II+\0", 4)) || begins(std::string_view("MM\0+", 4)))
        return Kind::Tiff;
    if (begins("ftyp", 4))
        for (const char* brand : {"heic", "heix", "hevc", "heim", "mif1", "msf1", "avif", "avis"})
            if (begins(brand, 8))
                return Kind::Heif;
    if (begins("%PDF") || begins("<svg") || begins("<?xml") || begins("<!DOCTYPE"))
        return Kind::Text;
    return Kind::Other;
}

// What the name promises, in the words of ImageInfo::format; "" when it promises nothing.
std::string formatOfName(const std::string& shownName)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kNames{
        {{".jpg", "JPEG"},
         {".jpeg", "JPEG"},
         {".png", "PNG"},
         {".webp", "WebP"},
         {".tif", "TIFF"},
         {".tiff", "TIFF"},
         {".bmp", "BMP"},
         {".gif", "GIF"},
         {".jxl", "JPEG XL"}}};
    std::string name = shownName.substr(0, shownName.size() - 1); // without the closing quote
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
        return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    });
    for (const auto& [ending, format] : kNames)
        if (name.ends_with(ending))
            return std::string(format);
    return {};
}

Result<> decode(ImageSource& source, RowSink& sink)
{
    std::array<std::uint8_t, 32> head{};
    const std::size_t got = std::fread(head.data(), 1, head.size(), source.file.get());
    if (std::fseek(source.file.get(), 0, SEEK_SET) != 0)
        return fail(errorFromErrno(errno, "Cannot read the picture"));
    switch (kindOf(std::span(head).first(got))) {
    case Kind::Jpeg:
        return decodeJpeg(source, sink);
    case Kind::Png:
        return decodePng(source, sink);
    case Kind::Webp:
        return decodeWebp(source, sink);
    case Kind::Tiff:
        return decodeTiff(source, sink);
    case Kind::Heif:
        return imageError(ErrorCode::Unsupported, sink,
                          "is a HEIC or AVIF file, which cannot be read here: save it as JPEG or "
                          "PNG and use that.");
    case Kind::Text:
        return imageError(ErrorCode::Unsupported, sink,
                          "is a document or drawing (PDF, SVG): save it as PNG and use that.");
    case Kind::Other:
        return decodeOther(source, sink);
    }
    return imageError(ErrorCode::Internal, sink, "has no decoder.");
}

Result<LoadedImage> load(ImageSource source, const ImageOptions& options)
{
    LOQUOR_CHECK(options.maxPixels > 0);
    RowSink sink(options, source);
    if (source.bytes == 0)
        return imageError(ErrorCode::EmptyInput, sink, "is empty (0 bytes).");
    try {
        LQ_CHECKED(decode(source, sink));
        const std::string promised = formatOfName(source.shownName);
        if (!promised.empty() && promised != sink.info().format)
            sink.info().warnings.push_back("The name says " + promised + ", but the content is " +
                                           sink.info().format + ".");
        return sink.finish();
    } catch (const std::bad_alloc&) {
        return imageError(ErrorCode::OutOfMemory, sink, "does not fit in memory.");
    }
}

} // namespace

std::string ImageInfo::describe() const
{
    std::string text =
        format + ", " + std::to_string(width) + "x" + std::to_string(height) + ", " + colourModel;
    if (bitDepth != 8)
        text += ", " + std::to_string(bitDepth) + " bit";
    if (isTransparent)
        text += ", transparent";
    if (!profileName.empty())
        text += ", profile '" + profileName + "'";
    if (orientation != 1)
        text += ", EXIF orientation " + std::to_string(orientation);
    return text;
}

Result<LoadedImage> loadImage(const fs::path& file, const ImageOptions& options)
{
    LQ_TRY(platform::FileDescriptor fd, platform::openForReading(file));
    ImageSource source;
    source.shownName = platform::quotedPath(file);
    struct stat info{};
    if (::fstat(fd.get(), &info) == 0)
        source.bytes = static_cast<std::uint64_t>(info.st_size);
    source.file.reset(::fdopen(fd.get(), "rb"));
    if (!source.file)
        return fail(errorFromErrno(errno, "Cannot read " + source.shownName));
    fd.release();
    return load(std::move(source), options);
}

Result<LoadedImage> loadImage(std::span<const std::uint8_t> bytes, const std::string& name,
                              const ImageOptions& options)
{
    ImageSource source;
    source.shownName = platform::quotedPath(name);
    source.bytes = bytes.size();
    // fmemopen only reads with this mode; an empty buffer is refused by it, hence the spare byte.
    static const std::uint8_t nothing = 0;
    const void* data = bytes.empty() ? &nothing : bytes.data();
    source.file.reset(
        ::fmemopen(const_cast<void*>(data), std::max<std::size_t>(bytes.size(), 1), "rb"));
    if (!source.file)
        return fail(errorFromErrno(errno, "Cannot read " + source.shownName));
    return load(std::move(source), options);
}

RowSink::RowSink(const ImageOptions& options, const ImageSource& source)
    : m_options(options), m_shownName(source.shownName)
{
}

Size RowSink::targetSize(int width, int height) const
{
    const double pixels = static_cast<double>(width) * height;
    const auto most = static_cast<double>(m_options.maxPixels);
    if (pixels <= most)
        return {width, height};
    const double scale = std::sqrt(most / pixels);
    return {std::max(1, static_cast<int>(width * scale)),
            std::max(1, static_cast<int>(height * scale))};
}

Result<> RowSink::begin(RowFormat format)
{
    m_format = std::move(format);
    RowFormat& f = m_format;
    if (f.width <= 0 || f.height <= 0)
        return imageError(ErrorCode::Unreadable, *this, "has no size.");
    if (f.fullWidth == 0) {
        f.fullWidth = f.width;
        f.fullHeight = f.height;
    }
    if (static_cast<std::int64_t>(f.fullWidth) * f.fullHeight > kMostPixels)
        return imageError(ErrorCode::Unsupported, *this,
                          "has " + std::to_string(f.fullWidth) + "x" +
                              std::to_string(f.fullHeight) + " pixels, too many: scale it down.");
    m_colour.emplace(f.profile, f.plain, f.model, f.bitDepth, m_info.warnings);
    m_info.profileName = m_colour->profileName();
    m_info.hasAlpha = f.hasAlpha;
    m_info.width = f.fullWidth; // turned in finish()
    m_info.height = f.fullHeight;
    const Size full = targetSize(f.fullWidth, f.fullHeight);
    const Size size{std::min(full.width, f.width), std::min(full.height, f.height)};
    if (size.width != f.fullWidth || size.height != f.fullHeight)
        m_info.warnings.push_back("The picture has " + std::to_string(f.fullWidth) + "x" +
                                  std::to_string(f.fullHeight) + " pixels; it is used at " +
                                  std::to_string(size.width) + "x" + std::to_string(size.height) +
                                  ".");
    m_scaler.emplace(f.width, f.height, 3, size.width, size.height);
    m_rgb.resize(static_cast<std::size_t>(f.width) * 3);
    if (f.hasAlpha) {
        m_alphaScaler.emplace(f.width, f.height, 1, size.width, size.height);
        m_alpha.resize(static_cast<std::size_t>(f.width));
        m_split.resize(static_cast<std::size_t>(f.width * samplesOf(f.model)) *
                       (f.bitDepth == 16 ? 2u : 1u));
    }
    return {};
}

namespace {

template<class Sample>
void split(const Sample* in, int colours, std::size_t pixels, Sample* colour, std::uint8_t* alpha)
{
    for (std::size_t i = 0; i < pixels; ++i) {
        for (int c = 0; c < colours; ++c)
            *colour++ = *in++;
        if constexpr (sizeof(Sample) == 2)
            alpha[i] = static_cast<std::uint8_t>((*in++ * 255u + 32767u) / 65535u);
        else
            alpha[i] = *in++;
    }
}

} // namespace

void RowSink::splitAlpha(const void* row)
{
    const int colours = samplesOf(m_format.model);
    if (m_format.bitDepth == 16) {
        // The buffer is only ever used through this type for 16-bit rows.
        split(static_cast<const std::uint16_t*>(row), colours, m_alpha.size(),
              reinterpret_cast<std::uint16_t*>(m_split.data()), m_alpha.data());
    } else {
        split(static_cast<const std::uint8_t*>(row), colours, m_alpha.size(), m_split.data(),
              m_alpha.data());
    }
}

void RowSink::compositeRow()
{
    for (std::size_t i = 0; i < m_alpha.size(); ++i) {
        const int alpha = m_alpha[i];
        if (alpha == 255)
            continue;
        m_info.isTransparent = true;
        for (std::size_t c = 0; c < 3; ++c) {
            const int front =
                m_format.isPremultiplied ? m_rgb[3 * i + c] * 255 : m_rgb[3 * i + c] * alpha;
            const int sum = front + m_options.background[c] * (255 - alpha);
            m_rgb[3 * i + c] = static_cast<std::uint8_t>(std::min((sum + 127) / 255, 255));
        }
    }
}

void RowSink::push(const void* row)
{
    if (m_format.hasAlpha) {
        splitAlpha(row);
        m_colour->convert(m_split.data(), m_rgb.data(), m_format.width);
        compositeRow();
        m_alphaScaler->push(m_alpha.data());
    } else {
        m_colour->convert(row, m_rgb.data(), m_format.width);
    }
    m_scaler->push(m_rgb.data());
}

LoadedImage RowSink::finish()
{
    LoadedImage out;
    out.image = oriented(m_scaler->take(), m_info.orientation);
    if (m_info.isTransparent) {
        out.alpha = oriented(m_alphaScaler->take(), m_info.orientation);
        m_info.warnings.push_back("Transparent parts of the picture show the background colour.");
    }
    if (m_info.orientation >= 5)
        std::swap(m_info.width, m_info.height);
    out.info = std::move(m_info);
    return out;
}

tl::unexpected<Error> imageError(ErrorCode code, const RowSink& sink, const std::string& rest,
                                 std::source_location where)
{
    return fail(code, "The picture " + sink.shownName() + " " + rest, where);
}

int exifOrientation(std::span<const std::uint8_t> exif)
{
    if (exif.size() < 8 || exif[0] != exif[1] || (exif[0] != 'I' && exif[0] != 'M'))
        return 1;
    const bool isLittle = exif[0] == 'I';
    const auto number = [&](std::size_t at, std::size_t bytes) -> std::uint32_t {
        std::uint32_t value = 0;
        if (at + bytes > exif.size())
            return 0;
        for (std::size_t i = 0; i < bytes; ++i)
            value |= static_cast<std::uint32_t>(exif[at + i])
                     << (8 * (isLittle ? i : bytes - 1 - i));
        return value;
    };
    const std::size_t directory = number(4, 4);
    const std::size_t entries = number(directory, 2);
    for (std::size_t i = 0; i < entries; ++i) {
        const std::size_t at = directory + 2 + 12 * i;
        if (number(at, 2) != 0x0112)
            continue;
        const std::uint32_t value = number(at + 8, 2);
        return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
    return 1;
}

} // namespace loquor::media
