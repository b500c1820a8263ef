// The words of a script as the aligners want them. Internal to this folder.
#pragma once

#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/speech/phoneme_client.h"
#include "core/speech/script.h"
#include "core/speech/sphinx_aligner.h"

namespace loquor::speech {

// Words of the lines [firstLine, endLine), with their pronunciations in the context of their lines.
Result<std::vector<AlignWord>> alignWordsOf(const Script& script, std::size_t firstLine, std::size_t endLine,
                                            PhonemeClient& client, const CancelToken& cancel);

} // namespace loquor::speech
