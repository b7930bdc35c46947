#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "lobug/net/http_client.h"
#include "lobug/net/url.h"
#include "support/scripted_connection.h"

using namespace lobug;

namespace {

using State = HttpClient::State;

constexpr const char* kReply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

Endpoint endpoint_of(const char* text) {
  Url url;
  REQUIRE(parse_url(text, url));
  return url.endpoint;
}

HttpRequest get(std::string_view path = "/health") {
  HttpRequest request;
  request.method = "GET";
  request.path = path;
  return request;
}

struct ClientRig {
  explicit ClientRig(std::size_t room = 1024)
      : buffer(room), client(connection, {buffer.data(), room}) {}
  bool start(const HttpRequest& request, BodySink* sink = nullptr) {
    return client.start(endpoint_of("http://192.168.1.5:8321"), request, now, 5000, sink);
  }
  /// As the device does it, every 10 ms.
  State run(int steps = 50) {
    for (int i = 0; i < steps && client.state() == State::kBusy; ++i) client.step(now += 10);
    return client.state();
  }
  ScriptedConnection connection;
  std::vector<unsigned char> buffer;
  HttpClient client;
  Millis now = 0xFFFFFF00U;  // the clock wraps in the middle
};

struct Counter final : BodySink {
  std::size_t bytes = 0;
  std::size_t stop_at = static_cast<std::size_t>(-1);
  bool take(Bytes piece, std::uint32_t) override {
    bytes += piece.size();
    return bytes < stop_at;
  }
};

}  // namespace

TEST_CASE("a request says everything that the server wants to know") {
  ClientRig rig;
  HttpRequest request;
  request.method = "POST";
  request.path = "/context/sensors?x=1";
  request.token = "lobug_abc";
  request.device_id = "aa:bb:cc:dd:ee:01";
  request.client_id = "5e5c5a0c-0000-4000-8000-000000000001";
  request.user_agent = "m5stack-core2/2.0.0";
  request.body = "{\"is_moving\":true}";
  rig.connection.on_write = [&](std::string_view) { rig.connection.deliver(kReply); };
  REQUIRE(rig.start(request));
  CHECK(rig.client.state() == State::kBusy);
  CHECK(rig.run() == State::kDone);
  CHECK(rig.connection.written ==
        "POST /context/sensors?x=1 HTTP/1.1\r\nHost: 192.168.1.5:8321\r\nConnection: close\r\n"
        "User-Agent: m5stack-core2/2.0.0\r\nAuthorization: Bearer lobug_abc\r\n"
        "Device-Id: aa:bb:cc:dd:ee:01\r\nClient-Id: 5e5c5a0c-0000-4000-8000-000000000001\r\n"
        "Content-Type: application/json\r\nContent-Length: 18\r\n\r\n{\"is_moving\":true}");
  CHECK(rig.client.status() == 200);
  CHECK(rig.client.body() == "{}");
  CHECK(rig.client.fault() == HttpFault::kNone);
  CHECK(rig.connection.endpoint.host == "192.168.1.5");
  CHECK(rig.connection.endpoint.port == 8321);
  CHECK(rig.connection.closed == 1);
}

TEST_CASE("what is empty is not sent") {
  ClientRig rig;
  REQUIRE(rig.start(get()));
  rig.run(3);
  CHECK(rig.connection.written ==
        "GET /health HTTP/1.1\r\nHost: 192.168.1.5:8321\r\nConnection: close\r\n\r\n");
  // A POST says that it has no body.
  rig.client.stop();
  HttpRequest post = get("/xiaozhi/ota/activate");
  post.method = "POST";
  REQUIRE(rig.start(post));
  rig.run(3);
  CHECK(rig.connection.written ==
        "POST /xiaozhi/ota/activate HTTP/1.1\r\nHost: 192.168.1.5:8321\r\nConnection: close\r\n"
        "Content-Length: 0\r\n\r\n");
}

TEST_CASE("what was passed in may go away at once") {
  ClientRig rig;
  {
    std::string path = "/a/path";
    std::string token = "secret";
    HttpRequest request = get(path);
    request.token = token;
    REQUIRE(rig.start(request));
    path.assign(path.size(), '?');
    token.assign(token.size(), '?');
  }
  rig.run(3);
  CHECK(rig.connection.written.find("GET /a/path HTTP") == 0);
  CHECK(rig.connection.written.find("Bearer secret") != std::string::npos);
}

