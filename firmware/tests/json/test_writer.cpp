#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "lobug/json/reader.h"
#include "lobug/json/writer.h"

using lobug::Span;
using lobug::json::Characters;
using lobug::json::parse;
using lobug::json::Writer;

namespace {

/// A writer with a buffer of its own; what is written as a string.
template <typename Write>
std::string written(const Write& write, std::size_t room = 1024) {
  std::string buffer(room, '#');
  Writer json(Span<char>(buffer.data(), buffer.size()));
  write(json);
  return buffer.substr(0, json.finish());
}

std::string text(std::string_view value) {
  return written([value](Writer& json) { json.text(value); });
}

std::string decimal(float value, int places) {
  return written([=](Writer& json) { json.decimal(value, places); });
}

std::string round_trip(std::string_view value) {
  std::string back;
  const std::string json = text(value);
  Characters characters(parse(json));
  for (std::string_view next = characters.next(); !next.empty(); next = characters.next()) {
    back += next;
  }
  return back;
}

void write_everything(Writer& json) {
  json.begin_object().name("a").number(1).name("b").begin_array();
  json.text("x").boolean(true).boolean(false).raw("null").begin_object().end_object();
  json.begin_array().end_array().end_array().name("c\"").decimal(-0.5F, 2).end_object();
}
constexpr std::string_view kEverything = R"({"a":1,"b":["x",true,false,null,{},[]],"c\"":-0.50})";

}  // namespace

TEST_CASE("Commas and colons come by themselves") {
  CHECK(written(write_everything) == kEverything);
  CHECK(written([](Writer& json) { json.begin_object().end_object(); }) == "{}");
}

TEST_CASE("A document that does not fit is no document, whatever the room") {
  for (std::size_t room = 0; room < kEverything.size(); ++room) {
    CAPTURE(room);
    CHECK(written(write_everything, room).empty());
  }
  CHECK(written(write_everything, kEverything.size()) == kEverything);
}

TEST_CASE("Nothing is written beyond the room") {
  std::string buffer(20, '#');
  Writer json(Span<char>(buffer.data(), 10));
  write_everything(json);
  CHECK(json.finish() == 0);
  CHECK(buffer.substr(10) == "##########");
}

TEST_CASE("A document that is not closed is none") {
  CHECK(written([](Writer& json) { json.begin_object().name("a").number(1); }).empty());
}

TEST_CASE("Whole numbers of all sizes") {
  const auto number = [](std::int64_t value) {
    return written([value](Writer& json) { json.number(value); });
  };
  CHECK(number(0) == "0");
  CHECK(number(-1) == "-1");
  CHECK(number(1000) == "1000");
  CHECK(number(INT64_MAX) == "9223372036854775807");
  CHECK(number(INT64_MIN) == "-9223372036854775808");
}

TEST_CASE("Decimals are rounded and never in exponents") {
  CHECK(decimal(0, 3) == "0.000");
  CHECK(decimal(1.0F, 3) == "1.000");
  CHECK(decimal(-0.98F, 2) == "-0.98");
  CHECK(decimal(0.0014F, 3) == "0.001");
  CHECK(decimal(0.0016F, 3) == "0.002");
  CHECK(decimal(0.9999F, 3) == "1.000");
  CHECK(decimal(-0.05F, 1) == "-0.1");
  CHECK(decimal(-0.04F, 1) == "0.0");
  CHECK(decimal(12.5F, 0) == "13");
  CHECK(decimal(2000.125F, 3) == "2000.125");
  CHECK(decimal(1e30F, 6) == "1000000000.000000");
  CHECK(decimal(-1e30F, 0) == "-1000000000");
}

TEST_CASE("What is no number becomes null") {
  CHECK(decimal(std::numeric_limits<float>::quiet_NaN(), 3) == "null");
  CHECK(decimal(std::numeric_limits<float>::infinity(), 3) == "null");
  CHECK(decimal(-std::numeric_limits<float>::infinity(), 3) == "null");
}

TEST_CASE("Text is escaped where it has to be") {
  CHECK(text("a/b") == R"("a/b")");
  CHECK(text("\"\\\b\f\n\r\t") == R"("\"\\\b\f\n\r\t")");
  CHECK(text(std::string_view("\0\x01\x1F\x7F", 4)) == "\"\\u0000\\u0001\\u001f\x7F\"");
  CHECK(text("\xC3\xA9\xF0\x9F\x99\x82") == "\"\xC3\xA9\xF0\x9F\x99\x82\"");
  CHECK(text("a\xFF\xC3") == "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST_CASE("Every character comes back as it was") {
  for (unsigned code = 0; code < 256; ++code) {
    const char latin[] = {static_cast<char>(0xC0U | (code >> 6U)),
                          static_cast<char>(0x80U | (code & 0x3FU))};
    const auto ascii = static_cast<char>(code);
    const std::string value = code < 0x80 ? std::string(1, ascii) : std::string(latin, 2);
    CAPTURE(code);
    CHECK(round_trip(value) == value);
  }
  CHECK(round_trip("\\u0041\\\"") == "\\u0041\\\"");
}

TEST_CASE("A mark takes back what did not fit") {
  char buffer[16];
  Writer json{Span<char>(buffer)};
  json.begin_array().text("one");
  const Writer::Mark mark = json.mark();
  json.begin_object().name("too long").text("for this buffer");
  CHECK_FALSE(json.fits());
  json.rewind(mark);
  CHECK(json.fits());
  json.number(2).end_array();
  CHECK(std::string_view(buffer, json.finish()) == R"(["one",2])");
}
