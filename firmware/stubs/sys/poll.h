// Stub: ESP-IDF 4.4.
#pragma once

#define POLLIN 0x001
#define POLLOUT 0x004
#define POLLERR 0x008
#define POLLHUP 0x010

struct pollfd {
  int fd;
  short events;
  short revents;
};
using nfds_t = unsigned int;

extern "C" int poll(pollfd* descriptors, nfds_t count, int timeout);
