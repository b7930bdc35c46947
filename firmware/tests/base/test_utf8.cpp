#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "lobug/base/utf8.h"

using namespace lobug;

namespace {

/// As RFC 3629 says it, by the value of the character; nothing of the tested table.
bool is_one_character(const std::string& text) {
  const auto at = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::size_t size = text.size();
  const std::uint32_t lead = at(0);
  std::uint32_t value = 0;
  if (size == 1) return lead < 0x80;
  if (size == 2 && lead >> 5U == 6)
    value = lead & 31U;
  else if (size == 3 && lead >> 4U == 14)
    value = lead & 15U;
  else if (size == 4 && lead >> 3U == 30)
    value = lead & 7U;
  else
    return false;
  for (std::size_t i = 1; i < size; ++i) {
    if (at(i) >> 6U != 2) return false;
    value = value << 6U | (at(i) & 63U);
  }
  const std::uint32_t least = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;
  return value >= least && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

}  // namespace

TEST_CASE("UTF-8: the ends of every range") {
  CHECK(is_utf8(""));
  CHECK(is_utf8(std::string_view("\0\x7F", 2)));
  CHECK(is_utf8("\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"));
  CHECK(is_utf8("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"));
  CHECK(is_utf8("Gr\xC3\xBC\xC3\x9F dich, \xE4\xB8\x96\xE7\x95\x8C \xF0\x9F\x90\x9B"));
  for (const char* bad : {"\x80",
                          "\xBF",
                          "\xC0\x80",
                          "\xC1\xBF",
                          "\xC2",
                          "\xC2\x41",
                          "\xC2\xC2",
                          "\xE0\x9F\xBF",
                          "\xE0\xA0",
                          "\xED\xA0\x80",
                          "\xED\xBF\xBF",
                          "\xE1\x80\xC0",
                          "\xF0\x8F\xBF\xBF",
                          "\xF4\x90\x80\x80",
                          "\xF5\x80\x80\x80",
                          "\xF0\x90\x80",
                          "\xF0\x90\x80\x41",
                          "\xFE",
                          "\xFF",
                          "ok\xC3",
                          "\xC3\xA4\xA4",
                          "\xF8\x88\x80\x80\x80"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_utf8(bad));
    CHECK_FALSE(is_utf8("before " + std::string(bad)));
    CHECK_FALSE(is_utf8(std::string(bad) + " after"));
  }
}

TEST_CASE("UTF-8: every sequence of two bytes, and the edges of longer ones, as the RFC has it") {
  int wrong = 0;
  const auto check = [&](const std::string& text) {
    // One character, or two of one byte; whatever is longer is one character or nothing.
    const bool two =
        text.size() == 2 && is_one_character(text.substr(0, 1)) && is_one_character(text.substr(1));
    if (is_utf8(text) != (is_one_character(text) || two)) ++wrong;
  };
  for (int lead = 0; lead < 256; ++lead) {
    check(std::string(1, static_cast<char>(lead)));
    for (int second = 0; second < 256; ++second) {
      const std::string start = {static_cast<char>(lead), static_cast<char>(second)};
      check(start);
      if (lead < 0xC0) continue;
      for (const int third : {0x00, 0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xFF}) {
        const std::string longer = start + static_cast<char>(third);
        if (lead >= 0xE0) check(longer);
        for (const int fourth : {0x00, 0x7F, 0x80, 0xBF, 0xC0}) {
          if (lead >= 0xF0) check(longer + static_cast<char>(fourth));
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("UTF-8: the length of the first character alone") {
  CHECK(utf8_length("") == 0);
  CHECK(utf8_length("a\xFF") == 1);
  CHECK(utf8_length("\xC3\xA4\xFF") == 2);
  CHECK(utf8_length("\xE2\x82\xAC") == 3);
  CHECK(utf8_length("\xF0\x9F\x90\x9B!") == 4);
  CHECK(utf8_length("\xF0\x9F\x90") == 0);
  CHECK(utf8_length("\xA4") == 0);
  // Nothing behind the end is looked at: it would make these characters whole.
  const std::string_view whole = "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x90\x9B";
  CHECK(utf8_length(whole.substr(0, 1)) == 0);
  CHECK(utf8_length(whole.substr(2, 1)) == 0);
  CHECK(utf8_length(whole.substr(2, 2)) == 0);
  CHECK(utf8_length(whole.substr(5, 1)) == 0);
  CHECK(utf8_length(whole.substr(5, 3)) == 0);
  CHECK(utf8_length(whole.substr(5, 4)) == 4);
}