TEST_CASE("nobody smuggles a line into a request") {
  ClientRig rig;
  const std::string evil = "a\r\nX-Evil: 1";
  HttpRequest request = get();
  const auto refused = [&](std::string_view HttpRequest::* member) {
    HttpRequest changed = request;
    changed.*member = evil;
    return !rig.start(changed) && rig.client.state() == State::kIdle;
  };
  CHECK(refused(&HttpRequest::method));
  CHECK(refused(&HttpRequest::path));
  CHECK(refused(&HttpRequest::token));
  CHECK(refused(&HttpRequest::device_id));
  CHECK(refused(&HttpRequest::client_id));
  CHECK(refused(&HttpRequest::user_agent));
  Endpoint endpoint;
  endpoint.host.assign(evil);
  CHECK_FALSE(rig.client.start(endpoint, request, 0, 1000));
  endpoint.host = "";
  CHECK_FALSE(rig.client.start(endpoint, request, 0, 1000));
  CHECK(rig.connection.opened == 0);
  // A body may hold anything.
  request.method = "POST";
  request.body = evil;
  CHECK(rig.start(request));
}

TEST_CASE("a request that does not fit is refused, and so is a second one") {
  ClientRig small(60);
  CHECK_FALSE(small.start(get("/" + std::string(60, 'x'))));
  CHECK(small.connection.opened == 0);
  ClientRig rig;
  REQUIRE(rig.start(get("/first")));
  CHECK_FALSE(rig.start(get("/second")));
  rig.run(3);
  CHECK(rig.connection.written.find("GET /first ") == 0);
  CHECK(rig.connection.opened == 1);
}

TEST_CASE("a slow way out and a slow way in change nothing") {
  ClientRig rig;
  rig.connection.polls_to_open = 7;
  rig.connection.most_write = 1;
  rig.connection.most_read = 1;
  REQUIRE(rig.start(get()));
  for (int i = 0; i < 200; ++i) rig.client.step(rig.now += 1);
  CHECK(rig.connection.written.size() == 67);
  CHECK(rig.connection.written.substr(rig.connection.written.size() - 4) == "\r\n\r\n");
  for (const char c : std::string(kReply)) {
    CHECK(rig.client.state() == State::kBusy);
    rig.connection.deliver(std::string(1, c));
    rig.client.step(rig.now += 1);
  }
  CHECK(rig.client.state() == State::kDone);
  CHECK(rig.client.body() == "{}");
}

TEST_CASE("time runs out at every stage, across the wrap of the clock") {
  const auto ends = [](ClientRig& rig) {
    const Millis from = rig.now;
    rig.run(10000);
    CHECK(rig.client.state() == State::kFailed);
    CHECK(rig.client.fault() == HttpFault::kTimeout);
    CHECK(rig.connection.closed == 1);
    return elapsed(from, rig.now);
  };
  SUBCASE("opening") {
    ClientRig rig;
    rig.connection.polls_to_open = 1000000;
    REQUIRE(rig.start(get()));
    CHECK(ends(rig) == 5000);
  }
  SUBCASE("sending") {
    ClientRig rig;
    rig.connection.most_write = 0;
    REQUIRE(rig.start(get()));
    CHECK(ends(rig) == 5000);
  }
  SUBCASE("no answer") {
    ClientRig rig;
    REQUIRE(rig.start(get()));
    CHECK(ends(rig) == 5000);
  }
  SUBCASE("an answer that never ends") {
    ClientRig rig;
    Counter sink;
    rig.connection.on_open = [&] { rig.connection.deliver("HTTP/1.1 200 OK\r\n\r\n"); };
    REQUIRE(rig.start(get(), &sink));
    rig.run(1);
    for (int i = 0; i < 498; ++i) {
      rig.connection.deliver("x");
      CHECK(rig.client.step(rig.now += 10) == State::kBusy);
    }
    rig.connection.deliver("x");
    CHECK(rig.client.step(rig.now += 10) == State::kFailed);
    CHECK(rig.client.fault() == HttpFault::kTimeout);
  }
}

