#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "lobug/json/reader.h"

using lobug::Text;
using lobug::json::Characters;
using lobug::json::Items;
using lobug::json::parse;
using lobug::json::Type;
using lobug::json::Value;

namespace {

std::string decoded(std::string_view json) {
  std::string text;
  Characters characters(parse(json));
  for (std::string_view next = characters.next(); !next.empty(); next = characters.next()) {
    text += next;
  }
  return text;
}

constexpr std::int64_t kLeast = INT64_MIN;
constexpr std::int64_t kMost = INT64_MAX;

}  // namespace

TEST_CASE("Values know their type") {
  CHECK(parse("{}").type() == Type::kObject);
  CHECK(parse("[]").type() == Type::kArray);
  CHECK(parse(R"("x")").type() == Type::kString);
  CHECK(parse("-1").type() == Type::kNumber);
  CHECK(parse("true").type() == Type::kBoolean);
  CHECK(parse("null").type() == Type::kNull);
  CHECK(parse("nil").type() == Type::kNone);
  CHECK(Value().type() == Type::kNone);
  CHECK_FALSE(Value().exists());
  CHECK(parse("null").exists());
}

TEST_CASE("Fields are found by name, at any place, and what is unknown is passed over") {
  const Value value =
      parse(R"( {"x":[{"a":9}], "a" : 1 ,"b":{"a":2,"c":"}"},"n":null,"a b":3,"":4} )");
  CHECK(value.member("a").raw() == "1");
  CHECK(value.member("b").member("a").raw() == "2");
  CHECK(value.member("b").raw() == R"({"a":2,"c":"}"})");
  CHECK(value.member("a b").raw() == "3");
  CHECK(value.member("").raw() == "4");
  CHECK(value.member("n").type() == Type::kNull);
  CHECK_FALSE(value.member("c").exists());
  CHECK_FALSE(value.member("A").exists());
  CHECK_FALSE(value.member("a ").exists());
  CHECK_FALSE(value.member("x").member("a").exists());
  CHECK_FALSE(value.member("nothing").member("at").member("all").exists());
  CHECK_FALSE(parse(R"("a")").member("a").exists());
}

TEST_CASE("Of fields with one name the last counts") {
  CHECK(parse(R"({"a":1,"b":2,"a":3})").member("a").raw() == "3");
  CHECK(parse(R"({"a":1,"\u0061":2})").member("a").raw() == "2");
}

TEST_CASE("Names are compared as what they mean") {
  CHECK(parse(R"({"t\u0079pe":1})").member("type").raw() == "1");
  CHECK(parse(R"({"\"":1})").member("\"").raw() == "1");
  CHECK(parse("{\"\xC3\xA9\":1}").member("\xC3\xA9").raw() == "1");
  CHECK(parse(R"({"\u00e9":1})").member("\xC3\xA9").raw() == "1");
}

TEST_CASE("Items go through arrays and objects in their order") {
  std::string seen;
  Items array(parse(R"([1 , [2,3], {"a":4} ,"5,]" ])"));
  while (array.next()) {
    CHECK_FALSE(array.name().exists());
    seen += std::string(array.value().raw()) + ";";
  }
  CHECK(seen == R"(1;[2,3];{"a":4};"5,]";)");
  CHECK_FALSE(array.next());

  seen.clear();
  Items object(parse(R"({ "a" : 1,"b":[2] , "a":3 })"));
  while (object.next()) {
    seen += std::string(object.name().raw()) + "=" + std::string(object.value().raw()) + ";";
  }
  CHECK(seen == R"("a"=1;"b"=[2];"a"=3;)");

  for (const std::string_view empty : {"[]", "{}", "[ ]", "{ \n}", "1", R"("[1]")", "null", ""}) {
    CAPTURE(std::string(empty));
    Items items(parse(empty));
    CHECK_FALSE(items.next());
  }
}

