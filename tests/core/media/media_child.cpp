// Writes a video without end, for the test that kills it.
#include "core/media/mp4_writer.h"
#include "tests/core/media/media_fixtures.h"

#include <cstdio>

using namespace loquor;
using namespace loquor::media;

int main(int argc, char** argv)
{
    if (argc != 2)
        return 2;
    Mp4Options options;
    options.width = 160;
    options.height = 96;
    auto writer = Mp4Writer::create(argv[1], options, platform::IfExists::Refuse);
    for (int i = 0; writer; ++i) {
        if (!writer->addFrame(test::movingPicture(160, 96, i)))
            return 1;
        if (i == 100) {
            std::printf("ready\n");
            std::fflush(stdout);
        }
    }
    return 1;
}
