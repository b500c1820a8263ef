// Where tests find things. Functions behind macros: the paths are compiled into one file only, so test
// objects do not depend on where the tree lies and the compiler cache serves them to every clone.
#pragma once

namespace loquor::test {

const char* dataFolder();   // tests/data
const char* sourceFolder(); // top of the tree
const char* binFolder();    // built programs
const char* depsFolder();   // deps/ of the set-up folder

} // namespace loquor::test

#define LOQUOR_TEST_DATA ::loquor::test::dataFolder()
#define LOQUOR_SOURCE_DIR ::loquor::test::sourceFolder()
#define LOQUOR_BIN_DIR ::loquor::test::binFolder()
#define LOQUOR_DEPS_DIR ::loquor::test::depsFolder()
