#include "core/platform/paths.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loquor::platform {

namespace fs = std::filesystem;

namespace {

fs::path absoluteFromEnvironment(const char* name)
{
    const char* value = std::getenv(name);
    if (value == nullptr || value[0] != '/')
        return {};
    return fs::path(value);
}

fs::path xdgFolder(const char* own, const char* xdg, const char* fallback)
{
    // The program's own variable may be relative: the user typed it for this very call.
    if (const char* value = std::getenv(own); value != nullptr && value[0] != '\0')
        return fs::absolute(value);
    const fs::path base = absoluteFromEnvironment(xdg);
    return (base.empty() ? homeFolder() / fallback : base) / "loquor";
}

// Length of the valid UTF-8 sequence at `at`, 0 when it is not valid.
std::size_t sequenceLength(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    std::size_t length = 1;
    if (first >= 0xF0 && first < 0xF5)
        length = 4;
    else if (first >= 0xE0 && first < 0xF0)
        length = 3;
    else if (first >= 0xC2 && first < 0xE0)
        length = 2;
    else if (first >= 0x80)
        return 0;
    if (at + length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(at + i) & 0xC0) != 0x80)
            return 0;
    return length;
}

bool isReservedOnWindows(std::string stem)
{
    stem.erase(std::min(stem.find('.'), stem.size()));
    std::transform(stem.begin(), stem.end(), stem.begin(), [](unsigned char c) {
        return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    });
    static constexpr std::array<std::string_view, 4> kNames{"CON", "PRN", "AUX", "NUL"};
    if (std::find(kNames.begin(), kNames.end(), stem) != kNames.end())
        return true;
    return stem.size() == 4 && (stem.starts_with("COM") || stem.starts_with("LPT")) &&
           stem[3] >= '1' && stem[3] <= '9';
}

} // namespace

fs::path homeFolder()
{
    if (const fs::path home = absoluteFromEnvironment("HOME"); !home.empty())
        return home;
    std::array<char, 4096> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    if (getpwuid_r(getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
        found != nullptr && found->pw_dir != nullptr && found->pw_dir[0] == '/')
        return fs::path(found->pw_dir);
    return fs::path("/");
}

fs::path dataFolder()
{
    return xdgFolder("LOQUOR_DATA_DIR", "XDG_DATA_HOME", ".local/share");
}

fs::path cacheFolder()
{
    return xdgFolder("LOQUOR_CACHE_DIR", "XDG_CACHE_HOME", ".cache");
}

fs::path configFolder()
{
    return xdgFolder("LOQUOR_CONFIG_DIR", "XDG_CONFIG_HOME", ".config");
}

fs::path programFolder()
{
    std::error_code code;
    const fs::path program = fs::read_symlink("/proc/self/exe", code);
    return code ? fs::current_path(code) : program.parent_path();
}

Result<> makeFolder(const fs::path& folder)
{
    std::error_code code;
    if (fs::is_directory(folder, code))
        return {};
    fs::path at;
    for (const fs::path& part : folder) {
        at /= part;
        if (::mkdir(at.c_str(), 0700) == 0 || errno == EEXIST)
            continue;
        const int reason = errno;
        // Parents that may not be written but exist report EROFS or EACCES here.
        if (fs::is_directory(at, code))
            continue;
        return fail(errorFromErrno(reason, "Cannot create the folder " + quotedPath(folder)));
    }
    if (!fs::is_directory(folder, code))
        return fail(errorFromErrno(ENOTDIR, "Cannot create the folder " + quotedPath(folder)));
    return {};
}

std::string quotedPath(const fs::path& path)
{
    const std::string& text = path.native();
    std::string out = "'";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = sequenceLength(text, at);
        const unsigned char c = static_cast<unsigned char>(text[at]);
        // 0x80..0x9F are control characters as well; in UTF-8 they start with C2.
        const bool isControl =
            c < 0x20 || c == 0x7F ||
            (length == 2 && c == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0);
        if (length > 0 && !isControl) {
            out.append(text, at, length);
        } else if (c == '\n') {
            out += "\\n";
        } else {
            for (std::size_t i = 0; i < std::max<std::size_t>(length, 1); ++i) {
                char escape[8];
                std::snprintf(escape, sizeof escape, "\\x%02x",
                              static_cast<unsigned>(static_cast<unsigned char>(text[at + i])));
                out += escape;
            }
        }
        at += std::max<std::size_t>(length, 1);
    }
    return out + "'";
}

bool isSameFile(const fs::path& a, const fs::path& b)
{
    std::error_code code;
    return fs::equivalent(a, b, code) && !code;
}

std::string truncatedUtf8(std::string_view text, std::size_t maxBytes)
{
    if (text.size() <= maxBytes)
        return std::string(text);
    std::size_t end = maxBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
        --end;
    return std::string(text.substr(0, end));
}

std::string safeFileName(std::string_view text, std::string_view extension)
{
    std::string name;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = sequenceLength(text, at);
        const unsigned char c = static_cast<unsigned char>(text[at]);
        const bool refused =
            length == 0 || c < 0x20 || c == 0x7F ||
            std::string_view("/\\:*?\"<>|").find(text[at]) != std::string_view::npos;
        if (refused)
            name += '_';
        else
            name.append(text.substr(at, length));
        at += std::max<std::size_t>(length, 1);
    }
    name.erase(0, std::min(name.find_first_not_of(" ."), name.size()));
    name = truncatedUtf8(name, kMaxNameBytes - std::min(extension.size(), kMaxNameBytes / 2));
    while (!name.empty() && (name.back() == ' ' || name.back() == '.'))
        name.pop_back();
    if (name.empty() || isReservedOnWindows(name))
        name.insert(name.begin(), '_');
    return name + std::string(extension);
}

} // namespace loquor::platform
