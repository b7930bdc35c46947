// Where a TLS connection gets the CA from that it is to trust.
#pragma once

#include "lobug/base/text.h"

namespace lobug {

class CaSource {
 public:
  virtual ~CaSource() = default;
  /// PEM of the pinned CA (one certificate or several), empty: none. Asked at each `open`, by the
  /// connection's thread, since the owner may set another at any time.
  virtual const Text<2048>& ca() = 0;
};

}  // namespace lobug
