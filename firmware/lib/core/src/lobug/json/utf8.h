// UTF-8 of escaped characters, and what stands for those that are none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lobug::json {

/// What stands for bytes that are no UTF-8 and for half a surrogate pair: U+FFFD.
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Writes one code point and returns its length, 1 to 4. What is no character becomes U+FFFD.
std::size_t write_utf8(std::uint32_t code_point, char (&into)[4]);

}  // namespace lobug::json
