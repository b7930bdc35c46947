// A drawn body: what the head does, as the servos are told it, in pictures of 24 moments or poses.
#pragma once

#include <string>

namespace lobug {

/// body-NAME.ppm; false when a file cannot be written.
bool render_bodies(const std::string& folder);

}  // namespace lobug
