#include "core/modules/wan/text_tokens.h"

#include <algorithm>

#include <sentencepiece_processor.h>

#include "core/modules/wan/prompt_text.h"
#include "core/platform/atomic_file.h"
#include "core/platform/paths.h"

namespace loquor::modules {

namespace {

constexpr std::uintmax_t kLargestModel = 64u << 20; // UMT5's has 4 MB

} // namespace

struct TextTokenizer::Impl
{
    sentencepiece::SentencePieceProcessor processor;
};

TextTokenizer::TextTokenizer() : m(std::make_unique<Impl>()) {}
TextTokenizer::~TextTokenizer() = default;

Result<std::shared_ptr<const TextTokenizer>> TextTokenizer::open(const std::filesystem::path& model)
{
    std::error_code error;
    const auto size = std::filesystem::file_size(model, error);
    if (error)
        return fail(ErrorCode::NotFound, "The text model " + platform::quotedPath(model) + " is not there: the spiece.model of UMT5 is expected.");
    std::shared_ptr<TextTokenizer> out(new TextTokenizer);
    std::string bytes;
    if (size <= kLargestModel) {
        LQ_TRY(bytes, platform::readTextFile(model));
    }
    const auto status = bytes.empty() ? sentencepiece::util::Status(sentencepiece::util::StatusCode::kDataLoss, "its size is not that of a model")
                                      : out->m->processor.LoadFromSerializedProto(bytes);
    const bool usable = status.ok() && out->m->processor.eos_id() >= 0 && out->m->processor.GetPieceSize() > 0;
    if (!usable)
        return fail(ErrorCode::Corrupt, "The text model " + platform::quotedPath(model) + " is no SentencePiece model of UMT5" +
                                            (status.ok() ? ": it has no end of text." : std::string(": ") + status.message() + '.'));
    return out;
}

TextTokenizer::Tokens TextTokenizer::encode(std::string_view text, std::size_t length) const
{
    std::vector<int> pieces;
    const std::string clean = cleanPrompt(text);
    // Fails for models that are not loaded only.
    if (!m->processor.Encode(clean, &pieces).ok() || length == 0)
        pieces.clear();
    Tokens out;
    out.ids.assign(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(std::min(pieces.size(), length > 0 ? length - 1 : 0)));
    if (length > 0)
        out.ids.push_back(m->processor.eos_id());
    out.count = out.ids.size();
    out.mask.assign(out.count, 1);
    out.mask.resize(length, 0);
    out.ids.resize(length, std::max(0, m->processor.pad_id()));
    return out;
}

std::int64_t TextTokenizer::vocabulary() const
{
    return m->processor.GetPieceSize();
}

} // namespace loquor::modules
