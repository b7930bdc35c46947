// The way out of the serial line.
#pragma once

#include <string_view>

namespace lobug {

class SerialOutput {
 public:
  virtual ~SerialOutput() = default;
  /// Any bytes. What cannot be written is lost.
  virtual void write(std::string_view bytes) = 0;
};

}  // namespace lobug
