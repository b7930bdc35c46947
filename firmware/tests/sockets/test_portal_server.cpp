// What the captive portal is asked over HTTP, and what it answers.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "lobug_sockets/portal_server.h"
#include "setup/sample_ca.h"
#include "sockets/portal_rig.h"

namespace lobug {
namespace {

constexpr std::size_t kRequestRoom = 8192;

const std::string kBadRequest =
    "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

TEST_CASE("the page is served, with the networks that were found") {
  PortalRig rig;
  rig.portal.set_networks("Home\nCafe <3\n");
  const std::string answer = rig.answer_to(rig.request("GET", "/"));
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
  PortalRig rig;
  LoopbackClient client(rig.web);
  const std::string request = rig.post("wifi_name=Slowly", "Accept: */*\r\n");
  for (const char byte : request) {
    CHECK_FALSE(rig.portal.take_saved());
    CHECK(client.send(std::string(1, byte)));
    rig.portal.step(rig.now);
  }
  CHECK(rig.ends(client));
  CHECK(has(client.received(), "<h1>Saved</h1>"));
  CHECK(load_settings(rig.store).wifi_name == "Slowly");
}

/// The way to the page, which ends in nothing.
std::string redirect_of(const PortalRig& rig) {
  return "HTTP/1.1 302 Found\r\nLocation: " + rig.origin() +
         "/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
}

TEST_CASE("whatever else a phone asks for leads to the page") {
  PortalRig rig;
  for (const char* const path : {"/generate_204", "/hotspot-detect.html", "/ncsi.txt?x=1", "/?a",
                                 "//", "http://captive.apple.com/", "", " "}) {
    CAPTURE(path);
    CHECK(rig.answer_to(rig.request("GET", path)) == redirect_of(rig));
    CHECK(rig.answer_to(rig.request("HEAD", path)) == redirect_of(rig));
  }
}

TEST_CASE("under another host's name there is no page, but the way to the one that can be saved") {
  PortalRig rig;
  const std::string body = "wifi_name=Home";
  for (const std::string& host :
       {std::string("nmcheck.gnome.org"), std::string("captive.apple.com:80"),
        std::string("127.0.0.1"), rig.host() + "0", rig.host() + ":80", rig.host() + ".example",
        "a." + rig.host(), std::string("127.0.0.2:") + std::to_string(rig.web)}) {
    CAPTURE(host);
    const std::string rest = " / HTTP/1.1\r\nhost:" + host + " \r\n";
    CHECK(rig.answer_to("GET" + rest + "\r\n") == redirect_of(rig));
    CHECK(rig.answer_to("HEAD" + rest + "\r\n") == redirect_of(rig));
    // A page from before, or of somebody to whose name we answer: the form has to come from here.
    CHECK(rig.answer_to("POST" + rest + "Origin: http://" + host + "\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n\r\n" + body) == redirect_of(rig));
  }
  CHECK(rig.store.writes == 0);
  CHECK_FALSE(rig.portal.take_saved());
}

TEST_CASE("where the redirect leads, the page is and can be saved") {
  PortalRig rig;
  const std::string way = rig.answer_to("GET / HTTP/1.1\r\nHost: nmcheck.gnome.org\r\n\r\n");
  const std::string before = "Location: http://";
  const std::size_t begin = way.find(before) + before.size();
  const std::string host = way.substr(begin, way.find("/\r\n", begin) - begin);
  CHECK(has(rig.answer_to("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n"), "<form"));
  CHECK(has(rig.answer_to("POST / HTTP/1.1\r\nHost: " + host + "\r\nOrigin: http://" + host +
                          "\r\nContent-Length: 14\r\n\r\nwifi_name=Home"),
            "<h1>Saved</h1>"));
}

TEST_CASE("HEAD is answered as GET is, without the page") {
  PortalRig rig;
  const std::string whole = rig.answer_to(rig.request("GET", "/"));
  const std::string head = rig.answer_to(rig.request("HEAD", "/"));
  CHECK(head == whole.substr(0, whole.find("\r\n\r\n") + 4));
  // The next one has its page again.
  CHECK(rig.answer_to(rig.request("GET", "/")) == whole);
}

TEST_CASE("a form is saved, and told once") {
  PortalRig rig;
  const std::string answer = rig.answer_to(rig.post(
      "wifi_name=My+Home&wifi_password=geheim%21%21&server=http%3A%2F%2Fdesk%3A8321&volume=25"
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
  PortalRig rig;
  std::string body = "wifi_name=Home&server=https%3A%2F%2Fdesk&ca=";
  const std::string ca = sample_ca(30);
  REQUIRE(ca.size() > 1990);
  for (const char character : ca) {
    const auto code = static_cast<unsigned char>(character);
    body += {'%', "0123456789ABCDEF"[code >> 4U], "0123456789ABCDEF"[code & 15U]};
  }
  CHECK(has(rig.answer_to(rig.post(body)), "<h1>Saved</h1>"));
  CHECK(load_settings(rig.store).ca == ca);
}

TEST_CASE("an invalid form shows its error, and nothing of it is saved") {
  PortalRig rig;
  const std::string answer = rig.answer_to(rig.post("wifi_name=New&server=https%3A%2F%2Fdesk"));
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
  PortalRig rig;
  (void)rig.answer_to("GET / HTTP/1.1\r\n\r\n");
  Settings settings;
  settings.wifi_name = Text<32>("Elsewhere");
  REQUIRE(save_settings(rig.store, settings));  // as the serial console does
  CHECK(has(rig.answer_to("GET / HTTP/1.1\r\n\r\n"), "value=\"Elsewhere\""));
  REQUIRE(rig.store.put("wifi_name", "Third"));
  (void)rig.answer_to(rig.post("volume=30"));
  CHECK(load_settings(rig.store).wifi_name == "Third");
  CHECK(load_settings(rig.store).volume == 30);
}

TEST_CASE("a store that cannot be written is told") {
  PortalRig rig;
  rig.store.writes_left = 0;
  const std::string answer = rig.answer_to(rig.post("wifi_name=Home"));
  CHECK(has(answer, "I couldn&#39;t save the settings."));
  CHECK_FALSE(has(answer, "Saved"));
  CHECK_FALSE(rig.portal.take_saved());
}

TEST_CASE("a page of another origin sets nothing") {
  PortalRig rig;
  const std::string ours = rig.origin();
  for (const std::string& origin :
       {std::string("http://evil.example"), std::string("null"), ours + "0", ours + "/",
        "https" + ours.substr(4), std::string("http://127.0.0.1")}) {
    CAPTURE(origin);
    CHECK(rig.answer_to(rig.post("wifi_name=Evil", "Origin: " + origin + "\r\n")) == kBadRequest);
    CHECK(rig.answer_to(rig.post("wifi_name=Evil", "ORIGIN:" + origin + "\r\n")) == kBadRequest);
  }
  CHECK(rig.store.writes == 0);
  CHECK_FALSE(rig.portal.take_saved());
}

TEST_CASE("secrets go in and never come out") {
  PortalRig rig;
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
        rig.post("wifi_name=Home&wifi_password=a+new+secret&volume=101"),
        rig.post("wifi_name=Home&wifi_password=a+new+secret&volume=100")}) {
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
  PortalRig rig;
  for (const std::string& request : {
           std::string("\r\n\r\n"),
           std::string("GARBAGE\r\n\r\n"),
           std::string("get / HTTP/1.1\r\n\r\n"),
           std::string("PUT / HTTP/1.1\r\n\r\n"),
           std::string("head / HTTP/1.1\r\n\r\n"),
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
  PortalRig rig;
  const std::string begin = "GET / HTTP/1.1\r\nX: ";
  const std::string fits = begin + std::string(kRequestRoom - begin.size() - 4, 'x') + "\r\n\r\n";
  REQUIRE(fits.size() == kRequestRoom);
  CHECK(has(rig.answer_to(fits), "</html>"));
  CHECK(rig.answer_to(begin + std::string(kRequestRoom, 'x') + "\r\n\r\n") == kBadRequest);
  CHECK(rig.answer_to(std::string(kRequestRoom, '\n')) == kBadRequest);
}

TEST_CASE("a body fits to its last byte, and not with one more") {
  PortalRig rig;
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

}  // namespace
}  // namespace lobug
