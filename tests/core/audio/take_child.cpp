// Records without end, for the test that kills it.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "core/audio/recorder.h"
#include "tests/core/audio/fake_backend.h"

using namespace loquor;

int main(int argc, char** argv)
{
    if (argc != 2)
        return 2;
    test::FakeDevice device;
    device.channels = 2;
    test::FakeBackend backend(device);
    audio::Recorder recorder(backend);
    audio::TakeRequest request;
    request.file = argv[1];
    recorder.record(request);
    std::vector<float> block(960);
    bool told = false;
    for (long frame = 0;;) {
        for (std::size_t i = 0; i < block.size(); i += 2, ++frame)
            block[i] = block[i + 1] = static_cast<float>(.5 * std::sin(static_cast<double>(frame) * .05));
        while (!device.push(block))
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (!told && recorder.state().seconds > 2) {
            told = true;
            std::printf("ready\n");
            std::fflush(stdout);
        }
    }
}
