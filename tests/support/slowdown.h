// Limits of time in tests: they are of a plain build, and sanitizers slow a program down.
#pragma once

namespace loquor::test {

// By how much this build may be slower than a plain one (LOQUOR_TEST_TIMEOUT_SCALE).
double slowdown();

} // namespace loquor::test
