#include "core/session/project_preview.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>

#include "core/media/segments.h"
#include "core/platform/atomic_file.h"
#include "core/platform/hash.h"
#include "tests/support/test_main.h"

using namespace loquor;
using namespace loquor::session;

namespace {

constexpr std::uint64_t kProject = 7;

std::string keyOf(const std::string& name)
{
    return platform::sha256(name);
}

// A frame of one grey.
Image grey(int value)
{
    Image out(64, 48, 3);
    std::fill(out.data.begin(), out.data.end(), static_cast<std::uint8_t>(value));
    return out;
}

int greyOf(const FramePtr& frame)
{
    return frame->image.data[frame->image.data.size() / 2];
}

QStringList openFilesBelow(const QString& folder)
{
    QStringList out;
    const QDir open("/proc/self/fd");
    for (const QString& name : open.entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot)) {
        const QString file = QFileInfo(open.filePath(name)).symLinkTarget();
        if (file.startsWith(folder))
            out.append(file);
    }
    return out;
}

} // namespace

// Frames of a project out of a real store with real files.
class tst_project_preview : public QObject
{
    Q_OBJECT
    QTemporaryDir m_folder;
    std::shared_ptr<cache::ChunkStore> m_store;
    std::atomic<int> m_wakes{0};
    std::unique_ptr<ProjectPreview> m_preview;

