#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "lobug/ui/captions.h"
#include "support/scripted_random.h"

using namespace lobug;

namespace {

std::vector<std::string> lines_of(std::string_view text, int width) {
  std::array<Line, kMostLines> lines;
  const std::size_t count = wrap(text, FontSize::kLarge, width, {lines.data(), lines.size()});
  std::vector<std::string> found;
  for (std::size_t i = 0; i < count; ++i) {
    found.emplace_back(text.substr(lines[i].begin, lines[i].length));
  }
  return found;
}

}  // namespace

TEST_CASE("lines break at spaces and at line ends") {
  CHECK(lines_of("", 300).empty());
  CHECK(lines_of("Hello", 300) == std::vector<std::string>{"Hello"});
  CHECK(lines_of("one\ntwo", 300) == std::vector<std::string>{"one", "two"});
  CHECK(lines_of("one\n\ntwo", 300) == std::vector<std::string>{"one", "", "two"});
  const int width = Canvas::text_width("one two", FontSize::kLarge);
  CHECK(lines_of("one two three", width) == std::vector<std::string>{"one two", "three"});
  CHECK(lines_of(std::string(500, ' '), 100).empty());
}

TEST_CASE("whatever the text, every line fits, nothing but spaces is lost, no character is cut") {
  ScriptedRandom random;
  const std::vector<std::string> parts = {
      "a",    "word", " ",     "  ",        "\n",  "Donaudampfschifffahrt",
      "é",    "ß",    "…",     "€",         "W",   "\xF0\x9F\x99\x82",
      "\xFF", ".",    "Съешь", "ψυχοφθόρα", "ğ",   "你好",
      "。",   "「",   "」",    "ッ",        "한국"};
  for (int round = 0; round < 400; ++round) {
    std::string text;
    for (std::size_t n = random.below(40); n > 0; --n) text += parts[random.below(parts.size())];
    const int width = 60 + static_cast<int>(random.below(250));
    std::string joined;
    for (const std::string& line : lines_of(text, width)) {
      CHECK(Canvas::text_width(line, FontSize::kLarge) <= width);
      if (!line.empty()) CHECK((static_cast<unsigned char>(line[0]) & 0xC0U) != 0x80U);
      joined += line;
    }
    std::string kept;
    for (const char c : text) {
      if (c != ' ' && c != '\n') kept += c;
    }
    std::string shown;
    for (const char c : joined) {
      if (c != ' ') shown += c;
    }
    CHECK(shown == kept);
  }
}

TEST_CASE(
    "a text without spaces breaks between its characters, and no line begins with a full stop") {
  using Lines = std::vector<std::string>;
  CHECK(lines_of("今日はいい天気", 16 * 4) == Lines{"今日はい", "い天気"});
  CHECK(lines_of("今日は。いい", 16 * 3) == Lines{"今日", "は。い", "い"});
  CHECK(lines_of("今日「散歩」", 16 * 3) == Lines{"今日", "「散", "歩」"});
  CHECK(lines_of("ラッコ", 16 * 1) == Lines{"ラ", "ッ", "コ"});  // too narrow for rules
  const int word = Canvas::text_width("Lo-Bug", FontSize::kLarge);
  CHECK(lines_of("日本Lo-Bug日本", word + 2) == Lines{"日本", "Lo-Bug", "日本"});
}

TEST_CASE("a long caption is read to its end and then stands still") {
  std::vector<Colour> pixels(320 * 60);
  Canvas canvas({pixels.data(), pixels.size()}, 320, 60);
  Captions captions;
  const auto picture = [&](Millis now) {
    canvas.clear(0);
    captions.draw(canvas, {0, 0, 200, 46}, 2, 0xFFFF, now);
    return pixels;
  };
  captions.show("one two three four five six seven eight nine ten eleven twelve thirteen", 0);
  const auto first = picture(100);
  captions.show("one two three four five six seven eight nine ten eleven twelve thirteen", 50);
  CHECK(picture(Captions::kLineMs / 2) == first);
  const auto later = picture(Captions::kLineMs * 2);
  CHECK(later != first);
  const auto last = picture(60000);
  CHECK(last != later);
  CHECK(picture(90000) == last);
}
