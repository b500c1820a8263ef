#include "core/platform/nameless_file.h"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/platform/paths.h"

namespace loquor::platform {

Result<FileDescriptor> makeNamelessFile(const std::filesystem::path& folder)
{
    LQ_CHECKED(makeFolder(folder));
    int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return FileDescriptor(fd);
    // Not every file system knows O_TMPFILE.
    std::string name = (folder / "nameless-XXXXXX").string();
    fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0)
        return fail(errorFromErrno(errno, "Making a temporary file in " + quotedPath(folder)));
    ::unlink(name.c_str());
    return FileDescriptor(fd);
}

} // namespace loquor::platform
