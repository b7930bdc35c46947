#include <doctest/doctest.h>

#include <string>

#include "lobug/base/text.h"

using namespace lobug;

TEST_CASE("what fits is kept, closed by a NUL") {
  Text<5> text;
  CHECK(text.empty());
  CHECK(std::string(text.c_str()).empty());
  CHECK(text.assign("hello"));
  CHECK(text == "hello");
  CHECK(text.size() == 5);
  CHECK(text.c_str()[5] == '\0');
  CHECK(std::string(text.c_str()) == "hello");
  CHECK(text.capacity() == 5);
  text.clear();
  CHECK(text.empty());
  CHECK(text.c_str()[0] == '\0');
  CHECK(text != "hello");
}

TEST_CASE("what does not fit is left out, and said so") {
  Text<5> text;
  CHECK_FALSE(text.assign("hello!"));
  CHECK(text == "hello");
  CHECK_FALSE(text.append('x'));
  CHECK(text == "hello");
  CHECK(text.append(""));
  CHECK(text.assign("ab"));
  CHECK(text == "ab");
  CHECK(text.c_str()[2] == '\0');
  CHECK(text.append("cd"));
  CHECK_FALSE(text.append("ef"));
  CHECK(text == "abcde");
  Text<0> none;
  CHECK(none.assign(""));
  CHECK_FALSE(none.assign("a"));
  CHECK(none.empty());
  CHECK(Text<3>("abcdef") == "abc");
}

TEST_CASE("a character is never cut") {
  Text<5> text;
  CHECK_FALSE(text.assign("abcd\xC3\xA4"));
  CHECK(text == "abcd");
  CHECK(text.assign("abc\xC3\xA4"));
  CHECK_FALSE(text.assign("abc\xE2\x82\xAC"));
  CHECK(text == "abc");
  CHECK_FALSE(text.assign("a\xF0\x9F\x90\x9B\xC3\xA4"));
  CHECK(text == "a\xF0\x9F\x90\x9B");
  CHECK_FALSE(text.assign("\xC3\xA4\xC3\xA4\xC3\xA4"));
  CHECK(text == "\xC3\xA4\xC3\xA4");
}

TEST_CASE("the longest beginning of a text, by bytes") {
  const std::string text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x90\x9B";  // 1, 2, 3 and 4 bytes
  const std::size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
  for (std::size_t bytes = 0; bytes < 12; ++bytes) {
    CAPTURE(bytes);
    CHECK(utf8_prefix(text, bytes) == std::string_view(text).substr(0, expected[bytes]));
  }
  // What is no UTF-8 ends somewhere too.
  CHECK(utf8_prefix("\x80\x80\x80\x80", 2).empty());
  CHECK(utf8_prefix("", 0).empty());
  CHECK(utf8_prefix("\xFF\xFF\xFF", 2) == "\xFF\xFF");
}

TEST_CASE("a text may hold a NUL, and knows its length then") {
  Text<8> text;
  CHECK(text.assign(std::string_view("a\0b", 3)));
  CHECK(text.size() == 3);
  CHECK(text == std::string_view("a\0b", 3));
  CHECK(text != "a");
}
