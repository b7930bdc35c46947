#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "lobug/json/syntax.h"

using lobug::json::end_of_value;
using lobug::json::kMaxDepth;
using lobug::json::only_value;

namespace {

bool is_json(std::string_view document) { return !only_value(document).empty(); }

std::string nested(std::size_t depth, const char* open, const char* inner, const char* close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += inner;
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

}  // namespace

TEST_CASE("What is JSON is taken, with the white space around it left out") {
  const std::string_view documents[] = {
      "{}",
      "[]",
      "0",
      "-0",
      "-0.0",
      "123456789012345678901234567890",
      "1.5",
      "1e5",
      "1E+5",
      "0e0",
      "0.1e-10",
      "true",
      "false",
      "null",
      R"("")",
      R"("a")",
      R"("\"\\\/\b\f\n\r\t")",
      R"("\u0000\uABCD\uabcd")",
      R"("\ud800")",
      "\"\x7F\"",
      "\"\xFF\"",
      R"({"a":1})",
      R"({"a":1,"a":2})",
      R"({"":{"":[]}})",
      R"([1,2,3])",
      R"([[],{},"",0,null,true])",
      R"({"a":[1,{"b":"]}"}],"c":"[{"})",
      "[ 1 ,\t2 ,\r\n3 ]",
      R"({ "a" : 1 , "b" : 2 })",
  };
  for (const std::string_view document : documents) {
    CAPTURE(std::string(document));
    CHECK(only_value(document) == document);
    const std::string padded = " \t\r\n" + std::string(document) + " \t\r\n";
    CHECK(only_value(padded) == document);
  }
}

TEST_CASE("What is no JSON is refused") {
  const std::string_view documents[] = {
      "",
      " ",
      "\xEF\xBB\xBF{}",
      std::string_view("\0", 1),
      std::string_view("{}\0", 3),
      std::string_view("1\0", 2),
      "{",
      "}",
      "[",
      "]",
      "{]",
      "[}",
      "[[]",
      "[]]",
      "{}}",
      "{}{}",
      "{} {}",
      "[]x",
      "1 2",
      "1,2",
      R"("a" "b")",
      R"("a":1)",
      "[1 2]",
      "[1,]",
      "[,1]",
      "[,]",
      "[1,,2]",
      "[1:2]",
      "[:]",
      R"(["a":1])",
      "{1:2}",
      "{a:1}",
      "{null:1}",
      "{[]:1}",
      "{'a':1}",
      "['a']",
      R"({"a"})",
      R"({"a":})",
      R"({"a" 1})",
      R"({"a",1})",
      R"({:1})",
      R"({,})",
      R"({"a":1,})",
      R"({,"a":1})",
      R"({"a":1 "b":2})",
      R"({"a":1:2})",
      R"({"a"::1})",
      R"({"a":1)",
      R"({"a":1]})",
      R"({"a":1,2})",
      "tru",
      "truee",
      "True",
      "nul",
      "nulls",
      "NaN",
      "Infinity",
      "-Infinity",
      "undefined",
      "+1",
      "-",
      "--1",
      "01",
      "-01",
      "00",
      ".5",
      "1.",
      "1.e1",
      "1e",
      "1e+",
      "1e1.5",
      "1.2.3",
      "0x10",
      "1_000",
      "1a",
      "-a",
      "[1.]",
      "[tru]",
      R"(")",
      R"("a)",
      R"("\")",
      R"("\x41")",
      R"("\u")",
      R"("\u12")",
      R"("\u123g")",
      R"("\u 123")",
      R"("\)",
      R"("\a")",
      "\"\n\"",
      "\"\t\"",
      std::string_view("\"\0\"", 3),
      std::string_view("\"\\\0\"", 4),
      "/* c */ 1",
      "1 // c",
      "#",
      "[\v1]",
      "[1\f]",
      "\xC2\xA0{}",
  };
  for (const std::string_view document : documents) {
    CAPTURE(std::string(document));
    CHECK_FALSE(is_json(document));
  }
}

TEST_CASE("A document cut anywhere is no JSON") {
  const std::string_view document = R"({"a":[1,{"b":"x\u00e9\\"},true],"c":{"d":null}})";
  REQUIRE(is_json(document));
  for (std::size_t length = 0; length < document.size(); ++length) {
    CAPTURE(length);
    CHECK_FALSE(is_json(document.substr(0, length)));
  }
}

TEST_CASE("Nesting is limited, and hostile nesting needs no stack") {
  CHECK(is_json(nested(kMaxDepth, "[", "", "]")));
  CHECK(is_json(nested(kMaxDepth, "[", "1", "]")));
  CHECK_FALSE(is_json(nested(kMaxDepth + 1, "[", "", "]")));
  CHECK(is_json(nested(kMaxDepth, R"({"a":)", "1", "}")));
  CHECK_FALSE(is_json(nested(kMaxDepth + 1, R"({"a":)", "1", "}")));
  CHECK_FALSE(is_json(std::string(1000000, '[')));
  // The kinds of bracket are remembered at every level.
  CHECK(is_json(nested(kMaxDepth / 2, R"([{"a":)", "1", "}]")));
  CHECK_FALSE(is_json(nested(kMaxDepth / 2, R"([{"a":)", "1", "]}")));
  // Closed levels do not count.
  std::string wide = "[";
  for (int i = 0; i < 100; ++i) wide += "[],{},";
  CHECK(is_json(wide + "0]"));
}

TEST_CASE("The end of each kind of value is found") {
  struct Case {
    std::string_view text;
    std::size_t end;
  };
  const Case cases[] = {
      {R"(1,2)", 1},
      {R"(true})", 4},
      {R"(null ])", 4},
      {R"("a,\"]",1)", 7},
      {R"([1,"]",[2]],3)", 11},
      {R"({"a}":{"b":[]}} )", 15},
      {R"(12)", 2},
      {R"([])", 2},
  };
  for (const Case& test : cases) {
    CAPTURE(std::string(test.text));
    CHECK(end_of_value(test.text, 0) == test.end);
  }
}
