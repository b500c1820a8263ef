#include "core/stages/chunk_boundary.h"
#include "tests/support/test_main.h"

#include <limits>

using namespace loquor;
using namespace loquor::stages;

namespace {

ChunkBoundary made()
{
    ChunkBoundary out;
    out.frames.resize(25);
    for (std::size_t f = 0; f < out.frames.size(); ++f)
        for (std::size_t p = 0; p < portrait::kParamCount; ++p)
            out.frames[f].value[p] = .01f * static_cast<float>(f * 48 + p);
    out.lipsShut.assign(25, 0);
    out.lipsShut[7] = 1;
    out.goesOn.assign(2, out.frames[3]);
    out.state = {1, 2, 3, 250};
    return out;
}

} // namespace

class tst_chunkboundary : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void bytesAndBack()
    {
        const ChunkBoundary boundary = made();
        const auto bytes = serialise(boundary);
        QVERIFY(bytes == serialise(made()));
        const auto back = parseBoundary(bytes);
        QVERIFY(back);
        QVERIFY(*back == boundary);
        QVERIFY(parseBoundary(serialise({})).has_value());
    }

    // 115: damage is detected, wherever it is.
    void case_115_damage_is_detected()
    {
        const auto good = serialise(made());
        const auto refused = [](const std::vector<std::byte>& bytes) {
            const auto result = parseBoundary(bytes);
            return !result && result.error().code() == ErrorCode::Corrupt;
        };
        QVERIFY(refused({}));
        for (const std::size_t size : {std::size_t(5), std::size_t(30), good.size() / 2, good.size() - 1})
            QVERIFY(refused({good.begin(), good.begin() + std::ptrdiff_t(size)}));
        for (std::size_t at = 0; at < good.size(); at += at < 64 ? 1 : 61) {
            auto bad = good;
            bad[at] ^= std::byte{0x08};
            QVERIFY2(refused(bad), qPrintable(QString::number(at)));
        }
        auto longer = good;
        longer.push_back(std::byte{0});
        QVERIFY(refused(longer));
        ChunkBoundary wild = made();
        wild.goesOn[1].value[4] = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(refused(serialise(wild)));
    }
};

LOQUOR_TEST(tst_chunkboundary)
#include "tst_chunkboundary.moc"
