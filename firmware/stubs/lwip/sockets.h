// Stub: lwIP's sockets as in ESP-IDF 4.4.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/types.h>

using socklen_t = std::uint32_t;
using sa_family_t = std::uint8_t;
using in_port_t = std::uint16_t;

struct sockaddr {
  std::uint8_t sa_len;
  sa_family_t sa_family;
  char sa_data[14];
};
struct in_addr {
  std::uint32_t s_addr;
};
struct in6_addr {
  std::uint8_t s6_addr[16];
};
struct sockaddr_in {
  std::uint8_t sin_len;
  sa_family_t sin_family;
  in_port_t sin_port;
  in_addr sin_addr;
  char sin_zero[8];
};
struct sockaddr_in6 {
  std::uint8_t sin6_len;
  sa_family_t sin6_family;
  in_port_t sin6_port;
  std::uint32_t sin6_flowinfo;
  in6_addr sin6_addr;
  std::uint32_t sin6_scope_id;
};

#define AF_UNSPEC 0
#define AF_INET 2
#define AF_INET6 10
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define IPPROTO_TCP 6
#define SOL_SOCKET 0xfff
#define SO_REUSEADDR 0x0004
#define SO_ERROR 0x1007
#define SO_KEEPALIVE 0x0008
#define TCP_NODELAY 0x01
#define MSG_PEEK 0x01
#define SHUT_WR 1
#define INADDR_ANY 0U

int inet_pton(int family, const char* text, void* address);
std::uint16_t htons(std::uint16_t value);
std::uint32_t htonl(std::uint32_t value);

int socket(int domain, int type, int protocol);
int bind(int socket, const sockaddr* name, socklen_t size);
int listen(int socket, int backlog);
int accept(int socket, sockaddr* address, socklen_t* size);
int connect(int socket, const sockaddr* name, socklen_t size);
int shutdown(int socket, int how);
int setsockopt(int socket, int level, int name, const void* value, socklen_t size);
int getsockopt(int socket, int level, int name, void* value, socklen_t* size);
ssize_t recv(int socket, void* memory, std::size_t size, int flags);
ssize_t recvfrom(int socket, void* memory, std::size_t size, int flags, sockaddr* from,
                 socklen_t* from_size);
ssize_t send(int socket, const void* data, std::size_t size, int flags);
ssize_t sendto(int socket, const void* data, std::size_t bytes, int flags, const sockaddr* to,
               socklen_t tolen);
