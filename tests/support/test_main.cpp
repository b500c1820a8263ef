#include "tests/support/test_main.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace loquor::test {

namespace {

std::map<std::string, Factory>& registry()
{
    static std::map<std::string, Factory> instance;
    return instance;
}

} // namespace

Registration::Registration(const char* name, Factory factory)
{
    registry()[name] = factory;
}

// program [--class NAME] [Qt Test options]; without --class all classes run.
int runRegistered(int argc, char** argv)
{
    std::string wanted;
    std::vector<char*> rest{argv[0]};
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--class") == 0 && i + 1 < argc)
            wanted = argv[++i];
        else
            rest.push_back(argv[i]);
    }
    const int count = static_cast<int>(rest.size());
    rest.push_back(nullptr);
    int failures = 0;
    int ran = 0;
    for (const auto& [name, factory] : registry()) {
        if (!wanted.empty() && name != wanted)
            continue;
        ++ran;
        failures += QTest::qExec(factory().get(), count, rest.data());
    }
    if (ran == 0) {
        std::fprintf(stderr, "no test class named '%s' in this program\n", wanted.c_str());
        return 2;
    }
    return failures == 0 ? 0 : 1;
}

} // namespace loquor::test

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
// ALSA unloads its plug-ins, and with them libraries whose names the lists of known reports need: the sanitizers then
// know no name, or stop. Nothing is unloaded in these builds.
extern "C" __attribute__((visibility("default"))) int dlclose(void* /*module*/) noexcept
{
    return 0;
}
#endif
#endif
