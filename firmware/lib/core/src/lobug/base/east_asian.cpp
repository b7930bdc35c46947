#include "lobug/base/east_asian.h"

#include <string_view>

#include "lobug/base/utf8.h"

namespace lobug {
namespace {

struct Range {
  std::uint32_t first, last;
};
constexpr Range kWide[] = {
    {0x1100, 0x115F},    // Hangul: leading consonants
    {0x2E80, 0x303E},    // radicals, punctuation
    {0x3041, 0x4DBF},    // Kana, Bopomofo, compatibility, Han
    {0x4E00, 0xA4CF},    // Han, Yi
    {0xA960, 0xA97F},    // Hangul
    {0xAC00, 0xD7A3},    // Hangul: syllables
    {0xF900, 0xFAFF},    // Han
    {0xFE30, 0xFE6F},    // punctuation
    {0xFF01, 0xFF60},    // full width
    {0xFFE0, 0xFFE6},    // full width
    {0x1F300, 0x1FAFF},  // pictographs
    {0x20000, 0x3FFFD},  // Han
};

constexpr std::string_view kNeverFirst =
    "!%),.:;?]}¢°’”‰…℃、。々〉》」』】〕〗〟゛゜ゝゞ・ーヽヾ"
    "ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ"
    "！％），．：；？］｝～｡｣､･ｰﾞﾟ";
constexpr std::string_view kNeverLast = "([{£¥‘“〈《「『【〔〖〝（［｛￡￥｢";

bool is_among(std::string_view characters, std::uint32_t character) {
  for (std::size_t at = 0; at < characters.size();) {
    if (decode_utf8(characters, at) == character) return true;
  }
  return false;
}

}  // namespace

bool is_wide(std::uint32_t character) {
  for (const Range& range : kWide) {
    if (character <= range.last) return character >= range.first;
  }
  return false;
}

bool may_break(std::uint32_t before, std::uint32_t after) {
  if (!is_wide(before) && !is_wide(after)) return false;
  return !is_among(kNeverFirst, after) && !is_among(kNeverLast, before);
}

}  // namespace lobug
