#include "core/base/json.h"
#include "tests/support/test_main.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

using nlohmann::json;

namespace {

// What is read, or nothing when it is refused.
template<class T>
std::optional<T> read(const char* text)
{
    try {
        return json::parse(text).get<T>();
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

} // namespace

// Any number from outside is read exactly or refused: the library alone would cut it or run into undefined behaviour.
class tst_json : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void integersAreExact()
    {
        QCOMPARE(read<int>("7"), std::optional(7));
        QCOMPARE(read<int>("-7"), std::optional(-7));
        QCOMPARE(read<int>("7.0"), std::optional(7));
        QCOMPARE(read<int>("2147483647"), std::optional(2147483647));
        QCOMPARE(read<std::int64_t>("-9223372036854775808"), std::optional(INT64_MIN));
        QCOMPARE(read<std::uint64_t>("18446744073709551615"), std::optional(UINT64_MAX));
        QCOMPARE(read<std::uint64_t>("9.007199254740992e15"), std::optional<std::uint64_t>(9007199254740992u));
        QCOMPARE(read<std::int64_t>("-9.223372036854775808e18"), std::optional(INT64_MIN));
    }

    void whatDoesNotFitIsRefused()
    {
        for (const char* text : {"2147483648", "-2147483649", "1e300", "-1e300", "2.5", "4294967296", "1e10", "true", "null",
                                 "\"7\"", "[7]", "{}", "18446744073709551615"})
            QVERIFY2(!read<int>(text), text);
        for (const char* text : {"-1", "-1.0", "-0.5", "1.8446744073709551616e19", "18446744073709551616", "1e300"})
            QVERIFY2(!read<std::uint64_t>(text), text);
        for (const char* text : {"9.223372036854775808e18", "9223372036854775808", "1e19"})
            QVERIFY2(!read<std::int64_t>(text), text);
        QVERIFY(!read<std::uint8_t>("256") && !read<std::uint8_t>("-1") && !read<std::uint8_t>("255.5"));
    }

    void inContainersAndByReferenceToo()
    {
        QVERIFY(!read<std::vector<int>>("[1, 2, 1e300]"));
        QVERIFY(!(read<std::map<std::string, int>>("{\"a\": 2.5}")));
        QCOMPARE(read<std::vector<std::uint8_t>>("[0, 255]"), std::optional(std::vector<std::uint8_t>{0, 255}));
        int value = 3;
        QVERIFY_EXCEPTION_THROWN(json::parse("1e300").get_to(value), json::exception);
        QVERIFY_EXCEPTION_THROWN(json::parse("{\"n\": 1e300}").value("n", 5), json::exception);
        QCOMPARE(json::parse("{}").value("n", 5), 5);
    }

    void otherNumbersAreAsEver()
    {
        QCOMPARE(read<double>("7"), std::optional(7.0));
        QCOMPARE(read<double>("1e300"), std::optional(1e300));
        QCOMPARE(read<bool>("true"), std::optional(true));
        QVERIFY(!read<bool>("1"));
        QCOMPARE(json({{"a", 1}, {"b", std::uint8_t(2)}}).dump(), std::string("{\"a\":1,\"b\":2}"));
    }

    // Users read where a text ends to make sense; neither the library's words nor bytes of the file.
    void problemsAreToldInWords()
    {
        const auto told = [](const std::string& text) {
            try {
                json::parse(text).at("n").get<int>();
            } catch (const std::exception& error) {
                return loquor::jsonProblem(error);
            }
            return std::string();
        };
        QCOMPARE(told("{\"n\": 1,\n \xff\xfe}"), std::string("it makes no sense at line 2, column 2"));
        QCOMPARE(told("{\"n\": \"x\"}"), std::string("a whole number in range is expected, not string"));
        QCOMPARE(told("{}"), std::string("key 'n' not found"));
    }
};

LOQUOR_TEST(tst_json)
#include "tst_json.moc"
