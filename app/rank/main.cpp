// loquor-rank: one worker process of the engine. Started by the session, never by hand.
#include "app/rank/program.h"

int main(int argc, char** argv)
{
    return loquor::rank::runProgram(argc, argv);
}
