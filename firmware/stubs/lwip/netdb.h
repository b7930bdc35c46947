// Stub: lwIP's look-up of names.
#pragma once

#include "sockets.h"

struct addrinfo {
  int ai_flags;
  int ai_family;
  int ai_socktype;
  int ai_protocol;
  socklen_t ai_addrlen;
  sockaddr* ai_addr;
  char* ai_canonname;
  addrinfo* ai_next;
};

int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** result);
void freeaddrinfo(addrinfo* first);
