#include "core/session/output_file.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "core/base/random.h"
#include "core/platform/atomic_file.h"
#include "core/platform/hash.h"
#include "core/platform/paths.h"

namespace loquor::session {

namespace fs = std::filesystem;

namespace {

bool isBlank(const std::string& text)
{
    return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// The start of a file and its size stand for the file.
Result<std::string> fingerprint(const fs::path& file)
{
    LQ_TRY(const platform::FileDescriptor fd, platform::openForReading(file));
    std::vector<char> bytes(1u << 20);
    LQ_TRY(const std::size_t got,
           platform::readUpTo(fd.get(), bytes.data(), bytes.size(), "Reading " + platform::quotedPath(file)));
    std::error_code error;
    const auto size = fs::file_size(file, error);
    return platform::sha256(bytes.data(), got) + std::to_string(error ? 0 : size);
}

Result<void> checkOutput(const fs::path& output, const RenderRequest& request, const char* what)
{
    std::vector<fs::path> inputs{request.reference};
    if (!request.speech.audioFile.empty())
        inputs.push_back(request.speech.audioFile);
    if (!request.settings.background.empty() && request.settings.background[0] != '#')
        inputs.emplace_back(request.settings.background);
    LQ_CHECKED(platform::refuseInputAsOutput(output, inputs));
    auto writable = platform::checkWritable(output, request.overwrite ? platform::IfExists::Replace
                                                                      : platform::IfExists::Refuse);
    if (writable)
        return {};
    Error error = std::move(writable).error();
    error.addContext(std::string("checking the ") + what);
    return fail(std::move(error));
}

} // namespace

Result<void> checkRequest(const RenderRequest& request)
{
    if (request.reference.empty())
        return fail(ErrorCode::InvalidArgument, "No reference was given. Choose a photo of a person.");
    LQ_CHECKED(platform::openForReading(request.reference));
    if (!request.speech.audioFile.empty()) {
        LQ_CHECKED(platform::openForReading(request.speech.audioFile));
    } else if (isBlank(request.speech.text)) {
        return fail(ErrorCode::EmptyInput, "There is nothing to say: the text is empty.");
    }
    if (!request.output.empty())
        LQ_CHECKED(checkOutput(request.output, request, "output file"));
    if (!request.timingOut.empty()) {
        LQ_CHECKED(checkOutput(request.timingOut, request, "timing file"));
        if (request.timingOut.lexically_normal() == request.output.lexically_normal())
            return fail(ErrorCode::InvalidArgument, "The video and the timing file have the same name.");
    }
    return {};
}

Result<std::uint64_t> seedOf(const RenderRequest& request)
{
    LQ_TRY(const std::string reference, fingerprint(request.reference));
    std::uint64_t seed = mixSeed(0, reference);
    seed = mixSeed(seed, request.speech.text);
    seed = mixSeed(seed, request.speech.voice);
    if (!request.speech.audioFile.empty()) {
        LQ_TRY(const std::string audio, fingerprint(request.speech.audioFile));
        seed = mixSeed(seed, audio);
    }
    return seed;
}

} // namespace loquor::session
