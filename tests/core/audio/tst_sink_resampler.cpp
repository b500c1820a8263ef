#include "core/audio/sink_resampler.h"

#include <cmath>
#include <numbers>

#include "tests/support/test_main.h"

using loquor::audio::SinkResampler;

class tst_sink_resampler : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void toneSurvives_data()
    {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        for (const auto& [from, to] : {std::pair(8000, 48000),
                                       {16000, 44100},
                                       {22050, 48000},
                                       {44100, 48000},
                                       {48000, 44100},
                                       {192000, 48000},
                                       {96000, 44100}})
            QTest::addRow("%d to %d", from, to) << from << to;
    }

    void toneSurvives()
    {
        QFETCH(int, from);
        QFETCH(int, to);
        const double tone = 1000;
        const auto value = [&](double i, int rate) {
            return 0.8 * std::sin(2 * std::numbers::pi * tone * i / rate);
        };
        SinkResampler resampler(from, to);
        std::vector<float> out;
        std::vector<float> in;
        // Uneven pieces: where they are cut must not matter.
        int at = 0;
        for (int piece = 1; at < from; piece = piece * 3 % 997 + 1) {
            in.clear();
            for (int i = 0; i < piece && at < from; ++i, ++at)
                in.push_back(static_cast<float>(value(at, from)));
            resampler.process(in.data(), in.size(), out);
        }
        QVERIFY(static_cast<int>(out.size()) > to - to / 50 && static_cast<int>(out.size()) <= to);
        double signal = 0, noise = 0;
        for (std::size_t i = static_cast<std::size_t>(to / 50); i < out.size(); ++i) {
            const double expected = value(static_cast<double>(i), to);
            signal += expected * expected;
            noise += (out[i] - expected) * (out[i] - expected);
        }
        const double decibel = 10 * std::log10(signal / noise);
        QVERIFY2(decibel > 75, qPrintable(QString::number(decibel)));
    }
};

LOQUOR_TEST(tst_sink_resampler)
#include "tst_sink_resampler.moc"
