#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lobug_sockets/portal_server.h"
#include "setup/sample_ca.h"
#include "sockets/loopback_client.h"
#include "support/memory_store.h"

namespace lobug {
namespace {

constexpr std::uint8_t kHere[4] = {127, 0, 0, 1};
constexpr std::size_t kRequestRoom = 8192;

const std::string kBadRequest =
    "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string post(const std::string& body, const std::string& headers = "") {
  return "POST / HTTP/1.1\r\nHost: 192.168.4.1\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// A portal on loopback, whose clock stands still unless a test moves it.
struct Rig {
  MemoryStore store;
  PortalServer portal{store};
  std::uint16_t web = 0;
  std::uint16_t dns = 0;
  Millis now = 0xFFFFF000U;  // deadlines lie behind the clock's wrap

  Rig() {
    for (int attempt = 0; attempt < 10 && !portal.is_open(); ++attempt) {
      web = free_port(SOCK_STREAM);
      dns = free_port(SOCK_DGRAM);
      (void)portal.begin(kHere, web, dns);
    }
    REQUIRE(portal.is_open());
  }

  /// Lets both sides work until `done`, or for two seconds at most.
  template <typename Done>
  bool work_until(Done done) {
    for (int round = 0; round < 2000; ++round) {
      portal.step(now);
      if (done()) return true;
      (void)::poll(nullptr, 0, 1);
    }
    return false;
  }
  /// Long enough for whatever is going to happen on loopback at this moment of the portal's clock.
  void settle() {
    for (int round = 0; round < 20; ++round) {
      portal.step(now);
      (void)::poll(nullptr, 0, 1);
    }
  }
  bool ends(LoopbackClient& client) {
    return work_until([&] {
      client.take();
      return client.ended();
    });
  }
  /// The whole answer to one request.
  std::string answer_to(const std::string& request) {
    LoopbackClient client(web);
    CHECK(client.send(request));
    CHECK(ends(client));
    CHECK_FALSE(client.was_reset());
    return client.received();
  }
  std::string origin() const { return "http://127.0.0.1:" + std::to_string(web); }
};

/// Descriptors of this process at the server's port: its own and those that it has accepted.
std::vector<int> sockets_at(std::uint16_t port, bool listening) {
  std::vector<int> found;
  for (int descriptor = 0; descriptor < 1024; ++descriptor) {
    int listens = 0;
    socklen_t size = sizeof listens;
    if (local_port(descriptor) != port ||
        ::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0) {
      continue;
    }
    if ((listens != 0) == listening) found.push_back(descriptor);
  }
  return found;
}

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

TEST_CASE("the page is served, with the networks that were found") {
  Rig rig;
  rig.portal.set_networks("Home\nCafe <3\n");
  const std::string answer = rig.answer_to("GET / HTTP/1.1\r\nHost: 192.168.4.1\r\n\r\n");
  CHECK(answer.substr(0, 17) == "HTTP/1.1 200 OK\r\n");
  CHECK(has(answer, "Content-Type: text/html; charset=utf-8\r\n"));
  CHECK(has(answer, "Cache-Control: no-store\r\n"));
  CHECK(has(answer, "\r\n\r\n<!doctype html>"));
  CHECK(has(answer, "<option value=\"Home\"><option value=\"Cafe &lt;3\">"));
  CHECK(has(answer, "</html>"));
  CHECK_FALSE(has(answer, "role=\"alert\""));
  CHECK_FALSE(rig.portal.take_saved());
  CHECK(rig.store.writes == 0);
}

TEST_CASE("a request may come byte by byte") {
  Rig rig;
  LoopbackClient client(rig.web);
  const std::string request = post("wifi_name=Slowly", "Accept: */*\r\n");
  for (const char byte : request) {
    CHECK_FALSE(rig.portal.take_saved());
    CHECK(client.send(std::string(1, byte)));
    rig.portal.step(rig.now);
  }
  CHECK(rig.ends(client));
  CHECK(has(client.received(), "<h1>Saved</h1>"));
  CHECK(load_settings(rig.store).wifi_name == "Slowly");
}

TEST_CASE("whatever else a phone asks for leads to the page") {
  Rig rig;
  for (const char* const path : {"/generate_204", "/hotspot-detect.html", "/ncsi.txt?x=1", "/?a",
                                 "//", "http://captive.apple.com/", "", " "}) {
    CAPTURE(path);
    const std::string answer =
        rig.answer_to("GET " + std::string(path) + " HTTP/1.1\r\nHost: captive.apple.com\r\n\r\n");
    CHECK(answer == "HTTP/1.1 302 Found\r\nLocation: " + rig.origin() +
                        "/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  }
}

TEST_CASE("a form is saved, and told once") {
  Rig rig;
  const std::string answer = rig.answer_to(
      post("wifi_name=My+Home&wifi_password=geheim%21%21&server=http%3A%2F%2Fdesk%3A8321&volume=25"
           "&captions=off",
           "origin:  " + rig.origin() + " \r\n"));
  CHECK(answer.substr(0, 17) == "HTTP/1.1 200 OK\r\n");
  CHECK(has(answer, "<h1>Saved</h1>"));
  CHECK(has(answer, "</html>"));
  const Settings saved = load_settings(rig.store);
  CHECK(saved.wifi_name == "My Home");
  CHECK(saved.wifi_password == "geheim!!");
  CHECK(saved.server == "http://desk:8321");
  CHECK(saved.volume == 25);
  CHECK_FALSE(saved.captions);
  CHECK_FALSE(rig.store.bad_key);
  CHECK(rig.portal.take_saved());
  CHECK_FALSE(rig.portal.take_saved());
}

TEST_CASE("the largest CA fits, however it is encoded") {
  Rig rig;
  std::string body = "wifi_name=Home&server=https%3A%2F%2Fdesk&ca=";
  const std::string ca = sample_ca(30);
  REQUIRE(ca.size() > 1990);
  for (const char character : ca) {
    const auto code = static_cast<unsigned char>(character);
    body += {'%', "0123456789ABCDEF"[code >> 4U], "0123456789ABCDEF"[code & 15U]};
  }
  CHECK(has(rig.answer_to(post(body)), "<h1>Saved</h1>"));
  CHECK(load_settings(rig.store).ca == ca);
}

TEST_CASE("an invalid form shows its error, and nothing of it is saved") {
  Rig rig;
  const std::string answer = rig.answer_to(post("wifi_name=New&server=https%3A%2F%2Fdesk"));
  CHECK(answer.substr(0, 17) == "HTTP/1.1 200 OK\r\n");
  const std::size_t banner = answer.find("role=\"alert\">");
  REQUIRE(banner != std::string::npos);
  CHECK(answer.find("CA", banner) < answer.find("</p>", banner));
  CHECK(has(answer, "<form"));
  CHECK(rig.store.writes == 0);
  CHECK_FALSE(rig.portal.take_saved());
  // The next page has no error any more.
  CHECK_FALSE(has(rig.answer_to("GET / HTTP/1.1\r\n\r\n"), "role=\"alert\""));
}

TEST_CASE("each request starts from what is stored by then") {
  Rig rig;
  (void)rig.answer_to("GET / HTTP/1.1\r\n\r\n");
  Settings settings;
  settings.wifi_name = Text<32>("Elsewhere");
  REQUIRE(save_settings(rig.store, settings));  // as the serial console does
  CHECK(has(rig.answer_to("GET / HTTP/1.1\r\n\r\n"), "value=\"Elsewhere\""));
  REQUIRE(rig.store.put("wifi_name", "Third"));
  (void)rig.answer_to(post("volume=30"));
  CHECK(load_settings(rig.store).wifi_name == "Third");
  CHECK(load_settings(rig.store).volume == 30);
}

TEST_CASE("a store that cannot be written is told") {
  Rig rig;
  rig.store.writes_left = 0;
  const std::string answer = rig.answer_to(post("wifi_name=Home"));
  CHECK(has(answer, "The settings could not be written."));
  CHECK_FALSE(has(answer, "Saved"));
  CHECK_FALSE(rig.portal.take_saved());
}

TEST_CASE("a page of another origin sets nothing") {
  Rig rig;
  const std::string ours = rig.origin();
  for (const std::string& origin :
       {std::string("http://evil.example"), std::string("null"), ours + "0", ours + "/",
        "https" + ours.substr(4), std::string("http://127.0.0.1")}) {
    CAPTURE(origin);
    CHECK(rig.answer_to(post("wifi_name=Evil", "Origin: " + origin + "\r\n")) == kBadRequest);
    CHECK(rig.answer_to(post("wifi_name=Evil", "ORIGIN:" + origin + "\r\n")) == kBadRequest);
  }
  CHECK(rig.store.writes == 0);
  CHECK_FALSE(rig.portal.take_saved());
}

TEST_CASE("secrets go in and never come out") {
  Rig rig;
  Settings settings;
  settings.wifi_name = Text<32>("Home");
  settings.wifi_password = Text<64>("geheim geheim");
  settings.server = Text<160>("https://desk:8321");
  settings.ca = Text<2048>(sample_ca(3, 'Q'));
  settings.token = Text<128>("lobug_secret");
  settings.token_server = settings.server;
  settings.client_id = Text<36>("5e5c5a0c-0000-4000-8000-000000000001");
  REQUIRE(save_settings(rig.store, settings));
  for (const std::string& request :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string("GET /token HTTP/1.1\r\n\r\n"),
        post("wifi_name=Home&wifi_password=a+new+secret&volume=101"),
        post("wifi_name=Home&wifi_password=a+new+secret&volume=100")}) {
    CAPTURE(request);
    const std::string answer = rig.answer_to(request);
    for (const char* const secret :
         {"geheim", "lobug_secret", "QQQQ", "5e5c5a0c", "a new secret", "a+new+secret"}) {
      CHECK_FALSE(has(answer, secret));
    }
  }
  CHECK(load_settings(rig.store).wifi_password == "a new secret");
}

TEST_CASE("what is no request of a browser is refused") {
  Rig rig;
  for (const std::string& request : {
           std::string("\r\n\r\n"),
           std::string("GARBAGE\r\n\r\n"),
           std::string("get / HTTP/1.1\r\n\r\n"),
           std::string("PUT / HTTP/1.1\r\n\r\n"),
           std::string("HEAD / HTTP/1.1\r\n\r\n"),
           std::string("\0\xFF\x16\x03\x01\r\n\r\n", 9),
           std::string("POST / HTTP/1.1\r\n\r\n"),  // without a body there is nothing to save
           std::string("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n"),
           std::string("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
           std::string("POST / HTTP/1.1\r\nContent-Length: 1x\r\n\r\na"),
           std::string("POST / HTTP/1.1\r\nContent-Length: 4294967296\r\n\r\n"),
           std::string("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"),
           std::string("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                       "b\r\nwifi_name=X\r\n0\r\n\r\n"),
           std::string("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"
                       "Content-Length: 11\r\n\r\nwifi_name=X"),
           std::string("POST /other HTTP/1.1\r\nContent-Length: 11\r\n\r\nwifi_name=X"),
       }) {
    CAPTURE(request);
    CHECK(rig.answer_to(request) == kBadRequest);
  }
  CHECK(rig.store.writes == 0);
  CHECK_FALSE(rig.portal.take_saved());
}

TEST_CASE("a head fits to its last byte, and not with one more") {
  Rig rig;
  const std::string begin = "GET / HTTP/1.1\r\nX: ";
  const std::string fits = begin + std::string(kRequestRoom - begin.size() - 4, 'x') + "\r\n\r\n";
  REQUIRE(fits.size() == kRequestRoom);
  CHECK(has(rig.answer_to(fits), "</html>"));
  CHECK(rig.answer_to(begin + std::string(kRequestRoom, 'x') + "\r\n\r\n") == kBadRequest);
  CHECK(rig.answer_to(std::string(kRequestRoom, '\n')) == kBadRequest);
}

TEST_CASE("a body fits to its last byte, and not with one more") {
  Rig rig;
  const auto request = [](std::size_t whole) {
    const std::string head = "POST / HTTP/1.1\r\nContent-Length: ";
    const std::size_t body_size = whole - head.size() - 8;
    const std::string fields = "wifi_name=Large&filler=";
    return head + std::to_string(body_size) + "\r\n\r\n" + fields +
           std::string(body_size - fields.size(), 'x');
  };
  REQUIRE(request(kRequestRoom).size() == kRequestRoom);
  CHECK(rig.answer_to(request(kRequestRoom + 1)) == kBadRequest);
  CHECK(rig.store.writes == 0);
  // Refused by what it announces: nobody waits for the rest.
  CHECK(rig.answer_to("POST / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n") == kBadRequest);
  // The refusal arrives even while more than is ever read is on its way.
  CHECK(rig.answer_to("POST / HTTP/1.1\r\nContent-Length: 60000\r\n\r\n" +
                      std::string(60000, 'x')) == kBadRequest);
  CHECK(has(rig.answer_to(request(kRequestRoom)), "HTTP/1.1 200 OK\r\n"));
}

TEST_CASE("a request that stays half is dropped when its time is up") {
  for (const char* const half : {"G", "GET / HTTP/1.1\r\nHost: x\r\n",
                                 "POST / HTTP/1.1\r\nContent-Length: 20\r\n\r\nwifi"}) {
    CAPTURE(half);
    Rig rig;
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
  Rig rig;
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
  Rig rig;
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
  Rig rig;
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
  Rig rig;
  std::vector<std::unique_ptr<LoopbackClient>> clients;
  for (int n = 0; n < 3; ++n) {
    clients.push_back(std::make_unique<LoopbackClient>(rig.web));
    const std::string name = "wifi_name=Net" + std::to_string(n);
    REQUIRE(clients.back()->send(post(name).substr(0, n == 0 ? 40 : std::string::npos)));
  }
  rig.settle();
  CHECK(sockets_at(rig.web, false).size() == 1);
  CHECK(rig.store.writes == 0);
  REQUIRE(clients[0]->send(post("wifi_name=Net0").substr(40)));
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
  Rig rig;
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
  Rig rig;
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
  Rig rig;
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

std::string dns_query(const std::string& label, char type = 1) {
  return std::string("\xAB\xCD\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00", 12) +
         static_cast<char>(label.size()) + label + std::string("\0\0", 2) + type +
         std::string("\0\x01", 2);
}

TEST_CASE("every name is here") {
  Rig rig;
  LoopbackClient phone(rig.dns, SOCK_DGRAM);
  const std::string query = dns_query("captive");
  REQUIRE(phone.send(query));
  CHECK(rig.work_until([&] {
    phone.take();
    return !phone.received().empty();
  }));
  const std::string answer = phone.received();
  REQUIRE(answer.size() == query.size() + 16);
  CHECK(answer.substr(0, 2) == "\xAB\xCD");
  CHECK((static_cast<unsigned char>(answer[2]) & 0x80U) != 0);
  CHECK(answer.substr(12, query.size() - 12) == query.substr(12));
  CHECK(answer.substr(answer.size() - 4) == "\x7F" + std::string("\0\0\x01", 3));
}

TEST_CASE("datagrams that are no query get no answer, and do not stop the next") {
  Rig rig;
  LoopbackClient phone(rig.dns, SOCK_DGRAM);
  const std::string query = dns_query("captive");
  std::string answer = query;
  answer[2] = '\x81';
  std::string too_long = query;
  too_long.resize(513);
  for (const std::string& garbage :
       {std::string("x"), std::string(512, '\xFF'), std::string(1400, 'x'),
        query.substr(0, query.size() - 1), answer, too_long}) {
    REQUIRE(phone.send(garbage));
  }
  rig.settle();
  phone.take();
  CHECK(phone.received().empty());
  // Empty datagrams as well; each step takes one.
  for (int n = 0; n < 3; ++n) REQUIRE(phone.send(""));
  REQUIRE(phone.send(query));
  CHECK(rig.work_until([&] {
    phone.take();
    return !phone.received().empty();
  }));
  CHECK(phone.received().size() == query.size() + 16);
}

TEST_CASE("names are answered while a client dawdles") {
  Rig rig;
  LoopbackClient slow(rig.web);
  REQUIRE(slow.send("GET /"));
  rig.settle();
  LoopbackClient phone(rig.dns, SOCK_DGRAM);
  REQUIRE(phone.send(dns_query("captive")));
  CHECK(rig.work_until([&] {
    phone.take();
    return !phone.received().empty();
  }));
}

TEST_CASE("ports that others have are not to be had, and nothing stays open then") {
  Rig rig;
  MemoryStore store;
  PortalServer second(store);
  CHECK_FALSE(second.begin(kHere, rig.web, free_port(SOCK_DGRAM)));
  CHECK_FALSE(second.is_open());
  second.step(0);
  CHECK(sockets_at(rig.web, true).size() == 1);
  // An address that this machine does not have: the documentation's.
  const std::uint8_t elsewhere[4] = {192, 0, 2, 1};
  CHECK_FALSE(second.begin(elsewhere, free_port(SOCK_STREAM), free_port(SOCK_DGRAM)));
}

TEST_CASE("the portal is at its own address alone") {
  Rig rig;
  const int other = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(rig.web);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);  // 127.0.0.2: this machine too
  CHECK(::connect(other, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0);
  (void)::close(other);
}

TEST_CASE("closed and opened again") {
  Rig rig;
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
  REQUIRE(rig.portal.begin(kHere, rig.web, rig.dns));
  CHECK(has(rig.answer_to("GET / HTTP/1.1\r\n\r\n"), "</html>"));
}

}  // namespace
}  // namespace lobug
