#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "lobug/protocol/glyph_reader.h"
#include "lobug/protocol/messages.h"

using namespace lobug;
using Next = GlyphReader::Next;

namespace {

// 16 rows of 16 pixels, 32 bytes: the first has its first pixel, the last its last.
const std::string kSquare = "gAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE=";

std::string glyph(const std::string& code, const std::string& width, const std::string& height,
                  const std::string& bits) {
  return R"({"code":)" + code + R"(,"width":)" + width + R"(,"height":)" + height + R"(,"bits":")" +
         bits + R"("})";
}

std::vector<Next> read(const std::string& glyphs) {
  GlyphReader reader(glyphs);
  std::vector<Next> found;
  PushedGlyph into;
  do {
    found.push_back(reader.next(into));
  } while (found.back() != Next::kEnd);
  found.pop_back();
  return found;
}

}  // namespace

TEST_CASE("a square picture is read, row by row") {
  // The message's payload is a part of it.
  const std::string json = R"({"session_id":"4f","type":"glyphs","glyphs":[)" +
                           glyph("26085", "16", "16", kSquare) + "]}";
  const ServerMessage message = read_server_message(json);
  REQUIRE(message.kind == ServerMessage::Kind::kGlyphs);
  GlyphReader reader(message.payload);
  PushedGlyph into;
  REQUIRE(reader.next(into) == Next::kGood);
  CHECK(into.code == 26085);
  CHECK(into.width == 16);
  CHECK(into.height == 16);
  CHECK(into.rows[0] == 0x8000);
  CHECK(into.rows[1] == 0);
  CHECK(into.rows[15] == 1);
  CHECK(reader.next(into) == Next::kEnd);
}

TEST_CASE("a narrow picture has one byte for a row") {
  PushedGlyph into;
  const std::string arrow = "[" + glyph("8594", "8", "3", "gQEC") + "]";
  GlyphReader reader(arrow);
  REQUIRE(reader.next(into) == Next::kGood);
  CHECK(into.rows[0] == 0x8100);
  CHECK(into.rows[1] == 0x0100);
  CHECK(into.rows[2] == 0x0200);
  CHECK(into.rows[3] == 0);
}

TEST_CASE("what is broken is bad, and what follows it is read") {
  const std::string good = glyph("26085", "16", "16", kSquare);
  for (const std::string& broken : {glyph("26085", "16", "16", kSquare.substr(0, 40)),
                                    glyph("26085", "16", "16", kSquare + "AAAA"),
                                    glyph("26085", "16", "16", kSquare + std::string(4000, 'A')),
                                    glyph("26085", "16", "15", kSquare),
                                    glyph("26085", "8", "16", kSquare),
                                    glyph("26085", "17", "16", kSquare),
                                    glyph("26085", "16", "17", kSquare),
                                    glyph("26085", "0", "16", kSquare),
                                    glyph("26085", "16", "0", ""),
                                    glyph("-1", "16", "16", kSquare),
                                    glyph("65", "16", "16", kSquare),
                                    glyph("65536", "16", "16", kSquare),
                                    glyph("1e99", "16", "16", kSquare),
                                    glyph("\"26085\"", "16", "16", kSquare),
                                    glyph("26085", "16", "16", ""),
                                    glyph("26085", "16", "16", "!" + kSquare.substr(1)),
                                    glyph("26085", "16", "16", "=" + kSquare.substr(1)),
                                    glyph("26085", "16", "16", kSquare.substr(0, 43) + "A"),
                                    std::string("{}"),
                                    std::string("null"),
                                    std::string("[]"),
                                    std::string("\"glyph\""),
                                    std::string("7")}) {
    CAPTURE(broken);
    CHECK(read("[" + good + "," + broken + "," + good + "]") ==
          std::vector<Next>{Next::kGood, Next::kBad, Next::kGood});
  }
}

TEST_CASE("a bad picture leaves what was there as it is") {
  PushedGlyph into;
  into.code = 7;
  const std::string bad = "[" + glyph("26085", "16", "16", "AAAA") + "]";
  GlyphReader reader(bad);
  CHECK(reader.next(into) == Next::kBad);
  CHECK(into.code == 7);
}

TEST_CASE("no more than 64 of a message are taken") {
  std::string many = "[";
  for (int count = 0; count < 70; ++count) {
    many += (count > 0 ? "," : "") + glyph("26085", "16", "16", kSquare);
  }
  const std::vector<Next> found = read(many + "]");
  REQUIRE(found.size() == 70);
  CHECK(found[63] == Next::kGood);
  CHECK(found[64] == Next::kBad);
}

TEST_CASE("a message without an array is none of ours") {
  for (const char* const text : {R"({"type":"glyphs"})", R"({"type":"glyphs","glyphs":{}})",
                                 R"({"type":"glyphs","glyphs":7})"}) {
    CHECK(read_server_message(text).kind == ServerMessage::Kind::kIgnored);
  }
  CHECK(read_server_message(R"({"type":"glyphs","glyphs":[]})").kind ==
        ServerMessage::Kind::kGlyphs);
  CHECK(read("").empty());
  CHECK(read("{}").empty());
}

TEST_CASE("the hello asks for pictures where they are kept, and only there") {
  std::string buffer(1000, '#');
  const auto hello = [&](std::size_t glyphs) {
    return buffer.substr(0, write_hello({buffer.data(), buffer.size()}, "", glyphs));
  };
  CHECK(hello(256).find(R"("glyphs":{"size":16,"keeps":256})") != std::string::npos);
  CHECK(hello(0).find("glyphs") == std::string::npos);
}
