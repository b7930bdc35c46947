// The captive portal and its clients: slow ones, silent ones, several at once; how it opens and
// ends.
#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lobug_sockets/portal_server.h"
#include "sockets/portal_rig.h"

namespace lobug {
namespace {

/// What a PC's send buffer would swallow whole does not fit the chip's. The listener hands it on.
void shrink_send_buffer(std::uint16_t port) {
  const std::vector<int> listeners = sockets_at(port, true);
  REQUIRE(listeners.size() == 1);
  const int bytes = 1;  // the system makes its least of it
  REQUIRE(::setsockopt(listeners[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes) == 0);
}

/// Networks whose names become six times as long in the page.
std::string long_networks() {
  std::string names;
  for (int i = 0; i < 31; ++i) names += std::string(32, '"') + "\n";
  return names;
}

TEST_CASE("a request that stays half is dropped when its time is up") {
  for (const char* const half : {"G", "GET / HTTP/1.1\r\nHost: x\r\n",
                                 "POST / HTTP/1.1\r\nContent-Length: 20\r\n\r\nwifi"}) {
    CAPTURE(half);
    PortalRig rig;
    LoopbackClient client(rig.web);
    REQUIRE(client.send(half));
    rig.settle();
    rig.now += PortalServer::kRequestMs - 1;
    rig.settle();
    client.take();
    CHECK_FALSE(client.ended());
    rig.now += 1;
    CHECK(rig.ends(client));
    CHECK(client.received().empty());
    CHECK(sockets_at(rig.web, false).empty());
    CHECK(rig.store.writes == 0);
    CHECK(has(rig.answer_to("GET / HTTP/1.1\r\n\r\n"), "</html>"));
  }
}

TEST_CASE("more bytes do not buy more time") {
  PortalRig rig;
  LoopbackClient client(rig.web);
  REQUIRE(client.send("GET / HTTP/1.1\r\n"));
  rig.settle();
  for (int second = 0; second < 5; ++second) {
    client.take();
    REQUIRE_FALSE(client.ended());
    REQUIRE(client.send("X: y\r\n"));
    rig.settle();
    rig.now += 1000;
  }
  CHECK(rig.ends(client));
  CHECK(client.received().empty());
}

TEST_CASE("a client that hangs up makes room at once") {
  PortalRig rig;
  LoopbackClient leaves(rig.web);
  REQUIRE(leaves.send("POST / HTTP/1.1\r\nContent-Length: 20\r\n\r\nwifi_name=Half"));
  leaves.finish_sending();
  CHECK(rig.ends(leaves));
  CHECK(leaves.received().empty());
  CHECK(rig.store.writes == 0);
  {
    LoopbackClient gone(rig.web);
    REQUIRE(gone.send("GET /"));
    rig.settle();
    CHECK(sockets_at(rig.web, false).size() == 1);
  }
  CHECK(rig.work_until([&] { return sockets_at(rig.web, false).empty(); }));
}

TEST_CASE("a connection that was opened ahead of need does not hold up the others for long") {
  PortalRig rig;
  LoopbackClient silent(rig.web);
  rig.settle();
  LoopbackClient asks(rig.web);
  REQUIRE(asks.send("GET / HTTP/1.1\r\n\r\n"));
  rig.settle();
  rig.now += PortalServer::kPauseMs - 1;
  rig.settle();
  asks.take();
  silent.take();
  CHECK(asks.received().empty());
  CHECK_FALSE(silent.ended());
  rig.now += 1;
  CHECK(rig.ends(silent));
  CHECK(rig.ends(asks));
  CHECK(has(asks.received(), "</html>"));
}

TEST_CASE("of several clients one at a time is taken in, and each has its answer") {
  PortalRig rig;
  std::vector<std::unique_ptr<LoopbackClient>> clients;
  for (int n = 0; n < 3; ++n) {
    clients.push_back(std::make_unique<LoopbackClient>(rig.web));
    const std::string name = "wifi_name=Net" + std::to_string(n);
    REQUIRE(clients.back()->send(rig.post(name).substr(0, n == 0 ? 40 : std::string::npos)));
  }
  rig.settle();
  CHECK(sockets_at(rig.web, false).size() == 1);
  CHECK(rig.store.writes == 0);
  REQUIRE(clients[0]->send(rig.post("wifi_name=Net0").substr(40)));
  std::size_t most = 0;
  CHECK(rig.work_until([&] {
    bool all = true;
    for (const auto& client : clients) {
      client->take();
      if (client->ended()) client->hang_up();
      all = all && client->ended();
    }
    const std::size_t open = sockets_at(rig.web, false).size();
    most = open > most ? open : most;
    return all;
  }));
  CHECK(most <= 1);
  for (const auto& client : clients) CHECK(has(client->received(), "<h1>Saved</h1>"));
  CHECK(load_settings(rig.store).wifi_name == "Net2");
}

TEST_CASE("a client that reads slowly gets the whole page") {
  PortalRig rig;
  rig.portal.set_networks(long_networks());
  shrink_send_buffer(rig.web);
  LoopbackClient client(rig.web, SOCK_STREAM, 1);
  REQUIRE(client.send("GET / HTTP/1.1\r\n\r\n"));
  rig.settle();
  REQUIRE(sockets_at(rig.web, false).size() == 1);
  int rounds = 0;
  CHECK(rig.work_until([&] {
    ++rounds;
    client.take(300);
    return client.ended();
  }));
  CHECK(rounds > 20);
  CHECK(client.received().size() > 8000);
  std::size_t names = 0;
  const std::string name = "<option value=\"&quot;";
  for (std::size_t at = client.received().find(name); at != std::string::npos;
       at = client.received().find(name, at + 1)) {
    ++names;
  }
  CHECK(names == 31);
  CHECK(client.received().substr(client.received().size() - 7) == "</html>");
}

TEST_CASE("a client that does not read is dropped when its time is up") {
  PortalRig rig;
  rig.portal.set_networks(long_networks());
  shrink_send_buffer(rig.web);
  LoopbackClient client(rig.web, SOCK_STREAM, 1);
  REQUIRE(client.send("GET / HTTP/1.1\r\n\r\n"));
  rig.settle();
  rig.now += PortalServer::kRequestMs - 1;
  rig.settle();
  CHECK(sockets_at(rig.web, false).size() == 1);
  rig.now += 1;
  rig.settle();
  CHECK(sockets_at(rig.web, false).empty());
  CHECK(rig.ends(client));
  CHECK_FALSE(has(client.received(), "</html>"));
}

TEST_CASE("a client that was answered and does not hang up is let go") {
  PortalRig rig;
  LoopbackClient client(rig.web);
  REQUIRE(client.send("GET / HTTP/1.1\r\n\r\n"));
  CHECK(rig.ends(client));
  rig.now += PortalServer::kPauseMs - 1;
  rig.settle();
  CHECK(sockets_at(rig.web, false).size() == 1);
  CHECK(client.send("GET / HTTP/1.1\r\n\r\n"));  // what it says now is not looked at
  rig.settle();
  rig.now += 1;
  rig.settle();
  CHECK(sockets_at(rig.web, false).empty());
}

TEST_CASE("ports that others have are not to be had, and nothing stays open then") {
  PortalRig rig;
  MemoryStore store;
  PortalServer second(store);
  CHECK_FALSE(second.begin(kPortalHere, rig.web, free_port(SOCK_DGRAM)));
  CHECK_FALSE(second.is_open());
  second.step(0);
  CHECK(sockets_at(rig.web, true).size() == 1);
  // An address that this machine does not have: the documentation's.
  const std::uint8_t elsewhere[4] = {192, 0, 2, 1};
  CHECK_FALSE(second.begin(elsewhere, free_port(SOCK_STREAM), free_port(SOCK_DGRAM)));
}

TEST_CASE("the portal is at its own address alone") {
  PortalRig rig;
  const int other = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(rig.web);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);  // 127.0.0.2: this machine too
  CHECK(::connect(other, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0);
  (void)::close(other);
}

TEST_CASE("closed and opened again") {
  PortalRig rig;
  LoopbackClient client(rig.web);
  REQUIRE(client.send("GET /"));
  rig.settle();
  rig.portal.end();
  CHECK_FALSE(rig.portal.is_open());
  CHECK(sockets_at(rig.web, false).empty());
  CHECK(sockets_at(rig.web, true).empty());
  client.take();
  CHECK(client.ended());
  rig.portal.step(rig.now);
  REQUIRE(rig.portal.begin(kPortalHere, rig.web, rig.dns));
  CHECK(has(rig.answer_to("GET / HTTP/1.1\r\n\r\n"), "</html>"));
}

}  // namespace
}  // namespace lobug
