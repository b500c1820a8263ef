// The signal arithmetic against NumPy and SciPy (numbers in tests/data/evaluate/numeric.txt).
#include "core/evaluate/numeric.h"

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "tests/support/test_main.h"

using namespace loquor::evaluate;

namespace {

Series input()
{
    Series x;
    for (int i = 0; i < 120; ++i)
        x.push_back(std::sin(0.3 * i) + 0.2 * std::sin(1.7 * i) + 0.05 * (i % 7));
    return x;
}

std::map<std::string, Series> expectations()
{
    std::map<std::string, Series> out;
    std::ifstream data(std::string(LOQUOR_TEST_DATA) + "/evaluate/numeric.txt");
    for (std::string line; std::getline(data, line);) {
        if (line.starts_with("#"))
            continue;
        std::istringstream row(line);
        std::string name;
        row >> name;
        for (double v = 0; row >> v;)
            out[name].push_back(v);
    }
    return out;
}

Series splineValues()
{
    const Series x = input();
    Series knots, all, out;
    for (std::size_t i = 0; i < x.size(); ++i)
        knots.push_back(static_cast<double>(i) / 25);
    all = spline(grid(0, 119.0 / 25, 0.01), knots, x);
    for (std::size_t i = 0; i < all.size(); i += 5)
        out.push_back(all[i]);
    return out;
}

Series peakValues(const std::function<double(const Peak&)>& value)
{
    Series out;
    for (const Peak& p : findPeaks(input(), {0.5, 0.4, 1, 20}))
        out.push_back(value(p));
    return out;
}

} // namespace

class tst_numeric : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void equalsScipy_data()
    {
        QTest::addColumn<QString>("name");
        for (const auto& [name, values] : expectations())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void equalsScipy()
    {
        QFETCH(QString, name);
        const Series x = input();
        const std::map<std::string, std::function<Series()>> own = {
            {"bandpass", [&] { return bandPass(x, 25, 0.7, 7.0); }},
            {"lowpass", [&] { return lowPass(x, 100, 12); }},
            {"spline", splineValues},
            {"savgol", [&] { return smoothParabola5(x); }},
            {"welch64", [&] { return welch(x, 25, 50, 64, Detrend::Line).power; }},
            {"welch100", [&] { return welch(x, 25, 100, 100, Detrend::Line).power; }},
            {"peaks", [] { return peakValues([](const Peak& p) { return static_cast<double>(p.index); }); }},
            {"prominences", [] { return peakValues([](const Peak& p) { return p.prominence; }); }},
            {"widths", [] { return peakValues([](const Peak& p) { return p.width; }); }},
            {"smooth5", [&] { return smooth(x, 5); }},
            {"smooth4", [&] { return smooth(x, 4); }},
            {"gradient", [&] { return gradient(x, 0.04); }},
            {"percentiles",
             [&] {
                 Series out;
                 for (const double p : {0.0, 5.0, 37.3, 50.0, 95.0, 100.0})
                     out.push_back(percentile(x, p));
                 return out;
             }},
            {"robust", [&] { return Series{robustSigma(x)}; }},
        };
        QVERIFY(own.contains(name.toStdString()));
        const Series expected = expectations()[name.toStdString()];
        const Series got = own.at(name.toStdString())();
        QCOMPARE(got.size(), expected.size());
        for (std::size_t i = 0; i < got.size(); ++i)
            QVERIFY2(std::abs(got[i] - expected[i]) <= 1e-7 * (1 + std::abs(expected[i])),
                     qPrintable(QString("value %1: %2 instead of %3").arg(i).arg(got[i], 0, 'g', 10).arg(expected[i], 0, 'g', 10)));
    }

    void masks()
    {
        const Mask mask = {true, false, false, true, true, false, false, false, false};
        QCOMPARE(count(mask), std::size_t(3));
        const auto found = runs(mask);
        QCOMPARE(found.size(), std::size_t(2));
        QVERIFY(found[1] == std::pair(std::size_t(3), std::size_t(5)));
        QVERIFY(widen(mask, 3) == (Mask{true, true, true, true, true, true, false, false, false}));
        QVERIFY(select(Series{1, 2, 3, 4, 5, 6, 7, 8, 9}, mask) == (Series{1, 4, 5}));
    }

    void emptyAndConstantInput()
    {
        QVERIFY(std::isnan(percentile({}, 50)));
        QVERIFY(std::isnan(nanMedian(Series{NAN, NAN})));
        QCOMPARE(nanMedian(Series{NAN, 3, 1}), 2.0);
        QVERIFY(std::isnan(correlation(Series{1, 1, 1}, Series{1, 2, 3})));
        QVERIFY(findPeaks(Series{}, {}).empty());
        QVERIFY(runs({}).empty());
        QVERIFY(bandPass(Series{5}, 25, 1, 5) == Series{0});
        QVERIFY(difference(Series{1}, 2).empty());
        QVERIFY(interpolate(Series{-1, 0.5, 9}, Series{0, 1}, Series{10, 20}) == (Series{10, 15, 20}));
        QVERIFY(interpolate(Series{-1, 0.5, 9}, Series{0, 1}, Series{10, 20}, 0) == (Series{0, 15, 0}));
    }
};

LOQUOR_TEST(tst_numeric)
#include "tst_numeric.moc"
