// What the calls of BSD sockets report.
#pragma once

#include <cerrno>

namespace lobug {

/// Whether a call that does not wait has to be made again later. `error` is errno.
inline bool would_block(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace lobug
