// Holds a project as a program does that has it open: project_holder PROJECT LOCKS AUTOSAVES TEXT
// Says "held" or "busy"; with a text also stores two autosaves of it. Then waits to be killed.
#include <cstdio>

#include <unistd.h>

#include "core/project/autosave.h"
#include "core/project/project_file.h"
#include "core/project/project_lock.h"
#include "core/project/script_text.h"

using namespace loquor::project;

int main(int argc, char** argv)
{
    if (argc < 5)
        return 2;
    LockOptions options;
    options.program = "holder";
    options.sharedFolder = argv[2];
    const auto locked = lockProject(argv[1], options);
    if (!locked || !locked->lock) {
        std::puts("busy");
        std::fflush(stdout);
        return 1;
    }
    auto autosave = Autosave::open(argv[1], argv[3]);
    const auto loaded = loadProject(argv[1]);
    if (argv[4][0] != '\0' && autosave && loaded) {
        Document document = loaded->document;
        for (const char* more : {"", " More."}) {
            if (!setScriptText(document.scenes[0], std::string(argv[4]) + more, randomIds()) ||
                !autosave->store(document, loaded->fingerprint))
                return 3;
        }
    }
    std::puts("held");
    std::fflush(stdout);
    for (;;)
        ::pause();
}
