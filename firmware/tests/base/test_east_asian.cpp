#include <doctest/doctest.h>

#include <string_view>

#include "lobug/base/east_asian.h"
#include "lobug/base/utf8.h"

using lobug::is_wide;
using lobug::may_break;

namespace {

bool between(std::string_view two) {
  std::size_t at = 0;
  const std::uint32_t before = lobug::decode_utf8(two, at);
  return may_break(before, lobug::decode_utf8(two, at));
}

}  // namespace

TEST_CASE("Han, Kana, Hangul and their punctuation are square, letters are not") {
  for (const std::uint32_t wide :
       {0x3042U, 0x30ABU, 0x65E5U, 0xD55CU, 0x3002U, 0xFF01U, 0x20BB7U}) {
    CHECK(is_wide(wide));
  }
  for (const std::uint32_t narrow :
       {0x41U, 0xE9U, 0x416U, 0x3B1U, 0x2192U, 0x2026U, 0xFF71U, 0xE01U}) {
    CHECK_FALSE(is_wide(narrow));
  }
}

TEST_CASE("a line may end between square characters, and not within a word") {
  CHECK(between("日本"));
  CHECK(between("日a"));
  CHECK(between("a日"));
  CHECK_FALSE(between("ab"));
  CHECK_FALSE(between("жд"));
}

TEST_CASE(
    "no line begins with a full stop or a closing bracket, and none ends with an opening one") {
  for (const char* const two :
       {"日。", "日、", "日」", "日！", "日ー", "日っ", "日）", "日.", "日…", "本々"}) {
    CAPTURE(two);
    CHECK_FALSE(between(two));
  }
  for (const char* const two : {"「日", "（日", "『日", "“日"}) {
    CAPTURE(two);
    CHECK_FALSE(between(two));
  }
  CHECK(between("。日"));
  CHECK(between("」日"));
  CHECK(between("日「"));
}
