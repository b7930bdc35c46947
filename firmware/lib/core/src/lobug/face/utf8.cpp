#include "lobug/face/utf8.h"

namespace lobug {
namespace {

constexpr bool continues(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

}  // namespace

std::uint32_t next_character(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at]);
  ++at;
  if (first < 0x80U) return first;

  std::size_t more = 0;
  std::uint32_t least = 0;
  std::uint32_t character = 0;
  if ((first & 0xE0U) == 0xC0U) {
    more = 1, least = 0x80, character = first & 0x1FU;
  } else if ((first & 0xF0U) == 0xE0U) {
    more = 2, least = 0x800, character = first & 0x0FU;
  } else if ((first & 0xF8U) == 0xF0U) {
    more = 3, least = 0x10000, character = first & 0x07U;
  } else {
    return kReplacement;
  }
  if (text.size() - at < more) return kReplacement;
  for (std::size_t index = 0; index < more; ++index) {
    const auto byte = static_cast<unsigned char>(text[at + index]);
    if (!continues(byte)) return kReplacement;
    character = (character << 6U) | (byte & 0x3FU);
  }
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  if (character < least || character > 0x10FFFF || surrogate) return kReplacement;
  at += more;
  return character;
}

std::uint32_t shown_as(std::uint32_t character) {
  if (character < 0x20 || (character >= 0x7F && character < 0xA0)) return 0;
  switch (character) {
    case 0x00AD:  // soft hyphen
    case 0x200B:  // zero width space
    case 0x200C:
    case 0x200D:  // joiners
    case 0x2060:
    case 0xFE0E:  // text or emoji, please
    case 0xFE0F:
    case 0xFEFF:
      return 0;
    case 0x00A0:
    case 0x2002:
    case 0x2003:
    case 0x2009:
    case 0x202F:
      return ' ';
    case 0x2010:
    case 0x2011:
      return '-';
    case 0x2212:
      return 0x2013;
    default:
      return character;
  }
}

}  // namespace lobug
