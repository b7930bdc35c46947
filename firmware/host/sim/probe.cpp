#include "probe.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "host_clock.h"
#include "lobug/net/url.h"
#include "lobug_sockets/net_connection.h"

namespace lobug::sim {
namespace {

class FileCa final : public CaSource {
 public:
  explicit FileCa(const char* file) {
    if (file == nullptr) return;
    std::ifstream in(file);
    (void)ca_.assign(
        std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>()));
  }
  const Text<2048>& ca() override { return ca_; }

 private:
  Text<2048> ca_;
};

const char* name_of(ConnectionFailure failure) {
  switch (failure) {
    case ConnectionFailure::kNone:
      return "none";
    case ConnectionFailure::kUnknownHost:
      return "unknown_host";
    case ConnectionFailure::kRefused:
      return "refused";
    case ConnectionFailure::kTimeout:
      return "timeout";
    case ConnectionFailure::kUntrusted:
      return "untrusted";
    case ConnectionFailure::kLost:
      return "lost";
    case ConnectionFailure::kOutdated:
      return "outdated";
    case ConnectionFailure::kNoCa:
      return "no_ca";
  }
  return "";
}

void pause() { (void)::poll(nullptr, 0, 1); }

std::string standard_input() {
  std::string all;
  std::array<char, 65536> piece{};
  while (true) {
    const ssize_t size = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (size <= 0) return all;
    all.append(piece.data(), static_cast<std::size_t>(size));
  }
}

/// Sends all of it, from changing places in memory, as the core's buffers move.
void talk(Connection& connection, const std::string& all) {
  std::size_t sent = 0;
  std::array<unsigned char, 4096> got{};
  std::string offered;
  while (connection.state() == ConnectionState::kOpen) {
    offered = all.substr(sent, offered.size() % 7 == 0 ? 5000 : 700);
    const auto* bytes = reinterpret_cast<const unsigned char*>(offered.data());
    const std::size_t taken = connection.write(Bytes(bytes, offered.size()));
    sent += taken;
    const std::size_t count = connection.read(MutableBytes(got.data(), got.size()));
    (void)std::fwrite(got.data(), 1, count, stdout);
    if (taken == 0 && count == 0) pause();
  }
  (void)std::fflush(stdout);
}

}  // namespace

int probe(int count, char** arguments) {
  Url url;
  const bool with_ca = count == 5 && std::strcmp(arguments[3], "--ca") == 0;
  if ((count != 3 && !with_ca) || !parse_url(arguments[2], url)) {
    (void)std::fprintf(stderr, "usage: lobug_sim probe URL [--ca FILE]\n");
    return 2;
  }
  // Unlike a device at its first start, this knows the time from the beginning.
  set_unix_ms(std::chrono::duration_cast<std::chrono::milliseconds>(
                  std::chrono::system_clock::now().time_since_epoch())
                  .count());
  FileCa ca(with_ca ? arguments[4] : nullptr);
  NetConnection connection(host_clocks(), ca);
  const std::string all = standard_input();
  connection.open(url.endpoint);
  while (connection.state() == ConnectionState::kOpening) pause();
  const bool opened = connection.state() == ConnectionState::kOpen;
  if (opened) talk(connection, all);
  (void)std::fprintf(stderr, "%s: %s\n", opened ? "closed" : "not opened",
                     name_of(connection.failure()));
  return opened ? 0 : 1;
}

}  // namespace lobug::sim
