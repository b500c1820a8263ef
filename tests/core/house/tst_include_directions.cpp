// The house rules of core/DESIGN.md as a test: which folder may include which, and where third-party
// headers may appear.
#include "tests/support/test_main.h"

#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QSet>

namespace {

// Folder -> folders it may include besides itself and core/base.
QMap<QString, QStringList> allowedFolders()
{
    return {
        {"core/base", {}},
        {"core/platform", {}},
        {"core/gpu", {}},
        {"core/media", {"core/platform"}},
        {"core/audio", {"core/platform", "core/media"}},
        {"core/speech", {"core/platform", "core/media"}},
        {"core/project", {"core/media", "core/speech", "core/platform"}},
        {"core/pipeline", {"core/media", "core/platform"}},
        {"core/cache", {"core/platform", "core/pipeline"}},
        {"core/comm", {"core/platform", "core/media", "core/speech", "core/pipeline"}},
        {"core/weights", {"core/platform"}},
        {"core/modules", {"core/weights", "core/media", "core/platform"}},
        {"core/portrait", {"core/media"}},
        {"core/stages",
         {"core/pipeline", "core/modules", "core/portrait", "core/weights", "core/media", "core/speech", "core/platform"}},
        {"core/packs", {"core/pipeline", "core/platform", "core/stages", "core/media", "core/weights", "core/modules"}},
        {"core/evaluate", {"core/media", "core/modules", "core/speech", "core/platform"}},
        {"core/session",
         {"core/project", "core/speech", "core/audio", "core/media", "core/pipeline", "core/packs", "core/comm", "core/cache", "core/platform"}},
        {"ui", {"core/session", "core/project", "core/audio", "core/media", "core/speech", "ui"}},
        {"app/studio", {"core/session", "core/project", "core/audio", "core/platform", "ui"}},
        {"app/rank",
         {"core/gpu", "core/stages", "core/packs", "core/comm", "core/pipeline", "core/platform", "core/media", "core/speech", "core/modules", "core/portrait"}},
        {"app/cli", {"core/audio", "core/weights", "core/gpu", "core/session", "core/project", "core/packs", "core/platform", "core/speech", "core/media", "core/comm", "core/pipeline", "core/portrait"}},
        {"app/evaluate", {"core/evaluate", "core/platform", "core/media", "core/speech"}},
        {"app/parity", {"core/modules", "core/weights", "core/platform"}},
        {"app/phonemes", {}},
        {"app/transcribe", {}},
    };
}

struct ThirdParty
{
    const char* name;
    QRegularExpression header;
    QStringList folders; // where it may be included
};

QList<ThirdParty> thirdParties()
{
    const auto re = [](const char* pattern) { return QRegularExpression(pattern); };
    return {
        {"hwloc", re("^hwloc"), {"core/platform"}},
        {"FFmpeg", re("^lib(av|sw)"), {"core/media"}},
        {"fontconfig", re("^fontconfig/"), {"core/media"}},
        {"libass", re("^ass/"), {"core/media"}},
        {"lcms2", re("^lcms2"), {"core/media"}},
        {"image codecs", re("^(jpeglib|png|tiffio|tiff|webp/)"), {"core/media"}},
        {"PortAudio", re("^portaudio"), {"core/audio"}},
        {"ebur128", re("^ebur128"), {"core/audio", "core/media", "core/speech"}},
        {"sherpa-onnx", re("^sherpa-onnx"), {"core/speech"}},
        {"PocketSphinx", re("^pocketsphinx"), {"core/speech"}},
        {"ICU", re("^unicode/"), {"core/speech", "core/modules"}},
        {"expat", re("^expat"), {"core/speech"}},
        {"SentencePiece", re("^sentencepiece"), {"core/modules"}},
        {"libzip", re("^zip\\.h$"), {"core/weights"}},
        {"espeak-ng", re("^espeak"), {"app/phonemes"}},
        {"whisper.cpp", re("^(whisper|ggml)"), {"app/transcribe"}},
        {"CUDA", re("^cuda"), {"core/gpu"}},
        {"LibTorch", re("^(ATen|torch|c10|caffe2)/"), {"core/weights", "core/modules", "core/comm", "core/stages", "app/parity"}},
        {"Eigen", re("^Eigen/"), {"core/portrait"}},
        {"OpenCV", re("^opencv2/"), {"core/portrait", "core/evaluate", "app/evaluate"}},
        {"Qhull", re("^libqhull"), {"core/portrait"}},
        {"dlib", re("^dlib/"), {"core/evaluate"}},
        // clang-format off
        {"nlohmann-json", re("^nlohmann/"), {"core/base"}}, // core/base/json.h reads numbers exactly
        {"JSON", re("^core/base/json.h"),
         {"core/project", "core/packs", "core/speech", "core/comm", "core/session", "core/weights", "core/modules", "core/evaluate", "core/stages", "core/cache", "core/audio", "app"}},
        // clang-format on
        {"SQLite", re("^sqlite3"), {"core/cache"}},
        {"CLI11", re("^CLI/"), {"app/cli", "app/evaluate", "app/parity"}},
        {"Qt", re("^Q[A-Z]"), {"ui", "app/studio"}},
    };
}

QString folderOf(const QString& relative)
{
    const QStringList parts = relative.split('/');
    if (parts[0] == "ui")
        return "ui";
    return parts.size() > 2 ? parts[0] + '/' + parts[1] : parts[0];
}

struct Include
{
    QString file;
    QString target;
};

QList<Include> collectIncludes()
{
    static const QRegularExpression pattern("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]",
                                            QRegularExpression::MultilineOption);
    const QString root = LOQUOR_SOURCE_DIR;
    QList<Include> out;
    for (const char* top : {"core", "app", "ui"}) {
        QDirIterator it(root + '/' + top, {"*.h", "*.cpp", "*.cu"}, QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            QFile file(it.next());
            if (!file.open(QIODevice::ReadOnly))
                continue;
            const QString text = QString::fromUtf8(file.readAll());
            auto matches = pattern.globalMatch(text);
            while (matches.hasNext())
                out.append({file.fileName().mid(root.size() + 1), matches.next().captured(1)});
        }
    }
    return out;
}

} // namespace

class tst_include_directions : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void foldersIncludeOnlyWhatTheyMay()
    {
        const auto allowed = allowedFolders();
        static const QRegularExpression own("^(core|ui|app|tests)/");
        QStringList wrong;
        for (const Include& include : collectIncludes()) {
            if (!own.match(include.target).hasMatch())
                continue;
            const QString from = folderOf(include.file);
            const QString to = folderOf(include.target);
            if (to == "core/base" || to == from)
                continue;
            if (!allowed.value(from).contains(to))
                wrong.append(include.file + " includes " + include.target);
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void thirdPartyHeadersStayInTheirFolder()
    {
        const auto libraries = thirdParties();
        QStringList wrong;
        for (const Include& include : collectIncludes()) {
            const QString from = folderOf(include.file);
            for (const ThirdParty& library : libraries) {
                if (!library.header.match(include.target).hasMatch())
                    continue;
                const bool ok = library.folders.contains(from) || library.folders.contains(from.section('/', 0, 0));
                if (!ok)
                    wrong.append(include.file + " includes " + include.target + " (" + library.name + ')');
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    // Proves that the two tests above look at something.
    void findsTheTree()
    {
        QVERIFY(collectIncludes().size() > 50);
    }
};

LOQUOR_TEST(tst_include_directions)
#include "tst_include_directions.moc"
