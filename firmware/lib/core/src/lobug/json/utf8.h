// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lobug::json {

/// What stands for bytes that are no UTF-8 and for half a surrogate pair: U+FFFD.
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Length (1 to 4) of the character that `text` begins with; 0 when it begins with none.
std::size_t utf8_length(std::string_view text);

/// Writes one code point and returns its length, 1 to 4. What is no character becomes U+FFFD.
std::size_t write_utf8(std::uint32_t code_point, char (&into)[4]);

}  // namespace lobug::json
