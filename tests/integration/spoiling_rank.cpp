// The engine process with pictures that go wrong: the file "spoil" beside it names what and in which chunk of a
// line ("black 1": the second one), once; it is removed by the process that does it.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "app/rank/program.h"
#include "core/platform/paths.h"
#include "tests/core/stages/spoiler.h"

using namespace loquor;
using test::Planted;

int main(int argc, char** argv)
{
    const std::map<std::string, Planted> kinds{
        {"black", Planted::Black}, {"frozen", Planted::Frozen}, {"colour", Planted::Colour}, {"nan", Planted::NoNumber}};
    const auto file = platform::programFolder() / "spoil";
    std::string kind;
    int chunk = 0;
    std::ifstream(file) >> kind >> chunk;
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    std::shared_ptr<stages::FrameStage> spoiler;
    if (const auto found = kinds.find(kind); found != kinds.end())
        spoiler = std::make_shared<test::Spoiler>(found->second, 0, chunk, 1);
    return rank::runProgram(argc, argv, std::move(spoiler));
}
