#include "core/platform/child_process.h"
#include "core/platform/memory.h"
#include "tests/support/slowdown.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>

#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

#include <unistd.h>

using namespace loquor;
using namespace loquor::platform;
using namespace std::chrono_literals;

namespace {

ChildOptions shell(const std::string& script)
{
    ChildOptions options;
    options.program = "/bin/sh";
    options.arguments = {"-c", script};
    return options;
}

std::string outputOf(const ChildOptions& options, const std::string& input = {})
{
    const auto out = runProgram(options, input, 20s);
    return out ? out->output : "error: " + out.error().text();
}

bool isAlive(int pid)
{
    return memoryUseOf(pid).has_value();
}

std::string firstLine(const FileDescriptor& fd)
{
    std::string line;
    char c = 0;
    while (::read(fd.get(), &c, 1) == 1 && c != '\n')
        line += c;
    return line;
}

bool endsWithin(int pid, std::chrono::milliseconds time)
{
    const auto deadline = std::chrono::steady_clock::now() + time;
    while (isAlive(pid) && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(10ms);
    return !isAlive(pid);
}

} // namespace

class tst_child_process : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void argumentsArriveUnchanged()
    {
        ChildOptions options;
        options.program = "printf";
        options.arguments = {"<%s>", "a b", "", "it's $HOME `x` \n*", "日本"};
        QCOMPARE(outputOf(options), std::string("<a b><><it's $HOME `x` \n*><日本>"));
    }

    void inputAndBothOutputs()
    {
        // More than a pipe holds, in both directions at once.
        const std::string input(1 << 20, 'x');
        const auto out = runProgram(shell("cat; echo oops >&2; exit 3"), input, 20s);
        QVERIFY(out);
        QCOMPARE(out->output, input);
        QCOMPARE(out->errors, std::string("oops\n"));
        QCOMPARE(out->status.code, 3);
        QCOMPARE(out->status.describe(), std::string("ended with exit code 3"));
    }

    void childThatIgnoresItsInput()
    {
        const auto out = runProgram(shell("exit 0"), std::string(1 << 20, 'x'), 20s);
        QVERIFY(out);
        QVERIFY(out->status.isSuccess());
    }

    void missingProgramIsSaid()
    {
        ChildOptions options;
        options.program = "loquor-no-such-program";
        const auto byName = ChildProcess::start(options);
        QVERIFY(!byName);
        QCOMPARE(byName.error().code(), ErrorCode::NotFound);
        options.program = "/no/such/program";
        const auto byPath = ChildProcess::start(options);
        QVERIFY(!byPath);
        QCOMPARE(byPath.error().code(), ErrorCode::NotFound);
        options.program = "/etc/passwd";
        const auto notExecutable = ChildProcess::start(options);
        QVERIFY(!notExecutable);
        QCOMPARE(notExecutable.error().code(), ErrorCode::PermissionDenied);
    }

    void case_164_signalsBecomeWords()
    {
        auto child = ChildProcess::start(shell("kill -SEGV $$"));
        QVERIFY(child);
        const ExitStatus crash = child->wait();
        QCOMPARE(crash.signal, SIGSEGV);
        QCOMPARE(crash.describe(), std::string("crashed (SIGSEGV)"));
        ExitStatus size;
        size.signal = SIGXFSZ;
        QVERIFY(QString::fromStdString(size.describe()).contains("limit for the size of a file"));
        ExitStatus memory;
        memory.signal = SIGKILL;
        QVERIFY(QString::fromStdString(memory.describe()).contains("memory ran out"));
    }

    void timeoutKills()
    {
        QElapsedTimer clock;
        clock.start();
        const auto out = runProgram(shell("sleep 60"), {}, 200ms);
        QVERIFY(!out);
        QCOMPARE(out.error().code(), ErrorCode::Timeout);
        QVERIFY(static_cast<double>(clock.elapsed()) < 5000 * test::slowdown());
    }

    void cancelKills()
    {
        CancelSource source;
        std::thread later([&] {
            std::this_thread::sleep_for(100ms);
            source.cancel();
        });
        QElapsedTimer clock;
        clock.start();
        const auto out = runProgram(shell("sleep 60"), {}, 60s, source.token());
        later.join();
        QVERIFY(!out && out.error().isCancelled());
        QVERIFY(static_cast<double>(clock.elapsed()) < 5000 * test::slowdown());
    }

    void waitForEndsAtCancel()
    {
        auto child = ChildProcess::start(shell("sleep 60"));
        QVERIFY(child);
        CancelSource source;
        std::thread later([&] {
            std::this_thread::sleep_for(50ms);
            source.cancel();
        });
        QElapsedTimer clock;
        clock.start();
        QVERIFY(!child->waitFor(30s, source.token()));
        later.join();
        QVERIFY(static_cast<double>(clock.elapsed()) < 5000 * test::slowdown());
        QVERIFY(child->isRunning());
        QCOMPARE(child->stop(5s).signal, SIGTERM);
        QVERIFY(!child->isRunning());
    }

