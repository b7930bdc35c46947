// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace lobug {

/// Length (1 to 4) of the character that `text` begins with; 0 when it begins with none, or with
/// one that is cut off.
std::size_t utf8_length(std::string_view text);

/// Whether all of it is UTF-8.
bool is_utf8(std::string_view text);

}  // namespace lobug
