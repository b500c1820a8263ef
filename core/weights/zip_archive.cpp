#include "core/weights/zip_archive.h"

#include <vector>

#include <zip.h>

namespace loquor::weights {

namespace {

// More than any network has; each entry costs memory before anything is checked.
constexpr zip_int64_t kMaxEntries = 200'000;

tl::unexpected<Error> corrupt(const std::filesystem::path& path, const std::string& what)
{
    return fail(ErrorCode::Corrupt, path.string() + " cannot be read as a PyTorch file: " + what + '.');
}

std::string textOf(int code)
{
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    return text;
}

} // namespace

ZipArchive::~ZipArchive()
{
    if (m_zip)
        zip_discard(m_zip);
}

Result<std::unique_ptr<ZipArchive>> ZipArchive::open(const std::filesystem::path& path)
{
    std::unique_ptr<ZipArchive> archive(new ZipArchive);
    archive->m_path = path;
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
        return fail(ErrorCode::Unreadable, path.string() + " is not a regular file.");
    int code = 0;
    archive->m_zip = zip_open(path.c_str(), ZIP_RDONLY, &code);
    if (!archive->m_zip) {
        if (code == ZIP_ER_NOENT)
            return fail(ErrorCode::NotFound, path.string() + " does not exist.");
        if (code == ZIP_ER_NOZIP)
            return corrupt(path, "it is no zip archive (files of PyTorch before 1.6 are none: load it there and save it again)");
        return corrupt(path, textOf(code));
    }
    LQ_CHECKED(archive->listEntries());
    return archive;
}

Result<void> ZipArchive::listEntries()
{
    const zip_int64_t count = zip_get_num_entries(m_zip, 0);
    if (count < 0 || count > kMaxEntries)
        return corrupt(m_path, "it has " + std::to_string(count) + " entries");
    std::error_code error;
    const std::uint64_t fileBytes = std::filesystem::file_size(m_path, error);
    if (error)
        return fail(errorFromErrno(error.value(), "cannot examine " + m_path.string()));
    std::uint64_t total = 0;
    for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
        zip_stat_t info;
        zip_stat_init(&info);
        constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
        if (zip_stat_index(m_zip, i, ZIP_FL_ENC_RAW, &info) != 0 || (info.valid & kNeeded) != kNeeded || !info.name)
            return corrupt(m_path, "its entry " + std::to_string(i) + " is damaged");
        const std::string name = info.name;
        if (info.comp_method != ZIP_CM_STORE || info.comp_size != info.size)
            return corrupt(m_path, "its entry \"" + name + "\" is compressed, from " + std::to_string(info.comp_size) + " to " +
                                       std::to_string(info.size) + " bytes; PyTorch stores what it writes");
        if (info.encryption_method != ZIP_EM_NONE)
            return corrupt(m_path, "its entry \"" + name + "\" is encrypted");
        if (__builtin_add_overflow(total, info.size, &total) || total > fileBytes)
            return corrupt(m_path, "its entries up to \"" + name + "\" claim more bytes than the file has (" + std::to_string(fileBytes) + ')');
        if (!m_entries.emplace(name, Entry{i, info.size}).second)
            return corrupt(m_path, "it names the entry \"" + name + "\" twice");
    }
    return {};
}

Result<void> ZipArchive::read(const std::string& name, const Sink& sink) const
{
    const auto entry = m_entries.find(name);
    if (entry == m_entries.end())
        return corrupt(m_path, "it has no entry \"" + name + '"');
    zip_file_t* file = zip_fopen_index(m_zip, entry->second.index, 0);
    if (!file)
        return corrupt(m_path, "its entry \"" + name + "\" cannot be opened: " + zip_strerror(m_zip));
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> guard(file, zip_fclose);
    std::vector<std::byte> buffer(1 << 20);
    std::uint64_t left = entry->second.bytes;
    for (;;) {
        // Asked for once more after the end, so that the checksum is compared.
        const zip_int64_t got = zip_fread(file, buffer.data(), buffer.size());
        if (got < 0)
            return corrupt(m_path, "its entry \"" + name + "\" is damaged: " + zip_file_strerror(file));
        if (static_cast<std::uint64_t>(got) > left || (got == 0 && left > 0))
            return corrupt(m_path, "its entry \"" + name + "\" has another length than it says");
        if (got == 0)
            return {};
        left -= static_cast<std::uint64_t>(got);
        LQ_CHECKED(sink(std::span<const std::byte>(buffer.data(), static_cast<std::size_t>(got))));
    }
}

Result<std::string> ZipArchive::readText(const std::string& name, std::uint64_t maxBytes) const
{
    const auto entry = m_entries.find(name);
    if (entry != m_entries.end() && entry->second.bytes > maxBytes)
        return corrupt(m_path, "its entry \"" + name + "\" has " + std::to_string(entry->second.bytes) + " bytes, " + std::to_string(maxBytes) + " are allowed");
    std::string text;
    LQ_CHECKED(read(name, [&text](std::span<const std::byte> piece) -> Result<void> {
        text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
        return {};
    }));
    return text;
}

} // namespace loquor::weights
