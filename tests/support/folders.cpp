#include "tests/support/folders.h"

namespace loquor::test {

const char* dataFolder()
{
    return LOQUOR_TEST_DATA_PATH;
}

const char* sourceFolder()
{
    return LOQUOR_SOURCE_PATH;
}

const char* binFolder()
{
    return LOQUOR_BIN_PATH;
}

const char* depsFolder()
{
    return LOQUOR_DEPS_PATH;
}

} // namespace loquor::test
