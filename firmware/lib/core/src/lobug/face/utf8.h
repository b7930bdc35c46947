// UTF-8, character by character, for what is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lobug {

/// What stands for broken bytes: U+FFFD, which is drawn as a box.
constexpr std::uint32_t kReplacement = 0xFFFD;

/// The character that starts at `at`, which is moved behind it. Broken, overlong and surrogate
/// sequences give kReplacement, one for each byte that cannot be part of a character.
/// `at` must be less than the text's size.
std::uint32_t next_character(std::string_view text, std::size_t& at);

/// The character that is drawn in place of another: a plain hyphen for a non-breaking one, a space
/// for a narrow one. 0: nothing is drawn (joiners, variation selectors, control characters).
std::uint32_t shown_as(std::uint32_t character);

}  // namespace lobug
