#include "core/gpu/gpu_plugin.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>

using namespace loquor;
using namespace loquor::gpu;

class tst_gpu_plugin : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Case 121: nothing may depend on CUDA where there is none.
    void case_121_missingPluginIsSaid()
    {
        const auto plugin = GpuPlugin::load("/nowhere/loquor_cuda.so");
        QVERIFY(!plugin);
        QCOMPARE(plugin.error().code(), ErrorCode::NotFound);
    }
    void brokenPluginIsRefused()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath("loquor_cuda.so"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("not a library");
        file.close();
        const auto plugin = GpuPlugin::load(file.fileName().toStdString());
        QVERIFY(!plugin);
        QCOMPARE(plugin.error().code(), ErrorCode::Unreadable);
    }
    void foreignLibraryIsRefused()
    {
        const auto plugin = GpuPlugin::load("/lib/x86_64-linux-gnu/libm.so.6");
        QVERIFY(!plugin);
        QCOMPARE(plugin.error().code(), ErrorCode::Unsupported);
    }
    // Where the preset built the plug-in: it loads, and without a GPU it lists none or says why.
    void builtPluginLoads()
    {
        const std::filesystem::path file = std::filesystem::path(LOQUOR_BIN_DIR) / ".." / "lib" / "loquor_cuda.so";
        if (!std::filesystem::exists(file)) {
            QVERIFY(!GpuPlugin::load(file)); // the default build has none, and says so
            return;
        }
        const auto plugin = GpuPlugin::load(file);
        QVERIFY2(plugin.has_value(), plugin ? "" : plugin.error().text().c_str());
        const auto devices = (*plugin)->devices();
        if (devices) {
            for (const GpuDevice& device : *devices)
                QVERIFY2(device.selfTestPassed, device.name.c_str());
        } else {
            QVERIFY(!devices.error().message().empty());
        }
    }
};

LOQUOR_TEST(tst_gpu_plugin)
#include "tst_gpu_plugin.moc"
