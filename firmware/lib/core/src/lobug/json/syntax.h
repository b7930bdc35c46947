// Whether a text is JSON. Strict, so that everything behind it may rely on it.
#pragma once

#include <cstddef>
#include <string_view>

namespace lobug::json {

/// How deep arrays and objects may nest; the server's own limit.
constexpr std::size_t kMaxDepth = 32;

/// The one value of a document without the white space around it; empty when `document` is not
/// exactly one JSON value (RFC 8259) or nests deeper than `kMaxDepth`. The bytes of strings are not
/// looked at beyond that: reading a string mends what is no UTF-8.
std::string_view only_value(std::string_view document);

/// For text that `only_value` has accepted: where the value that begins at `at` ends, and the next
/// place from `at` on that is no white space.
std::size_t end_of_value(std::string_view text, std::size_t at);
std::size_t skip_space(std::string_view text, std::size_t at);

}  // namespace lobug::json
