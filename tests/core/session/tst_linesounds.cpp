#include "core/session/line_sounds.h"
#include "tests/support/test_main.h"

#include <cmath>

#include <QTemporaryDir>

#include "core/media/audio_writer.h"
#include "core/session/project_lines.h"
#include "core/session/project_values.h"

using namespace loquor;
using namespace loquor::session;

class tst_linesounds : public QObject
{
    Q_OBJECT
    static constexpr SampleIndex kSeconds = 200;
    QTemporaryDir m_dir;
    std::unique_ptr<cache::ChunkStore> m_store;
    const std::string m_key = std::string(64, 'a');

    // A tone that rises all the time: no two places are alike.
    static float expected(SampleIndex at)
    {
        const double t = static_cast<double>(at) / kLineSoundRate;
        return static_cast<float>(.5 * std::sin(2 * 3.14159265358979 * (100 + 2 * t) * t));
    }
    void expectAt(LineSounds& sounds, double second, std::size_t count = 4800) const
    {
        std::vector<float> out(count);
        const auto from = static_cast<SampleIndex>(second * kLineSoundRate);
        QCOMPARE(sounds.read(*m_store, m_key, from, out.data(), count), count);
        for (std::size_t i = 0; i < count; ++i)
            QVERIFY2(std::abs(out[i] - expected(from + static_cast<SampleIndex>(i))) < 1e-3f,
                     qPrintable(QString("%1 s, sample %2").arg(second).arg(i)));
    }

private Q_SLOTS:
    void initTestCase()
    {
        cache::StoreOptions options;
        options.folder = m_dir.path().toStdString() + "/store";
        auto store = cache::ChunkStore::open(options);
        QVERIFY2(store, store ? "" : store.error().text().c_str());
        m_store = std::move(*store);
        AudioBlock sound{kLineSoundRate, 1, {}};
        for (SampleIndex i = 0; i < kSeconds * kLineSoundRate; ++i)
            sound.samples.push_back(expected(i));
        const auto staging = m_store->stage();
        QVERIFY(staging);
        QVERIFY(media::writeWav(*staging / kSoundPart, sound));
        const auto entry = m_store->commit(*staging, {m_key, cache::EntryKind::Speech, "{}", {kSoundPart}});
        QVERIFY2(entry, entry ? "" : entry.error().text().c_str());
    }

    // Whatever was let go meanwhile is read again: forward, far ahead, a little back, far back.
    void anyPlaceInAnyOrder()
    {
        LineSounds sounds;
        for (const double second : {0., .1, 5., 100., 75., 199.9, 199.8, 20., 0., 130.})
            expectAt(sounds, second);
    }

    void playedFromBeginningToEnd()
    {
        LineSounds sounds;
        constexpr double kStep = .5;
        for (double second = 0; second < static_cast<double>(kSeconds); second += kStep)
            expectAt(sounds, second, static_cast<std::size_t>(kStep * kLineSoundRate));
    }

    void whatIsNotThereIsToldByTheCount()
    {
        LineSounds sounds;
        std::vector<float> out(1000);
        QCOMPARE(sounds.read(*m_store, m_key, kSeconds * kLineSoundRate - 10, out.data(), 1000), std::size_t(10));
        QCOMPARE(sounds.read(*m_store, m_key, kSeconds * kLineSoundRate, out.data(), 1000), std::size_t(0));
        QCOMPARE(sounds.read(*m_store, m_key, -1, out.data(), 1000), std::size_t(0));
        QCOMPARE(sounds.read(*m_store, std::string(64, 'b'), 0, out.data(), 1000), std::size_t(0));
        expectAt(sounds, 1); // the others are not touched by it
    }
};

LOQUOR_TEST(tst_linesounds)
#include "tst_linesounds.moc"
