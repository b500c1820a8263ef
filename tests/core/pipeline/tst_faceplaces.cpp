#include "core/pipeline/face_choice.h"
#include "tests/support/test_main.h"

#include <set>

using namespace loquor;
using namespace loquor::pipeline;

namespace {

using Places = std::vector<std::string>;

// Centres, in tenths of the picture; each face is a tenth wide and high.
std::vector<FaceInfo> at(const std::vector<std::pair<double, double>>& centres)
{
    std::vector<FaceInfo> out;
    for (const auto& [x, y] : centres) {
        FaceInfo face;
        face.index = static_cast<int>(out.size()) + 1;
        face.width = face.height = .1f;
        face.x = static_cast<float>(x / 10) - .05f;
        face.y = static_cast<float>(y / 10) - .05f;
        out.push_back(face);
    }
    return out;
}

} // namespace

// Where each of several faces is, seen from the others: by that --face is chosen.
class tst_faceplaces : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void one_alone_is_placed_in_the_picture()
    {
        QCOMPARE(facePlaces(at({{2, 5}})), Places{"at the left"});
        QCOMPARE(facePlaces(at({{5, 5}})), Places{"in the middle"});
        QCOMPARE(facePlaces(at({{8, 5}})), Places{"at the right"});
        QVERIFY(facePlaces({}).empty());
    }

    // All of them in the middle of the picture: it is the others that count.
    void side_by_side()
    {
        QCOMPARE(facePlaces(at({{5.5, 5}, {4.5, 5}})), (Places{"at the right", "at the left"}));
        QCOMPARE(facePlaces(at({{5, 5}, {6, 4.6}, {4, 5.3}})), (Places{"in the middle", "at the right", "at the left"}));
        QCOMPARE(facePlaces(at({{5, 3}, {6, 6}, {4, 5}})), (Places{"in the middle", "at the right", "at the left"}));
        QCOMPARE(facePlaces(at({{3, 5}, {1, 5}, {7, 5}, {5, 5}})),
                 (Places{"2nd of 4 from the left", "1st of 4 from the left", "4th of 4 from the left", "3rd of 4 from the left"}));
    }

    void one_above_the_other()
    {
        QCOMPARE(facePlaces(at({{5, 7}, {5.2, 3}})), (Places{"at the bottom", "at the top"}));
        QCOMPARE(facePlaces(at({{5, 5}, {5, 8}, {5.1, 2}})), (Places{"in the middle", "at the bottom", "at the top"}));
    }

    void in_rows()
    {
        QCOMPARE(facePlaces(at({{3, 3}, {7, 3}, {3, 7}, {7, 7.2}})),
                 (Places{"at the top left", "at the top right", "at the bottom left", "at the bottom right"}));
        QCOMPARE(facePlaces(at({{5, 3}, {3, 7}, {5.1, 7}, {7, 7}})),
                 (Places{"at the top", "at the bottom left", "in the middle at the bottom", "at the bottom right"}));
    }

    // A crowd, and faces found twice at one place: no two have the same words.
    void no_two_are_the_same()
    {
        std::vector<std::pair<double, double>> crowd{{5, 5}, {5, 5}, {5, 5.05}};
        for (int i = 0; i < 30; ++i)
            crowd.emplace_back(1 + i * 7 % 9, 1 + i * 5 % 8);
        for (std::size_t count = 2; count <= crowd.size(); ++count) {
            const Places places = facePlaces(at({crowd.begin(), crowd.begin() + static_cast<std::ptrdiff_t>(count)}));
            QCOMPARE(std::set<std::string>(places.begin(), places.end()).size(), count);
        }
    }
};

LOQUOR_TEST(tst_faceplaces)
#include "tst_faceplaces.moc"