TEST_CASE("why there is no answer is told") {
  for (const ConnectionFailure why :
       {ConnectionFailure::kUnknownHost, ConnectionFailure::kRefused, ConnectionFailure::kTimeout,
        ConnectionFailure::kUntrusted, ConnectionFailure::kNoCa}) {
    ClientRig rig;
    rig.connection.open_fails = why;
    REQUIRE(rig.start(get()));
    CHECK(rig.run() == State::kFailed);
    CHECK(rig.client.fault() == HttpFault::kConnection);
    CHECK(rig.client.connection_failure() == why);
    CHECK(rig.client.status() == 0);
  }
  for (const bool orderly : {true, false}) {
    for (const char* said :
         {"", "HTTP/1.1 200 O", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"}) {
      CAPTURE(said);
      ClientRig rig;
      rig.connection.on_write = [&](std::string_view) {
        rig.connection.deliver(said);
        orderly ? rig.connection.end() : rig.connection.lose();
      };
      REQUIRE(rig.start(get()));
      CHECK(rig.run() == State::kFailed);
      CHECK(rig.client.fault() == HttpFault::kConnection);
      CHECK(rig.client.connection_failure() == ConnectionFailure::kLost);
      CHECK(rig.client.body().empty());
    }
  }
  ClientRig rig;
  rig.connection.on_open = [&] { rig.connection.deliver("SSH-2.0-x\r\n"); };
  REQUIRE(rig.start(get()));
  CHECK(rig.run() == State::kFailed);
  CHECK(rig.client.fault() == HttpFault::kProtocol);
  CHECK(rig.client.connection_failure() == ConnectionFailure::kNone);
}

TEST_CASE("an answer that ends with the connection is whole only when the end is orderly") {
  for (const bool orderly : {true, false}) {
    ClientRig rig;
    rig.connection.on_write = [&](std::string_view) {
      rig.connection.deliver("HTTP/1.1 200 OK\r\n\r\nhello");
      orderly ? rig.connection.end() : rig.connection.lose();
    };
    REQUIRE(rig.start(get()));
    CHECK(rig.run() == (orderly ? State::kDone : State::kFailed));
    CHECK(rig.client.body() == (orderly ? "hello" : ""));
  }
}

TEST_CASE("a server may refuse before it has heard everything") {
  ClientRig rig;
  HttpRequest request = get();
  request.method = "POST";
  const std::string body(500, 'b');
  request.body = body;
  rig.connection.most_write = 40;
  REQUIRE(rig.start(request));
  rig.client.step(rig.now += 10);
  rig.client.step(rig.now += 10);
  const std::size_t sent = rig.connection.written.size();
  rig.connection.deliver("HTTP/1.1 429 Slow\r\nRetry-After: 12\r\n");
  rig.client.step(rig.now += 10);
  rig.connection.deliver("Content-Length: 4\r\n\r\nslow");
  CHECK(rig.run() == State::kDone);
  CHECK(rig.client.status() == 429);
  CHECK(rig.client.retry_after_s() == 12);
  CHECK(rig.client.body() == "slow");
  // What was left of the request is not sent from a buffer that is the answer's by now.
  CHECK(rig.connection.written.size() <= sent + 40);
  CHECK(std::string("GETPOST").find(rig.connection.written.substr(0, 4)) != std::string::npos);
}

TEST_CASE("a large body flows through, a bounded share in each step") {
  ClientRig rig(256);
  Counter sink;
  const std::size_t size = 300000;
  rig.connection.on_write = [&](std::string_view) {
    rig.connection.deliver("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" +
                           std::string(size, 'f'));
  };
  REQUIRE(rig.start(get(), &sink));
  std::size_t before = 0;
  while (rig.client.step(rig.now += 10) == State::kBusy) {
    CHECK(sink.bytes - before <= 8192);
    before = sink.bytes;
  }
  CHECK(rig.client.state() == State::kDone);
  CHECK(sink.bytes == size);
}

TEST_CASE("a sink that has enough ends the request") {
  ClientRig rig;
  Counter sink;
  sink.stop_at = 1000;
  rig.connection.on_write = [&](std::string_view) {
    rig.connection.deliver("HTTP/1.1 200 OK\r\n\r\n" + std::string(100000, 'f'));
  };
  REQUIRE(rig.start(get(), &sink));
  CHECK(rig.run() == State::kFailed);
  CHECK(rig.client.fault() == HttpFault::kStopped);
  CHECK_FALSE(rig.connection.is_open());
  CHECK(sink.bytes < 2000);
}

TEST_CASE("stop gives up what is under way, and nothing else") {
  ClientRig rig;
  rig.client.stop();
  CHECK(rig.client.state() == State::kIdle);
  REQUIRE(rig.start(get()));
  rig.run(2);
  rig.client.stop();
  CHECK(rig.client.state() == State::kIdle);
  CHECK_FALSE(rig.connection.is_open());
  CHECK(rig.client.step(rig.now += 100000) == State::kIdle);

  rig.connection.on_write = [&](std::string_view) { rig.connection.deliver(kReply); };
  REQUIRE(rig.start(get()));
  CHECK(rig.run() == State::kDone);
  rig.client.stop();
  CHECK(rig.client.state() == State::kDone);
  CHECK(rig.client.body() == "{}");
  // The next request knows nothing of the last.
  rig.connection.on_write = nullptr;
  REQUIRE(rig.start(get()));
  CHECK(rig.client.status() == 0);
  CHECK(rig.client.body().empty());
  CHECK(rig.client.retry_after_s() == 0);
}
