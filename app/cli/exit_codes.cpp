#include "app/cli/exit_codes.h"

#include <cstdio>

namespace loquor::cli {

ExitCode exitCodeFor(const Error& error)
{
    switch (error.code()) {
    case ErrorCode::None:
    case ErrorCode::Internal: return kFailure;
    case ErrorCode::Cancelled: return kInterrupted;
    case ErrorCode::InvalidArgument: return kUsage;
    case ErrorCode::NotFound:
    case ErrorCode::Unreadable:
    case ErrorCode::Unsupported:
    case ErrorCode::Corrupt: break;
    case ErrorCode::NoFace:
    case ErrorCode::SeveralFaces: return kFace;
    case ErrorCode::EmptyInput: return kNothingToSay;
    case ErrorCode::AlreadyExists:
    case ErrorCode::PermissionDenied:
    case ErrorCode::DiskFull: return kOutput;
    case ErrorCode::OutOfMemory:
    case ErrorCode::Timeout:
    case ErrorCode::ConnectionLost: return kEngine;
    }
    return kInput;
}

int complain(const Error& error)
{
    std::fprintf(stderr, "loquor-cli: %s%s\n", error.text().c_str(),
                 error.code() == ErrorCode::AlreadyExists ? " Use --overwrite to replace it." : "");
    return exitCodeFor(error);
}

} // namespace loquor::cli
