// Storing a model: exact round trip, and every kind of damage is noticed.
#include "tests/support/test_main.h"

#include "core/portrait/portrait_builder.h"
#include "tests/support/synthetic_face.h"

using namespace loquor;
using namespace loquor::portrait;

class tst_portrait_model_io : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        const auto model = buildPortrait(test::syntheticFace(240, 200, 120, 95, 42, .1f), {});
        QVERIFY(model);
        m_model = *model;
        auto bytes = serialize(*m_model);
        QVERIFY(bytes);
        m_bytes = std::move(*bytes);
    }

    void roundTripIsExact()
    {
        const auto loaded = deserialize(m_bytes);
        QVERIFY(loaded);
        const PortraitModel& a = *m_model;
        const PortraitModel& b = **loaded;
        QCOMPARE(b.width, a.width);
        QCOMPARE(b.u, a.u);
        QVERIFY(b.layer.data == a.layer.data);
        QVERIFY(b.restXH == a.restXH);
        QVERIFY(b.lipField == a.lipField);
        QVERIFY(b.upperTeeth.data == a.upperTeeth.data);
        QVERIFY(b.eyes[1].iris.data == a.eyes[1].iris.data);
        QVERIFY(b.notes == a.notes);
        QVERIFY(b.openMouth);
        const auto again = serialize(b);
        QVERIFY(again);
        QVERIFY(*again == m_bytes); // every member is stored
    }

    void damageIsNoticed()
    {
        for (std::size_t i = 0; i < m_bytes.size(); i += 1 + m_bytes.size() / 97) {
            auto bytes = m_bytes;
            bytes[i] ^= 0x10;
            const auto loaded = deserialize(bytes);
            QVERIFY2(!loaded, qPrintable(QString("byte %1").arg(i)));
            QCOMPARE(loaded.error().code(), ErrorCode::Corrupt);
        }
        for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{23},
                                       std::size_t{24}, m_bytes.size() / 2, m_bytes.size() - 1}) {
            const std::vector<std::uint8_t> cut(
                m_bytes.begin(), m_bytes.begin() + static_cast<std::ptrdiff_t>(size));
            const auto loaded = deserialize(cut);
            QVERIFY(!loaded);
            QCOMPARE(loaded.error().code(), ErrorCode::Corrupt);
        }
        auto longer = m_bytes;
        longer.push_back(0);
        QVERIFY(!deserialize(longer));
    }

    void incompleteModelsAreNotStored()
    {
        PortraitModel broken = *m_model;
        broken.triangles[0] = 1 << 30;
        QVERIFY(!serialize(broken));
        broken = *m_model;
        broken.headWeight.pop_back();
        QVERIFY(!serialize(broken));
        broken = *m_model;
        broken.layer.width += 1;
        QVERIFY(!serialize(broken));
        QVERIFY(!serialize(PortraitModel{}));
    }

private:
    PortraitModelPtr m_model;
    std::vector<std::uint8_t> m_bytes;
};

LOQUOR_TEST(tst_portrait_model_io)
#include "tst_portrait_model_io.moc"
