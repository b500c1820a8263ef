// main() of test programs that need no window; programs with windows bring their own.
#include <QCoreApplication>

#include "tests/support/test_main.h"

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    return loquor::test::runRegistered(argc, argv);
}
