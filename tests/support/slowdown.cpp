#include "tests/support/slowdown.h"

namespace loquor::test {

double slowdown()
{
    return LOQUOR_TEST_SLOWDOWN;
}

} // namespace loquor::test
