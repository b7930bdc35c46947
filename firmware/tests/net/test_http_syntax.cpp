#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "lobug/net/http_syntax.h"
#include "support/text.h"

using namespace lobug;

namespace {

/// The request that a writer made in a buffer of `room` bytes; "" when it made none.
template <typename Write>
std::string written(std::size_t room, Write write) {
  std::vector<unsigned char> buffer(room + 1, 0xEE);
  HeadWriter head(MutableBytes(buffer.data(), room));
  write(head);
  CHECK(buffer[room] == 0xEE);
  return std::string(reinterpret_cast<const char*>(buffer.data()), head.size());
}

}  // namespace

TEST_CASE("a date of HTTP has one form alone") {
  CHECK(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT") == 784111777);
  CHECK(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT") == 0);
  CHECK(parse_http_date("Thu, 26 Nov 2026 03:14:48 GMT") == 1795662888);
  CHECK(parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT") == 1483228799);  // a leap second
  for (const char* const bad : {"", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
                                "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 GMT ",
                                "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
                                "Sun, 06 anF 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
                                "Sun, 06 Nov 19x4 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
                                "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
                                "Sun, 06 Nov 1994 -1:49:37 GMT", "Sun, 06 Nov 1969 08:49:37 GMT"}) {
    CAPTURE(bad);
    CHECK(parse_http_date(bad) == -1);
  }
}

TEST_CASE("decimal numbers are digits alone, up to 32 bits") {
  std::uint32_t number = 7;
  CHECK(parse_decimal("0", number));
  CHECK(number == 0);
  CHECK(parse_decimal("000012", number));
  CHECK(number == 12);
  CHECK(parse_decimal("4294967295", number));
  CHECK(number == 4294967295U);
  for (const char* bad : {"", "-1", "+1", " 1", "1 ", "0x1", "1.0", "1,1", "4294967296",
                          "42949672950", "99999999999999999999999", "a"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_decimal(bad, number));
    CHECK(number == 4294967295U);
  }
}

TEST_CASE("tokens and lists of them") {
  CHECK(is_token("Content-Length"));
  CHECK(is_token("!#$%&'*+-.^_`|~09azAZ"));
  for (const char* bad : {"", "a b", "a:", "a\t", "a\r", "(a)", "a/b", "\x80", "a,b", "\""}) {
    CAPTURE(bad);
    CHECK_FALSE(is_token(bad));
  }
  CHECK_FALSE(is_token(std::string_view("a\0", 2)));
  CHECK(list_names("Upgrade", "upgrade"));
  CHECK(list_names("keep-alive,\tUPGRADE ,x", "upgrade"));
  CHECK_FALSE(list_names("", "upgrade"));
  CHECK_FALSE(list_names("upgrades, up grade", "upgrade"));
  CHECK(same_ignoring_case("AbC-z", "aBc-Z"));
  CHECK_FALSE(same_ignoring_case("a", "ab"));
  CHECK_FALSE(same_ignoring_case("[", "{"));
  CHECK_FALSE(same_ignoring_case("\xC4", "\xE4"));
}

TEST_CASE("a line ends in CR LF and nowhere else, in whatever pieces it comes") {
  struct Case {
    std::string_view bytes;
    LineStep step;
    std::string_view line;
  };
  const Case cases[] = {
      {"", LineStep::kMore, ""},
      {"abc", LineStep::kMore, ""},
      {"abc\r", LineStep::kMore, ""},
      {"\r\n", LineStep::kLine, ""},
      {"abc\r\n", LineStep::kLine, "abc"},
      {"a\tb \xC3\xA4\r\nrest\n", LineStep::kLine, "a\tb \xC3\xA4"},
      {"abc\n", LineStep::kBroken, ""},
      {"\n", LineStep::kBroken, ""},
      {"a\rb\r\n", LineStep::kBroken, ""},
      {"a\r\r\n", LineStep::kBroken, ""},
      {std::string_view("a\0b\r\n", 5), LineStep::kBroken, ""},
      {"a\x1B[0m\r\n", LineStep::kBroken, ""},
      {"a\x7F\r\n", LineStep::kBroken, ""},
  };
  for (const Case& one : cases) {
    CAPTURE(std::string(one.bytes));
    std::size_t scanned = 0;
    std::string_view line;
    CHECK(find_line(bytes_of(one.bytes), scanned, line) == one.step);
    CHECK(line == one.line);

    // Byte by byte it comes to the same.
    scanned = 0;
    line = {};
    LineStep step = LineStep::kMore;
    for (std::size_t size = 0; size <= one.bytes.size() && step == LineStep::kMore; ++size) {
      step = find_line(bytes_of(one.bytes.substr(0, size)), scanned, line);
    }
    CHECK(step == one.step);
    CHECK(line == one.line);
  }
}

TEST_CASE("a status line") {
  StatusLine parsed;
  REQUIRE(parse_status_line("HTTP/1.1 200 OK", parsed));
  CHECK(parsed.status == 200);
  CHECK(parsed.minor_version == 1);
  REQUIRE(parse_status_line("HTTP/1.0 404", parsed));
  CHECK(parsed.status == 404);
  CHECK(parsed.minor_version == 0);
  CHECK(parse_status_line("HTTP/1.1 503 ", parsed));
  CHECK(parse_status_line("HTTP/1.1 599 a b\xC3\xA4", parsed));
  for (const char* bad :
       {"", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1  200",
        "HTTP/1.1\t200", "HTTP/2 200 OK", "HTTP/2.0 200 OK", "HTTP/11 200", "http/1.1 200 OK",
        "HTTP/1.1 099 x", "HTTP/1.1 600 x", "HTTP/1.1 -20 x", "HTTP/1.1 2x0 x", "HTTP/1.x 200",
        " HTTP/1.1 200 OK", "ICY 200 OK", "GET / HTTP/1.1"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_status_line(bad, parsed));
  }
}

TEST_CASE("a header line") {
  HeaderField field;
  REQUIRE(parse_header_field("Name: value", field));
  CHECK(field.name == "Name");
  CHECK(field.value == "value");
  REQUIRE(parse_header_field("a:\t b: c \t", field));
  CHECK(field.name == "a");
  CHECK(field.value == "b: c");
  REQUIRE(parse_header_field("Empty:", field));
  CHECK(field.value.empty());
  REQUIRE(parse_header_field("Blank:  \t ", field));
  CHECK(field.value.empty());
  for (const char* bad : {"", "Name", ": value", "Name : value", " Name: value", "\tfolded",
                          "N(me: x", "N\xC3\xA4me: x"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_header_field(bad, field));
  }
}

TEST_CASE("a request's head is written, or nothing at all when it does not fit") {
  const auto write = [](HeadWriter& head) {
    head.request_line("POST", "/a?b=c");
    head.field("Host", "h:1");
    head.field("Empty", "");
    head.field("Authorization", "Bearer ", "to ken");
    head.field("Nothing", "Bearer ", "");
    head.number_field("Content-Length", 4294967295U);
    head.number_field("Zero", 0);
    head.end("body");
  };
  const std::string whole =
      "POST /a?b=c HTTP/1.1\r\nHost: h:1\r\nAuthorization: Bearer to ken\r\n"
      "Content-Length: 4294967295\r\nZero: 0\r\n\r\nbody";
  CHECK(written(1000, write) == whole);
  CHECK(written(whole.size(), write) == whole);
  for (std::size_t room = 0; room < whole.size(); ++room) CHECK(written(room, write).empty());
}

TEST_CASE("nothing breaks out of its line of a request") {
  for (const std::string bad :
       {"a\r\nX: y", "a\nX: y", "a\r", "\n", "a\tb", "a\x7F", "a\x1B", "a\xC3\xA4", "\x80"}) {
    CAPTURE(bad);
    CHECK(written(1000, [&](HeadWriter& head) {
            head.request_line("GET", "/");
            head.field("Name", bad);
            head.end();
          }).empty());
    CHECK(written(1000, [&](HeadWriter& head) {
            head.request_line("GET", "/");
            head.field("Name", "Bearer ", bad);
            head.end();
          }).empty());
    CHECK(written(1000, [&](HeadWriter& head) {
            head.request_line("GET", "/" + bad);
            head.end();
          }).empty());
    CHECK(written(1000, [&](HeadWriter& head) {
            head.request_line(bad, "/");
            head.end();
          }).empty());
    CHECK(written(1000, [&](HeadWriter& head) {
            head.request_line("GET", "/");
            head.field(bad, "value");
            head.end();
          }).empty());
  }
  const std::string nul("a\0b", 3);
  CHECK(written(1000, [&](HeadWriter& head) { head.field("Name", nul); }).empty());
  for (const char* bad : {"", "path", "/a b", "http://a/", "*"}) {
    CAPTURE(bad);
    CHECK(written(1000, [&](HeadWriter& head) { head.request_line("GET", bad); }).empty());
  }
  CHECK(written(1000, [&](HeadWriter& head) { head.request_line("", "/"); }).empty());
  CHECK(written(1000, [&](HeadWriter& head) { head.request_line("GET /x", "/"); }).empty());
  // What was refused stays refused, and is told apart from what does not fit.
  std::vector<unsigned char> buffer(100);
  HeadWriter refused(MutableBytes(buffer.data(), buffer.size()));
  refused.field("Name", "a\n");
  refused.field("Name", "good");
  CHECK_FALSE(refused.ok());
  CHECK_FALSE(refused.too_large());
  HeadWriter large(MutableBytes(buffer.data(), 5));
  large.field("Name", "good");
  CHECK_FALSE(large.ok());
  CHECK(large.too_large());
}
