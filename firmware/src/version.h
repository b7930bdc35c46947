// The version of this firmware, for discovery and for the comparison with updates.
#pragma once

namespace lobug {

constexpr const char* kFirmwareVersion = "2.0.0";

}  // namespace lobug