    void grandchildrenDieToo()
    {
        ChildOptions options = shell("sleep 60 & echo $!; wait");
        options.standardOutput = Stream::Pipe;
        int grandchild = 0;
        {
            auto child = ChildProcess::start(options);
            QVERIFY(child);
            const FileDescriptor out = child->takeOutput();
            grandchild = std::atoi(firstLine(out).c_str());
            QVERIFY(grandchild > 1 && isAlive(grandchild));
        }
        QVERIFY(endsWithin(grandchild, 5s));
    }

    void stubbornChildIsForced()
    {
        ChildOptions options = shell("trap '' TERM; echo ready; while :; do sleep 1; done");
        options.standardOutput = Stream::Pipe;
        auto child = ChildProcess::start(options);
        QVERIFY(child);
        const FileDescriptor out = child->takeOutput();
        QCOMPARE(firstLine(out), std::string("ready"));
        QCOMPARE(child->stop(100ms).signal, SIGKILL);
    }

    void diesWithItsParent()
    {
        // The thread that started the grandchild has ended before: that must not matter.
        ChildOptions options;
        options.program = std::string(LOQUOR_BIN_DIR) + "/platform_child";
        options.arguments = {"hold-child"};
        options.standardOutput = Stream::Pipe;
        auto parent = ChildProcess::start(options);
        QVERIFY(parent);
        const int grandchild = std::atoi(firstLine(parent->takeOutput()).c_str());
        QVERIFY(grandchild > 1 && isAlive(grandchild));
        // Only the parent: the grandchild leads a group of its own.
        ::kill(parent->pid(), SIGKILL);
        QVERIFY(endsWithin(grandchild, 5s));
    }

    void environmentAndFolder()
    {
        ::setenv("LOQUOR_TEST_A", "ours", 1);
        ::setenv("LD_LIBRARY_PATH", "/bundle/lib", 1);
        ChildOptions options =
            shell("echo \"$LOQUOR_TEST_A|$LOQUOR_TEST_B|$LD_LIBRARY_PATH|$PWD\"");
        options.setEnvironment["LOQUOR_TEST_B"] = "new";
        options.workingFolder = "/";
        QCOMPARE(outputOf(options), std::string("ours|new|/bundle/lib|/\n"));
        options.unsetEnvironment = {"LOQUOR_TEST_A"};
        QCOMPARE(outputOf(options), std::string("|new|/bundle/lib|/\n"));
        ::unsetenv("LD_LIBRARY_PATH");
        ::unsetenv("LOQUOR_TEST_A");
    }

    // 151: what a bundle (AppImage) sets for itself breaks programs of the system: "show in folder" and others.
    void case_151_programs_of_the_system_get_a_clean_environment()
    {
        for (const char* name : {"LD_LIBRARY_PATH", "QT_PLUGIN_PATH", "APPIMAGE"})
            ::setenv(name, "/bundle", 1);
        ChildOptions options = shell("echo \"$LD_LIBRARY_PATH|$QT_PLUGIN_PATH|$APPIMAGE|${PATH:+path}\"");
        QCOMPARE(outputOf(options), std::string("/bundle|/bundle|/bundle|path\n"));
        options.forForeignProgram = true;
        QCOMPARE(outputOf(options), std::string("|||path\n"));
        for (const char* name : {"LD_LIBRARY_PATH", "QT_PLUGIN_PATH", "APPIMAGE"})
            ::unsetenv(name);
    }

    void onlyNamedDescriptorsAreInherited()
    {
        int leaked[2]; // on purpose without close-on-exec
        int wanted[2];
        QCOMPARE(::pipe(leaked), 0);
        QCOMPARE(::pipe(wanted), 0);
        ChildOptions options = shell("echo hi >&7; ls /proc/self/fd | wc -l");
        options.descriptors = {{wanted[1], 7}};
        options.standardOutput = Stream::Pipe;
        const std::string count = outputOf(options);
        ::close(wanted[1]);
        char text[8] = {};
        QCOMPARE(::read(wanted[0], text, sizeof text), ssize_t(3));
        // 0, 1, 2, 7 and the one with which ls reads the folder.
        QCOMPARE(std::atoi(count.c_str()), 5);
        for (const int fd : {leaked[0], leaked[1], wanted[0]})
            ::close(fd);
    }

    void niceLevel()
    {
        ChildOptions options = shell("nice");
        const int ours = std::atoi(outputOf(options).c_str());
        options.nice = 5;
        QCOMPARE(std::atoi(outputOf(options).c_str()), std::min(ours + 5, 19));
    }

    void manyFromManyThreads()
    {
        std::vector<std::thread> threads;
        std::atomic<int> good{0};
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                for (int i = 0; i < 5; ++i) {
                    const std::string word = std::to_string(t * 100 + i);
                    if (outputOf(shell("cat"), word) == word)
                        ++good;
                }
            });
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(good.load(), 20);
    }
};

LOQUOR_TEST(tst_child_process)
#include "tst_child_process.moc"
