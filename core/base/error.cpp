#include "core/base/error.h"

#include <cerrno>
#include <cstring>

namespace loquor {

const char* toString(ErrorCode code)
{
    switch (code) {
    case ErrorCode::None: return "none";
    case ErrorCode::Cancelled: return "cancelled";
    case ErrorCode::InvalidArgument: return "invalid-argument";
    case ErrorCode::NotFound: return "not-found";
    case ErrorCode::Unreadable: return "unreadable";
    case ErrorCode::Unsupported: return "unsupported";
    case ErrorCode::NoFace: return "no-face";
    case ErrorCode::SeveralFaces: return "several-faces";
    case ErrorCode::EmptyInput: return "empty-input";
    case ErrorCode::AlreadyExists: return "already-exists";
    case ErrorCode::PermissionDenied: return "permission-denied";
    case ErrorCode::DiskFull: return "disk-full";
    case ErrorCode::OutOfMemory: return "out-of-memory";
    case ErrorCode::Timeout: return "timeout";
    case ErrorCode::ConnectionLost: return "connection-lost";
    case ErrorCode::Corrupt: return "corrupt";
    case ErrorCode::Internal: return "internal";
    }
    return "unknown";
}

Error::Error(ErrorCode code, std::string message, std::source_location where)
    : m_code(code), m_message(std::move(message)), m_where(where)
{
}

Error& Error::addContext(std::string what) &
{
    m_context.push_back(std::move(what));
    return *this;
}

Error Error::addContext(std::string what) &&
{
    m_context.push_back(std::move(what));
    return std::move(*this);
}

std::string Error::text() const
{
    std::string out = m_message;
    for (size_t i = 0; i < m_context.size(); ++i)
        out += (i == 0 ? " (while " : "; ") + m_context[i];
    if (!m_context.empty())
        out += ')';
    return out;
}

std::string Error::logText() const
{
    std::string file = m_where.file_name();
    if (const auto slash = file.rfind('/'); slash != std::string::npos)
        file.erase(0, slash + 1);
    return std::string("[") + toString(m_code) + "] " + text() + " at " + file + ':' +
           std::to_string(m_where.line());
}

tl::unexpected<Error> fail(ErrorCode code, std::string message, std::source_location where)
{
    return tl::unexpected<Error>(Error(code, std::move(message), where));
}

tl::unexpected<Error> fail(Error error)
{
    return tl::unexpected<Error>(std::move(error));
}

tl::unexpected<Error> cancelled(std::source_location where)
{
    return fail(ErrorCode::Cancelled, "Cancelled.", where);
}

Error errorFromErrno(int errnum, const std::string& what, std::source_location where)
{
    ErrorCode code = ErrorCode::Unreadable;
    switch (errnum) {
    case ENOENT:
    case ENOTDIR: code = ErrorCode::NotFound; break;
    case EACCES:
    case EPERM:
    case EROFS: code = ErrorCode::PermissionDenied; break;
    case ENOSPC:
    case EDQUOT:
    case EFBIG: code = ErrorCode::DiskFull; break;
    case ENOMEM: code = ErrorCode::OutOfMemory; break;
    case EEXIST: code = ErrorCode::AlreadyExists; break;
    case ETIMEDOUT: code = ErrorCode::Timeout; break;
    case EPIPE:
    case ECONNRESET: code = ErrorCode::ConnectionLost; break;
    case EINVAL:
    case ENAMETOOLONG: code = ErrorCode::InvalidArgument; break;
    default: break;
    }
    // Wherever it is met, people read what to do about it.
    const char* advice = code == ErrorCode::DiskFull ? ". Free some space on that disk, or choose another one." : "";
    return Error(code, what + ": " + std::strerror(errnum) + advice, where);
}

} // namespace loquor
