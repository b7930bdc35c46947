// Whether bytes are UTF-8 (RFC 3629).
#pragma once

#include "lobug/base/span.h"

namespace lobug {

/// No overlong forms, no surrogates, nothing beyond U+10FFFF, nothing cut off.
bool is_utf8(Bytes bytes);

}  // namespace lobug