    // A stored chunk whose frame i is of the grey `first` + 4 i.
    std::string add(const std::string& name, int first, int frames)
    {
        const auto staging = m_store->stage();
        media::SegmentOptions options;
        options.width = 64;
        options.height = 48;
        options.fps = {25, 1};
        auto writer = media::SegmentWriter::create(*staging / "video.mp4", options);
        for (int i = 0; i < frames; ++i)
            if (!writer->addFrame(grey(first + 4 * i)))
                qFatal("the frame could not be encoded");
        if (!writer->finish() || !m_store->commit(*staging, {keyOf(name), cache::EntryKind::I, "{}", {"video.mp4"}}))
            qFatal("the chunk could not be stored");
        return keyOf(name);
    }
    FramePtr wait(ProjectPlace place)
    {
        FramePtr frame;
        (void)QTest::qWaitFor([&] { return (frame = m_preview->at(place)) != nullptr; }, 10'000);
        return frame;
    }

private Q_SLOTS:
    void initTestCase()
    {
        cache::StoreOptions options;
        options.folder = m_folder.filePath("store").toStdString();
        auto store = cache::ChunkStore::open(options);
        QVERIFY(store);
        m_store = std::move(*store);
        add("a0", 20, 8);
        add("a1", 52, 25);
        add("b0", 20, 8);
        add("join", 200, 6);
    }
    void init()
    {
        m_preview = std::make_unique<ProjectPreview>([this] { ++m_wakes; });
        ShownLine a{1, 33, {{keyOf("a0"), 8}, {keyOf("a1"), 25}}, {}};
        ShownLine b{2, 8, {{keyOf("b0"), 8}}, {keyOf("join"), 6}};
        ShownLine unspoken{3, 0, {}, {}};
        m_preview->show(kProject, m_store, {a, b, unspoken}, true);
    }
    void cleanup() { m_preview.reset(); }

    void every_frame_is_found_by_its_line()
    {
        QVERIFY(!m_preview->at({1, 0})); // never waits
        const std::vector<std::pair<int, int>> expected{{0, 20}, {7, 48}, {8, 52}, {32, 148}, {20, 100}};
        for (const auto& [frame, value] : expected) {
            const FramePtr shown = wait({1, frame});
            QVERIFY(shown != nullptr);
            QVERIFY2(std::abs(greyOf(shown) - value) <= 3, qPrintable(QString::number(greyOf(shown))));
        }
        QVERIFY(m_wakes > 0);
        QCOMPARE(m_preview->at({1, 20}), m_preview->at({1, 20})); // kept
        // The join in front of the second line replaces its first frames.
        QVERIFY(std::abs(greyOf(wait({2, 0})) - 200) <= 3);
        QVERIFY(std::abs(greyOf(wait({2, 5})) - 220) <= 3);
        QVERIFY(std::abs(greyOf(wait({2, 6})) - 44) <= 3);
        const std::vector<ProjectPlace> outside{{1, 33}, {1, -1}, {3, 0}, {99, 0}};
        for (const ProjectPlace& nowhere : outside)
            QVERIFY(!m_preview->at(nowhere));
    }

    void times_of_the_project_are_frames_of_lines()
    {
        QCOMPARE(m_preview->frames(), FrameIndex{41});
        QCOMPARE(*m_preview->placeOf(0), (ProjectPlace{1, 0}));
        QCOMPARE(*m_preview->placeOf(32), (ProjectPlace{1, 32}));
        QCOMPARE(*m_preview->placeOf(33), (ProjectPlace{2, 0}));
        QVERIFY(!m_preview->placeOf(41) && !m_preview->placeOf(-1));
    }

    void what_a_run_makes_is_there_at_once()
    {
        m_preview->setLine(kProject, {3, 8, {{keyOf("a0"), 8}}, {}});
        QVERIFY(std::abs(greyOf(wait({3, 1})) - 24) <= 3);
        m_preview->setJoin(kProject, 3, {keyOf("join"), 6});
        QVERIFY(std::abs(greyOf(wait({3, 1})) - 204) <= 3);
        m_preview->setLine(kProject, {3, 16, {{keyOf("a0"), 8}, {keyOf("b0"), 8}}, {}}); // it goes on: the join stays
        QVERIFY(std::abs(greyOf(wait({3, 1})) - 204) <= 3);
        m_preview->setLine(kProject, {3, 8, {{keyOf("b0"), 8}}, {}}); // another take: it goes
        QVERIFY(std::abs(greyOf(wait({3, 1})) - 24) <= 3);
        m_preview->setLine(kProject + 1, {3, 8, {}, {}}); // of another project
        QVERIFY(m_preview->at({3, 1}) != nullptr);
        m_preview->show(kProject, m_store, {{3, 0, {}, {}}, {1, 0, {}, {}}}, false);
        QCOMPARE(m_preview->frames(), FrameIndex{41}); // what was known of the two stays
    }

    void a_chunk_that_is_gone_is_not_asked_for_again()
    {
        m_preview->setLine(kProject, {3, 8, {{keyOf("never made"), 8}}, {}});
        QVERIFY(!m_preview->at({3, 0}));
        QVERIFY(std::abs(greyOf(wait({1, 0})) - 20) <= 3); // the next request is served
        QVERIFY(!m_preview->at({3, 0}));
    }

    void a_closed_project_shows_nothing()
    {
        QVERIFY(wait({1, 0}) != nullptr);
        m_preview->close(kProject + 1);
        QVERIFY(m_preview->at({1, 0}) != nullptr);
        m_preview->close(kProject);
        QVERIFY(!m_preview->at({1, 0}));
        QCOMPARE(m_preview->frames(), FrameIndex{0});
    }

    // What lies in the store can go (evicted, another disk unmounted) once the project is closed, or another is shown.
    void a_closed_project_holds_no_file_open()
    {
        for (const bool another : {false, true}) {
            init();
            QVERIFY(wait({1, 20}) != nullptr);
            QVERIFY(openFilesBelow(m_folder.filePath("store/")).filter("video.mp4").size() > 0);
            if (another)
                m_preview->show(kProject + 1, m_store, {}, true);
            else
                m_preview->close(kProject);
            const auto isFree = [this] { return openFilesBelow(m_folder.filePath("store/")).filter("video.mp4").isEmpty(); };
            QVERIFY2(QTest::qWaitFor(isFree, 10'000), qPrintable(openFilesBelow(m_folder.filePath("store/")).join('\n')));
        }
    }

    void requests_can_be_forgotten_and_the_newest_wins()
    {
        for (int round = 0; round < 50; ++round) {
            for (int frame = 0; frame < 33; ++frame)
                m_preview->at({1, frame});
            m_preview->forgetRequests();
        }
        m_preview->at({1, 3});
        m_preview->at({2, 7});
        QVERIFY(std::abs(greyOf(wait({2, 7})) - 48) <= 3);
        m_preview.reset(); // while something may be being decoded
    }
};

LOQUOR_TEST(tst_project_preview)
#include "tst_project_preview.moc"
