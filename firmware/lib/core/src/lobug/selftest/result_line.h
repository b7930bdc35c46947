// The result of the self-test as one line of JSON, to be copied into a message.
#pragma once

#include <cstddef>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/selftest/measurements.h"

namespace lobug {

/// Returns the length, 0 when it does not fit; 1,000 bytes hold any.
std::size_t write_result_line(Span<char> into, const Measurements& measured,
                              std::string_view version);

}  // namespace lobug
