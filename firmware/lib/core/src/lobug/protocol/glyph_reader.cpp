#include "lobug/protocol/glyph_reader.h"

#include "lobug/base/text.h"

namespace lobug {
namespace {

using json::Value;

constexpr std::size_t kMostBytes = PushedGlyph::kMostSide * 2;
constexpr std::size_t kMostBase64 = (kMostBytes + 2) / 3 * 4;

/// 0 to 63; -1: no character of base64.
int sextet_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

/// Reads exactly `size` bytes with their padding; false when `text` is anything else.
bool read_base64(std::string_view text, std::array<std::uint8_t, kMostBytes>& into,
                 std::size_t size) {
  if (text.size() != (size + 2) / 3 * 4) return false;
  const std::size_t padding = (3 - size % 3) % 3;
  std::uint32_t bits = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_padding = at >= text.size() - padding;
    const int sextet = is_padding ? (text[at] == '=' ? 0 : -1) : sextet_of(text[at]);
    if (sextet < 0) return false;
    bits = bits << 6U | static_cast<std::uint32_t>(sextet);
    if (at % 4 != 3) continue;
    for (std::size_t byte = 0; byte < 3; ++byte) {
      const std::size_t place = at / 4 * 3 + byte;
      if (place < size) into[place] = static_cast<std::uint8_t>(bits >> (16 - 8 * byte) & 0xFFU);
    }
  }
  return true;
}

bool read_glyph(const Value& value, PushedGlyph& glyph) {
  constexpr std::int64_t kSide = PushedGlyph::kMostSide;
  const auto code = value.member("code").integer(0x80, 0xFFFF);
  const auto width = value.member("width").integer(1, kSide);
  const auto height = value.member("height").integer(1, kSide);
  Text<kMostBase64> text;
  if (!code || !width || !height || !value.member("bits").text(text)) return false;
  const std::size_t in_row = *width > 8 ? 2 : 1;
  std::array<std::uint8_t, kMostBytes> bytes{};
  if (!read_base64(text, bytes, in_row * static_cast<std::size_t>(*height))) return false;
  glyph = {};
  glyph.code = static_cast<std::uint16_t>(*code);
  glyph.width = static_cast<std::uint8_t>(*width);
  glyph.height = static_cast<std::uint8_t>(*height);
  for (std::size_t row = 0; row < glyph.height; ++row) {
    const unsigned high = bytes[row * in_row];
    const unsigned low = in_row > 1 ? bytes[row * in_row + 1] : 0U;
    glyph.rows[row] = static_cast<std::uint16_t>(high << 8U | low);
  }
  return true;
}

}  // namespace

GlyphReader::Next GlyphReader::next(PushedGlyph& into) {
  if (!items_.next()) return Next::kEnd;
  if (++count_ > kMost) return Next::kBad;
  return read_glyph(items_.value(), into) ? Next::kGood : Next::kBad;
}

}  // namespace lobug
