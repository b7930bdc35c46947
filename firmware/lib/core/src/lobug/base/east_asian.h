// Where East Asian texts differ from others: square characters, and lines that break between them.
#pragma once

#include <cstdint>

namespace lobug {

/// Whether a character fills a square: Han, Kana, Hangul and their punctuation (Unicode's East
/// Asian Width W and F, by blocks).
bool is_wide(std::uint32_t character);

/// Whether a line may end between two characters that stand beside each other without a space:
/// beside a square one, but no line begins with 。 or a closing bracket, and none ends with an
/// opening one.
bool may_break(std::uint32_t before, std::uint32_t after);

}  // namespace lobug
