#include <dlfcn.h>
#include <doctest/doctest.h>
#include <netdb.h>
#include <poll.h>

#include <array>
#include <string>
#include <string_view>

#include "lobug_sockets/tcp_connection.h"
#include "sockets/loopback_server.h"
#include "support/text.h"

namespace {
int look_ups = 0;
}

// In front of the system's, which it asks: counts how often a name is looked up.
extern "C" int getaddrinfo(const char* host, const char* port, const addrinfo* hints,
                           addrinfo** found) {
  ++look_ups;
  using Ask = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto ask = reinterpret_cast<Ask>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return ask(host, port, hints, found);
}

namespace lobug {
namespace {

/// The connections' clock stands still unless a test moves it: no test depends on real time.
Millis scripted_now = 0;
std::int64_t no_time() { return 0; }
const Clocks kClocks{[] { return scripted_now; }, no_time};

Endpoint at(std::uint16_t port, std::string_view host = "127.0.0.1") {
  Endpoint endpoint;
  endpoint.host = host;
  endpoint.port = port;
  return endpoint;
}

/// Lets the system work until `done` or for two seconds at most.
template <typename Done>
bool wait_until(Done done) {
  for (int round = 0; round < 2000; ++round) {
    if (done()) return true;
    (void)::poll(nullptr, 0, 1);
  }
  return false;
}

bool leaves_opening(Connection& connection) {
  return wait_until([&] { return connection.state() != ConnectionState::kOpening; });
}

std::string read_all(Connection& connection, std::size_t count) {
  std::string got;
  std::array<unsigned char, 512> piece{};
  (void)wait_until([&] {
    const std::size_t size = connection.read(MutableBytes(piece.data(), piece.size()));
    got.append(reinterpret_cast<const char*>(piece.data()), size);
    return got.size() >= count || connection.state() != ConnectionState::kOpen;
  });
  return got;
}

TEST_CASE("bytes go both ways") {
  LoopbackServer server;
  TcpConnection connection(kClocks);
  CHECK(connection.state() == ConnectionState::kClosed);
  connection.open(at(server.port()));
  REQUIRE(leaves_opening(connection));
  REQUIRE(connection.state() == ConnectionState::kOpen);
  CHECK(connection.failure() == ConnectionFailure::kNone);
  REQUIRE(server.accept());
  const std::string said = "hello";
  CHECK(connection.write(bytes_of(said)) == said.size());
  CHECK(server.receive(said.size()) == said);
  std::array<unsigned char, 8> nothing{};
  CHECK(connection.read(MutableBytes(nothing.data(), nothing.size())) == 0);
  CHECK(connection.state() == ConnectionState::kOpen);
  REQUIRE(server.send("answer"));
  CHECK(read_all(connection, 6) == "answer");
  connection.close();
  CHECK(connection.state() == ConnectionState::kClosed);
}

TEST_CASE("a name is looked up, and each of its addresses tried") {
  // localhost is ::1 and 127.0.0.1 on many machines, and the server listens on the second only.
  LoopbackServer server;
  TcpConnection connection(kClocks);
  connection.open(at(server.port(), "localhost"));
  REQUIRE(leaves_opening(connection));
  CHECK(connection.state() == ConnectionState::kOpen);
}

TEST_CASE("reading and writing nothing changes nothing") {
  LoopbackServer server;
  TcpConnection connection(kClocks);
  connection.open(at(server.port()));
  REQUIRE(leaves_opening(connection));
  REQUIRE(server.accept());
  REQUIRE(server.send("waiting"));
  CHECK(connection.read(MutableBytes()) == 0);
  CHECK(connection.write(Bytes()) == 0);
  CHECK(connection.state() == ConnectionState::kOpen);
  CHECK(read_all(connection, 7) == "waiting");
}

TEST_CASE("an orderly end is known once all was read") {
  LoopbackServer server;
  TcpConnection connection(kClocks);
  connection.open(at(server.port()));
  REQUIRE(leaves_opening(connection));
  REQUIRE(server.accept());
  REQUIRE(server.send("last words"));
  server.hang_up();
  CHECK(connection.state() == ConnectionState::kOpen);
  CHECK(read_all(connection, 1000) == "last words");
  CHECK(connection.state() == ConnectionState::kClosed);
  CHECK(connection.failure() == ConnectionFailure::kNone);
  CHECK(connection.at_end());
  const std::string more = "more";
  CHECK(connection.write(bytes_of(more)) == 0);
}

TEST_CASE("a reset is a loss") {
  LoopbackServer server;
  TcpConnection connection(kClocks);
  connection.open(at(server.port()));
  REQUIRE(leaves_opening(connection));
  REQUIRE(server.accept());
  server.reset();
  CHECK(read_all(connection, 1).empty());
  CHECK(connection.state() == ConnectionState::kFailed);
  CHECK(connection.failure() == ConnectionFailure::kLost);
}

TEST_CASE("nobody listens") {
  LoopbackServer server;
  const std::uint16_t port = server.port();
  server.stop_listening();
  TcpConnection connection(kClocks);
  connection.open(at(port));
  REQUIRE(leaves_opening(connection));
  CHECK(connection.state() == ConnectionState::kFailed);
  CHECK(connection.failure() == ConnectionFailure::kRefused);
  connection.close();
  CHECK(connection.state() == ConnectionState::kClosed);
  CHECK(connection.failure() == ConnectionFailure::kNone);
}

TEST_CASE("names that are none") {
  TcpConnection connection(kClocks);
  for (const std::string_view host : {"", "no such name", "999.1.1.1.", "a..b"}) {
    connection.open(at(80, host));
    CHECK(connection.state() == ConnectionState::kFailed);
    CHECK(connection.failure() == ConnectionFailure::kUnknownHost);
  }
}

TEST_CASE("a name's addresses are kept for five minutes, and for no longer however long ago") {
  LoopbackServer server;
  TcpConnection connection(kClocks);
  const auto looked_up = [&] {
    const int before = look_ups;
    connection.open(at(server.port()));
    CHECK(leaves_opening(connection));
    connection.close();
    return look_ups > before;
  };
  scripted_now = 0xFFFFFF00U;
  CHECK(looked_up());
  scripted_now += 299999;
  CHECK_FALSE(looked_up());
  scripted_now += 1;
  CHECK(looked_up());
  scripted_now += 0x80000000U + 600000U;  // beyond 24.8 days, where a moment seems to lie ahead
  CHECK(looked_up());
  scripted_now = 0;
}

TEST_CASE("a connection that never opens is given up after its time") {
  // A full backlog of loopback: the system drops what knocks, as a dead machine does.
  LoopbackServer server(0);
  std::array<TcpConnection, 3> fill{TcpConnection(kClocks, 700), TcpConnection(kClocks, 700),
                                    TcpConnection(kClocks, 700)};
  scripted_now = 0xFFFFFF00U;  // the time-out lies behind the clock's wrap
  for (TcpConnection& one : fill) one.open(at(server.port()));
  (void)::poll(nullptr, 0, 50);
  TcpConnection& last = fill.back();
  REQUIRE(last.state() == ConnectionState::kOpening);
  scripted_now += 699;
  CHECK(last.state() == ConnectionState::kOpening);
  scripted_now += 1;
  CHECK(last.state() == ConnectionState::kFailed);
  CHECK(last.failure() == ConnectionFailure::kTimeout);
}

TEST_CASE("a peer that does not read: bytes are offered again, none is lost or doubled") {
  LoopbackServer server;
  TcpConnection connection(kClocks);
  connection.open(at(server.port()));
  REQUIRE(leaves_opening(connection));
  REQUIRE(server.accept());
  std::string all;
  for (int number = 0; all.size() < 8'000'000; ++number) all += std::to_string(number) + ",";
  std::size_t taken = 0;
  std::size_t last_taken = 1;
  while (last_taken > 0) {  // until every buffer on the way is full
    last_taken = connection.write(bytes_of(all).drop(taken).first(3000));
    taken += last_taken;
  }
  CHECK(taken < all.size());
  CHECK(connection.state() == ConnectionState::kOpen);
  std::string got;
  while (got.size() < all.size()) {
    taken += connection.write(bytes_of(all).drop(taken));
    const std::string piece = server.receive(1);
    REQUIRE_FALSE(piece.empty());
    got += piece;
  }
  CHECK(got == all);
}

TEST_CASE("the answer of a server that hangs up while we still write is read") {
  LoopbackServer server;
  TcpConnection connection(kClocks);
  connection.open(at(server.port()));
  REQUIRE(leaves_opening(connection));
  REQUIRE(server.accept());
  REQUIRE(server.send("413 too large"));
  server.finish_sending();
  CHECK(read_all(connection, 13) == "413 too large");
}

TEST_CASE("opening again closes what was open") {
  LoopbackServer first;
  LoopbackServer second;
  TcpConnection connection(kClocks);
  connection.open(at(first.port()));
  REQUIRE(leaves_opening(connection));
  REQUIRE(first.accept());
  connection.open(at(second.port()));
  REQUIRE(leaves_opening(connection));
  REQUIRE(second.accept());
  CHECK(first.receive(1).empty());
  REQUIRE(second.send("two"));
  CHECK(read_all(connection, 3) == "two");
}

}  // namespace
}  // namespace lobug
