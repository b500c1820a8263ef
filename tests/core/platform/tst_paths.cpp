#include "core/platform/paths.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <cstdlib>

using namespace loquor;
using namespace loquor::platform;
namespace fs = std::filesystem;

namespace {

// Sets or removes a variable and puts the old value back.
class Variable
{
public:
    Variable(const char* name, const char* value) : m_name(name)
    {
        if (const char* old = std::getenv(name))
            m_old = old;
        set(value);
    }
    ~Variable() { set(m_old ? m_old->c_str() : nullptr); }

private:
    void set(const char* value)
    {
        if (value != nullptr)
            ::setenv(m_name, value, 1);
        else
            ::unsetenv(m_name);
    }
    const char* m_name;
    std::optional<std::string> m_old;
};

} // namespace

class tst_paths : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void dataFolderFollowsXdg()
    {
        const Variable home("HOME", "/users/ada");
        Variable own("LOQUOR_DATA_DIR", nullptr);
        {
            const Variable xdg("XDG_DATA_HOME", nullptr);
            QCOMPARE(dataFolder(), fs::path("/users/ada/.local/share/loquor"));
        }
        {
            const Variable xdg("XDG_DATA_HOME", "/data");
            QCOMPARE(dataFolder(), fs::path("/data/loquor"));
            const Variable mine("LOQUOR_DATA_DIR", "/mine");
            QCOMPARE(dataFolder(), fs::path("/mine"));
        }
        {
            // "All paths must be absolute. If a relative path is found, it is to be ignored."
            const Variable xdg("XDG_DATA_HOME", "relative");
            QCOMPARE(dataFolder(), fs::path("/users/ada/.local/share/loquor"));
        }
    }

    void cacheAndConfigFollowXdg()
    {
        const Variable home("HOME", "/users/ada");
        const Variable cacheOwn("LOQUOR_CACHE_DIR", nullptr);
        const Variable configOwn("LOQUOR_CONFIG_DIR", nullptr);
        const Variable cache("XDG_CACHE_HOME", nullptr);
        const Variable config("XDG_CONFIG_HOME", "/etc/ada");
        QCOMPARE(cacheFolder(), fs::path("/users/ada/.cache/loquor"));
        QCOMPARE(configFolder(), fs::path("/etc/ada/loquor"));
    }

    void homeWithoutVariable()
    {
        const Variable home("HOME", nullptr);
        QVERIFY(homeFolder().is_absolute());
    }

    void programFolderHoldsThisProgram()
    {
        QVERIFY(fs::exists(programFolder() /
                           QCoreApplication::applicationFilePath().section('/', -1).toStdString()));
    }

    void makesFolders()
    {
        QTemporaryDir dir;
        const fs::path deep = fs::path(dir.path().toStdString()) / "a" / "b" / "c";
        QVERIFY(makeFolder(deep));
        QVERIFY(makeFolder(deep));
        QVERIFY(fs::is_directory(deep));
        const auto refused = makeFolder("/sys/loquor");
        QVERIFY(!refused);
        QVERIFY(QString::fromStdString(refused.error().text()).contains("/sys/loquor"));
    }

    void pathsInMessagesStayOnOneLine()
    {
        QCOMPARE(quotedPath("a\nb.mp4"), std::string("'a\\nb.mp4'"));
        QCOMPARE(quotedPath("Grüße 🎬.mp4"), std::string("'Grüße 🎬.mp4'"));
        QCOMPARE(quotedPath("\x1b[2Jx"), std::string("'\\x1b[2Jx'"));
        QCOMPARE(quotedPath("bad\xff\xc3"), std::string("'bad\\xff\\xc3'"));
        QCOMPARE(quotedPath("c1\xc2\x9b!"), std::string("'c1\\xc2\\x9b!'"));
    }

    void case_146_namesFromTextAreLimitedInBytes()
    {
        std::string text;
        for (int i = 0; i < 100; ++i)
            text += "語";
        const std::string name = safeFileName(text, ".mp4");
        QVERIFY(name.size() <= kMaxNameBytes);
        QCOMPARE(name.size(), std::size_t(83 * 3 + 4));
        QVERIFY(QString::fromStdString(name).endsWith(QString::fromUtf8("語.mp4")));
    }

    void case_149_namesForEveryFileSystem()
    {
        QCOMPARE(safeFileName("12:30 a/b\\c?\n", ".mp4"), std::string("12_30 a_b_c__.mp4"));
        QCOMPARE(safeFileName("", ".mp4"), std::string("_.mp4"));
        QCOMPARE(safeFileName("..", ".mp4"), std::string("_.mp4"));
        QCOMPARE(safeFileName(".hidden", ""), std::string("hidden"));
        QCOMPARE(safeFileName("con", ".mp4"), std::string("_con.mp4"));
        QCOMPARE(safeFileName("COM1.x", ""), std::string("_COM1.x"));
        QCOMPARE(safeFileName("end. ", ""), std::string("end"));
        QCOMPARE(safeFileName("\xff", ""), std::string("_"));
    }

    void truncationKeepsCharactersWhole()
    {
        QCOMPARE(truncatedUtf8("aé", 2), std::string("a"));
        QCOMPARE(truncatedUtf8("aé", 3), std::string("aé"));
        QCOMPARE(truncatedUtf8("🎬", 3), std::string(""));
    }
};

LOQUOR_TEST(tst_paths)
#include "tst_paths.moc"
