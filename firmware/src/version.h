// The version of this firmware: what discovery is told and updates are compared with.
#pragma once

namespace lobug {

constexpr const char* kFirmwareVersion = "2.0.0";

}  // namespace lobug
