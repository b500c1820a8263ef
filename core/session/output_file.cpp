#include "core/session/output_file.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "core/base/random.h"
#include "core/media/label_check.h"
#include "core/platform/atomic_file.h"
#include "core/platform/hash.h"
#include "core/platform/paths.h"
#include "core/session/file_names.h"

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

fs::path captionFileFor(Captions captions, fs::path output, const fs::path& wanted)
{
    return wanted.empty() ? output.replace_extension(captions == Captions::Srt ? ".srt" : ".vtt") : wanted;
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

Result<void> checkCaptions(const RenderRequest& request)
{
    if (request.captions == Captions::None)
        return {};
    if (request.captions == Captions::Track && request.output.empty())
        return fail(ErrorCode::InvalidArgument, "Captions in the video need a video file.");
    if (isBlank(request.speech.text))
        return fail(ErrorCode::InvalidArgument, "Captions need the words: say what the recording says with its text.");
    if (!hasCaptionFile(request.captions))
        return {};
    const fs::path file = captionFile(request);
    if (file.lexically_normal() == request.output.lexically_normal() || file.lexically_normal() == request.timingOut.lexically_normal())
        return fail(ErrorCode::InvalidArgument, "The captions have the same name as another output.");
    return checkOutput(file, request, "caption file");
}

} // namespace

Result<void> checkRequest(const RenderRequest& request)
{
    if (request.reference.empty())
        return fail(ErrorCode::InvalidArgument, "No reference was given. Choose a photo of a person.");
    LQ_CHECKED(platform::openForReading(request.reference));
    LQ_CHECKED(refuseText(request.reference, "a photo or clip"));
    if (const std::string& file = request.settings.background; !file.empty() && file[0] != '#') {
        LQ_CHECKED(platform::openForReading(file));
        LQ_CHECKED(refuseText(file, "a picture for the background"));
    }
    if (!request.speech.audioFile.empty()) {
        LQ_CHECKED(platform::openForReading(request.speech.audioFile));
        LQ_CHECKED(refuseText(request.speech.audioFile, "a recording"));
    } else if (isBlank(request.speech.text)) {
        return fail(ErrorCode::EmptyInput, "There is nothing to say: the text is empty.");
    }
    if (!request.output.empty()) {
        LQ_CHECKED(checkVideoName(request.output));
        LQ_CHECKED(checkOutput(request.output, request, "output file"));
    }
    if (request.label.isShown())
        LQ_CHECKED(media::checkLabel(request.label, request.settings.width, request.settings.height));
    LQ_CHECKED(checkCaptions(request));
    if (!request.timingOut.empty()) {
        LQ_CHECKED(checkDataName(request.timingOut, "timing"));
        LQ_CHECKED(checkOutput(request.timingOut, request, "timing file"));
        if (request.timingOut.lexically_normal() == request.output.lexically_normal())
            return fail(ErrorCode::InvalidArgument, "The video and the timing file have the same name.");
    }
    return {};
}

namespace {

// The pictures are scaled as they are: a size of another shape would stretch the person. One pixel more or less on
// each side is rounding to even numbers.
Result<void> checkShape(const ExportRequest& request)
{
    const long long width = request.width, height = request.height;
    const long long ownWidth = request.document.output.width, ownHeight = request.document.output.height;
    if (width <= 0 || height <= 0 || ownWidth <= 0 || ownHeight <= 0 ||
        std::abs(width * ownHeight - height * ownWidth) <= ownWidth + ownHeight)
        return {};
    const auto text = [](long long w, long long h) { return std::to_string(w) + "x" + std::to_string(h); };
    const auto even = [](long long value, long long times, long long by) {
        return std::max(2LL, 2 * ((value * times + by) / (2 * by)));
    };
    return fail(ErrorCode::InvalidArgument,
                "The size " + text(width, height) + " has another shape than the project (" + text(ownWidth, ownHeight) +
                    ") and would stretch the person. Sizes that fit: " + text(width, even(width, ownHeight, ownWidth)) +
                    " or " + text(even(height, ownWidth, ownHeight), height) +
                    ". A video of another shape needs a project of that size (project new --size " + text(width, height) +
                    ").");
}

} // namespace

Result<void> checkExport(const ExportRequest& request)
{
    if (request.output.empty())
        return fail(ErrorCode::InvalidArgument, "No name was given for the video.");
    std::vector<std::filesystem::path> inputs;
    for (const project::Scene& scene : request.document.scenes) {
        inputs.push_back(scene.reference.file);
        if (!scene.speech.audioFile.empty())
            inputs.push_back(scene.speech.audioFile);
        for (const project::Line& line : scene.lines) {
            if (line.recording)
                inputs.push_back(line.recording->file);
        }
    }
    LQ_CHECKED(checkVideoName(request.output));
    LQ_CHECKED(checkShape(request));
    LQ_CHECKED(platform::refuseInputAsOutput(request.output, inputs));
    if (request.label.isShown())
        LQ_CHECKED(media::checkLabel(request.label, request.width > 0 ? request.width : request.document.output.width,
                                     request.height > 0 ? request.height : request.document.output.height));
    const auto ifExists = request.overwrite ? platform::IfExists::Replace : platform::IfExists::Refuse;
    LQ_CHECKED(platform::checkWritable(request.output, ifExists));
    if (hasCaptionFile(request.captions)) {
        LQ_CHECKED(platform::refuseInputAsOutput(captionFile(request), inputs));
        LQ_CHECKED(platform::checkWritable(captionFile(request), ifExists));
    }
    if (!request.trace.empty()) {
        LQ_CHECKED(checkDataName(request.trace, "trace"));
        LQ_CHECKED(platform::refuseInputAsOutput(request.trace, inputs));
        LQ_CHECKED(platform::checkWritable(request.trace, platform::IfExists::Replace));
    }
    return {};
}

bool hasCaptionFile(Captions captions)
{
    return captions == Captions::Srt || captions == Captions::Vtt || captions == Captions::VttWords;
}

std::filesystem::path captionFile(const ExportRequest& request)
{
    return captionFileFor(request.captions, request.output, request.captionFile);
}

std::filesystem::path captionFile(const RenderRequest& request)
{
    return captionFileFor(request.captions, request.output, request.captionFile);
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
        if (!request.speech.import.isPlain())
            seed = mixSeed(seed, media::importKey(request.speech.import));
    }
    return seed;
}

} // namespace loquor::session
