// How sound and pictures lie beside each other in a file.
#pragma once

#include <filesystem>

namespace loquor::test {

// How far pictures and sound are apart where they lie beside each other: the largest difference of the latest
// times (seconds) while the packets are walked through in the order of their bytes. 1e9 when there are not
// two streams.
double worstInterleaving(const std::filesystem::path& file);

} // namespace loquor::test