TEST_CASE("Escapes are resolved") {
  CHECK(decoded(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(decoded(R"("\u0041\u00e9\u20AC")") == "A\xC3\xA9\xE2\x82\xAC");
  CHECK(decoded(R"("\ud83d\ude42")") == "\xF0\x9F\x99\x82");
  CHECK(decoded(R"("\uDBFF\uDFFF")") == "\xF4\x8F\xBF\xBF");
  CHECK(decoded(R"("a\u0000b")") == std::string("a\0b", 3));
  CHECK(decoded(R"("\\u0041")") == "\\u0041");
  CHECK(decoded(R"("")").empty());
  CHECK(decoded("12").empty());
}

TEST_CASE("Half surrogate pairs are replaced, one by one") {
  const std::string replacement = "\xEF\xBF\xBD";
  CHECK(decoded(R"("\ud83d")") == replacement);
  CHECK(decoded(R"("\ude42")") == replacement);
  CHECK(decoded(R"("\ud83dx")") == replacement + "x");
  CHECK(decoded(R"("\ud83d\n")") == replacement + "\n");
  CHECK(decoded(R"("\ud83d\u0041")") == replacement + "A");
  CHECK(decoded(R"("\ude42\ud83d")") == replacement + replacement);
  CHECK(decoded(R"("\ud83d\ud83d\ude42")") == replacement + "\xF0\x9F\x99\x82");
}

TEST_CASE("Bytes that are no UTF-8 are replaced, what is UTF-8 stays") {
  const std::string replacement = "\xEF\xBF\xBD";
  CHECK(decoded("\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x99\x82\"") ==
        "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x99\x82");
  CHECK(decoded("\"a\xFFz\"") == "a" + replacement + "z");
  CHECK(decoded("\"\x80\"") == replacement);
  CHECK(decoded("\"\xC3\"") == replacement);
  CHECK(decoded("\"\xC3x\"") == replacement + "x");
  // An overlong slash, an encoded surrogate and what is beyond the last character.
  CHECK(decoded("\"\xC0\xAF\"") == replacement + replacement);
  CHECK(decoded("\"\xED\xA0\x80\"") == replacement + replacement + replacement);
  CHECK(decoded("\"\xF4\x90\x80\x80\"") == replacement + replacement + replacement + replacement);
  CHECK(decoded("\"\xE0\x80\x80\"") == replacement + replacement + replacement);
}

TEST_CASE("Text is cut between characters, and says so") {
  Text<5> text;
  CHECK(parse(R"("12345")").text(text));
  CHECK(text == "12345");
  CHECK_FALSE(parse(R"("123456")").text(text));
  CHECK(text == "12345");
  CHECK_FALSE(parse(R"("1234\u00e95")").text(text));
  CHECK(text == "1234");  // not with the 5 that would have fitted
  CHECK_FALSE(parse("12").text(text));
  CHECK(text.empty());
  CHECK_FALSE(Value().text(text));
}

TEST_CASE("Strings are compared with what they mean") {
  CHECK(parse(R"("st\u0061rt")").is("start"));
  CHECK_FALSE(parse(R"("start ")").is("start"));
  CHECK_FALSE(parse(R"("star")").is("start"));
  CHECK_FALSE(parse("1").is("1"));
  CHECK_FALSE(parse("null").is(""));
  CHECK(parse(R"("")").is(""));
}

TEST_CASE("Booleans are true or false, and nothing else is") {
  CHECK(parse("true").boolean(false));
  CHECK_FALSE(parse("false").boolean(true));
  CHECK(parse("0").boolean(true));
  CHECK_FALSE(parse(R"("true")").boolean(false));
  CHECK(Value().boolean(true));
}

TEST_CASE("Whole numbers are read however they are written") {
  struct Case {
    std::string_view json;
    std::int64_t value;
  };
  const Case cases[] = {
      {"0", 0},
      {"-0", 0},
      {"0.000", 0},
      {"0e999999999999999999999", 0},
      {"7", 7},
      {"-7", -7},
      {"100", 100},
      {"7.0", 7},
      {"7.000", 7},
      {"70e-1", 7},
      {"0.7e1", 7},
      {"0.007E+3", 7},
      {"1.5e1", 15},
      {"12e2", 1200},
      {"1000e-3", 1},
      {"1010", 1010},
      {"1.01e2", 101},
      {"1795322132950", 1795322132950},
      {"9223372036854775807", INT64_MAX},
      {"-9223372036854775808", INT64_MIN},
      {"9223372036854775807.0", INT64_MAX},
      {"10000000000000000000000e-4", 1000000000000000000},
  };
  for (const Case& test : cases) {
    CAPTURE(std::string(test.json));
    const auto number = parse(test.json).integer(kLeast, kMost);
    REQUIRE(number.has_value());
    CHECK(*number == test.value);
  }
}

TEST_CASE("What is no whole number of 64 bits is none") {
  for (const std::string_view json :
       {"0.5", "7.01", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e400",
        "1e999999999999999999999", "1e-999999999999999999999", "99999999999999999999",
        "18446744073709551616", "10000000000000000000000000000000000000001", "\"7\"", "true",
        "null", "[7]", "{}"}) {
    CAPTURE(std::string(json));
    CHECK_FALSE(parse(json).integer(kLeast, kMost).has_value());
  }
  CHECK_FALSE(Value().integer(kLeast, kMost).has_value());
  // Very many digits cost time, not correctness.
  CHECK_FALSE(parse(std::string(20000, '9')).integer(kLeast, kMost).has_value());
  CHECK(parse("1" + std::string(20000, '0') + "e-20000").integer(1, 1).has_value());
  CHECK(parse("0." + std::string(20000, '0') + "1e20001").integer(1, 1).has_value());
}

TEST_CASE("Ranges hold at their ends") {
  CHECK(parse("0").integer(0, 100).has_value());
  CHECK(parse("100").integer(0, 100).has_value());
  CHECK_FALSE(parse("-1").integer(0, 100).has_value());
  CHECK_FALSE(parse("101").integer(0, 100).has_value());
}
