#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "device/scripted_world.h"
#include "support/text.h"

using namespace lobug;
using lobug::test::World;
using S = DeviceState;

namespace {

const char* const kCode =
    R"({"activation":{"code":"123456","message":"m","challenge":"c","timeout_ms":60000}})";

}  // namespace

TEST_CASE("a new device asks for a Wi-Fi, then goes its way to the server") {
  World w;
  w.store.values.clear();
  w.boot();
  CHECK(w.device->state() == S::kSetup);
  CHECK(w.view().setup_network == "Lo-Bug-eeff");
  Settings settings = load_settings(w.store);
  settings.wifi_name = "home";
  settings.server = "http://10.0.0.2:8321";
  REQUIRE(save_settings(w.store, settings));
  w.input(Input::Kind::kSettings);
  CHECK(w.device->state() == S::kJoining);
  w.wifi();
  CHECK(w.reach(S::kIdle));
}

TEST_CASE("the screen knows whether the server of the newest session listens for a wake word") {
  World w;
  w.features = R"({"wake_word":true})";
  w.boot();
  w.wifi();
  CHECK_FALSE(w.view().wake_word);
  REQUIRE(w.reach(S::kIdle));
  w.steps(30);
  CHECK(w.view().wake_word);
  w.features.clear();
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.steps(30);
  CHECK_FALSE(w.view().wake_word);
}

TEST_CASE("a device that is let in keeps its token and shows it to the server alone") {
  World w;
  w.boot();
  const std::string client = load_settings(w.store).client_id.c_str();
  CHECK(client.size() == 36);
  CHECK(client[14] == '4');
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  CHECK(w.requests.front() == "POST /xiaozhi/ota/");
  CHECK(header_of(w.heads.front(), "Device-Id") == "aa:bb:cc:dd:ee:ff");
  CHECK(header_of(w.heads.front(), "Client-Id") == client);
  CHECK(header_of(w.heads.front(), "Authorization").empty());
  CHECK(header_of(w.handshake, "Authorization") == "Bearer t0ken");
  CHECK(w.system.time_ms == 1760000000000);
  CHECK(load_settings(w.store).token == "t0ken");
  REQUIRE_FALSE(w.texts.empty());
  CHECK(has(w.texts.front(), "\"pcm\""));

  // The next start: discovery gives no token again.
  w.discovery = R"({"websocket":{"url":"ws://10.0.0.2:8321/xiaozhi/v1/"}})";
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  CHECK(header_of(w.handshake, "Authorization") == "Bearer t0ken");
  CHECK(load_settings(w.store).client_id == client);

  // Another server does not see it.
  Settings settings = load_settings(w.store);
  settings.server = "http://10.0.0.3:8321";
  save_settings(w.store, settings);
  w.input(Input::Kind::kSettings);
  CHECK(w.device->state() != S::kIdle);
  REQUIRE(w.reach(S::kIdle));
  CHECK(header_of(w.handshake, "Authorization").empty());
}

TEST_CASE("pairing: the code is shown until the owner has approved it") {
  World w;
  const std::string let_in = w.discovery;
  w.discovery = kCode;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kPairing));
  CHECK(w.view().code == "123456");
  w.steps(100, 100);
  CHECK(w.device->state() == S::kPairing);
  CHECK(std::count(w.requests.begin(), w.requests.end(), "POST /xiaozhi/ota/activate") >= 2);
  w.activate_status = 200;
  w.discovery = let_in;
  REQUIRE(w.reach(S::kIdle, 800));
  CHECK(w.view().code.empty());
}

TEST_CASE("a code that has run out is replaced by a new one") {
  World w;
  w.discovery = kCode;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kPairing));
  w.discovery = R"({"activation":{"code":"777777","timeout_ms":60000}})";
  w.steps(650, 100);
  CHECK(w.view().code == "777777");
}

TEST_CASE("a token that is revoked on the open connection leads to pairing again") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.discovery = kCode;
  w.session.deliver(close_frame(4004));
  w.step();
  CHECK(w.device->state() == S::kOffline);
  CHECK(w.view().trouble == Trouble::kRefused);
  CHECK(load_settings(w.store).token.empty());
  REQUIRE(w.reach(S::kPairing));
}

TEST_CASE("a token that the device has lost: it asks again as another client") {
  World w;
  w.discovery = R"({"websocket":{"url":"ws://10.0.0.2:8321/xiaozhi/v1/"}})";
  w.socket_status = 401;
  w.boot();
  const std::string client = load_settings(w.store).client_id.c_str();
  w.wifi();
  REQUIRE(w.reach(S::kOffline));
  CHECK(load_settings(w.store).client_id != client);
  w.discovery = kCode;
  CHECK(w.reach(S::kPairing));
  CHECK(header_of(w.heads.back(), "Client-Id") == load_settings(w.store).client_id.c_str());
}

TEST_CASE("nobody is found by mDNS, then somebody is") {
  World w;
  w.store.values.erase("server");
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kOffline, 1000));
  CHECK(w.view().trouble == Trouble::kNoServer);
  w.finder.host = "10.0.0.2";
  REQUIRE(w.reach(S::kIdle, 1000));
  CHECK(w.http.endpoint.host == "10.0.0.2");
  CHECK(w.http.endpoint.port == 8321);
  // Found again at another address it is still the server that the token is of.
  w.discovery = R"({"websocket":{"url":"ws://10.0.0.9:8321/xiaozhi/v1/"}})";
  w.finder.host = "10.0.0.9";
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle, 1000));
  CHECK(header_of(w.handshake, "Authorization") == "Bearer t0ken");
}

TEST_CASE("the server goes and comes back: later and later tries, then it is there again") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.session.lose();
  w.session.open_fails = ConnectionFailure::kRefused;
  w.http.open_fails = ConnectionFailure::kRefused;
  w.step();
  CHECK(w.view().trouble == Trouble::kServerGone);
  const int before = w.session.opened + w.http.opened;
  w.steps(1200, 100);  // two minutes
  const int tries = w.session.opened + w.http.opened - before;
  CHECK(tries >= 4);
  CHECK(tries <= 12);
  CHECK(w.view().trouble == Trouble::kNoServer);
  w.session.open_fails = ConnectionFailure::kNone;
  w.http.open_fails = ConnectionFailure::kNone;
  CHECK(w.reach(S::kIdle, 700, 100));
}

TEST_CASE("a tap does not wait for the next try") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.http.open_fails = ConnectionFailure::kRefused;
  w.session.open_fails = ConnectionFailure::kRefused;
  w.session.lose();
  w.steps(600, 100);
  w.http.open_fails = ConnectionFailure::kNone;
  w.session.open_fails = ConnectionFailure::kNone;
  REQUIRE(w.reach(S::kOffline));
  w.input(Input::Kind::kTap);
  CHECK(w.reach(S::kIdle, 20));
}

TEST_CASE("the Wi-Fi goes and comes back") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.input(Input::Kind::kWifiDown);
  CHECK(w.view().trouble == Trouble::kNoWifi);
  const int opened = w.session.opened;
  w.steps(100, 100);
  CHECK(w.session.opened == opened);
  w.wifi();
  CHECK(w.reach(S::kIdle));
  w.input(Input::Kind::kWifiDown, 1);
  CHECK(w.view().trouble == Trouble::kWrongPassword);
}

TEST_CASE("the server's reasons to refuse are told apart") {
  World w;
  w.boot();
  SUBCASE("full") {
    w.socket_status = 503;
    w.wifi();
    REQUIRE(w.reach(S::kOffline));
    CHECK(w.view().trouble == Trouble::kServerFull);
  }
  SUBCASE("no Lo-Bug at all") {
    w.discovery = "<html>router</html>";
    w.wifi();
    REQUIRE(w.reach(S::kOffline));
    CHECK(w.view().trouble == Trouble::kNoServer);
  }
  SUBCASE("it never says hello") {
    w.says_hello = false;
    w.wifi();
    REQUIRE(w.reach(S::kConnecting));
    CHECK(w.reach(S::kOffline, 1100));
  }
  SUBCASE("it demands a less safe address than the owner set") {
    Settings settings = load_settings(w.store);
    settings.server = "https://10.0.0.2:8443";
    settings.ca = "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n";
    REQUIRE(save_settings(w.store, settings));
    w.input(Input::Kind::kSettings);
    w.wifi();
    REQUIRE(w.reach(S::kOffline));
    CHECK(w.view().trouble == Trouble::kUntrusted);
    CHECK(w.session.opened == 0);
  }
  SUBCASE("another device has its name") {
    w.wifi();
    REQUIRE(w.reach(S::kIdle));
    w.session.deliver(close_frame(4003));
    w.step();
    CHECK(w.view().trouble == Trouble::kReplaced);
    const int opened = w.session.opened;
    w.steps(500, 100);
    CHECK(w.session.opened == opened);
    CHECK(w.reach(S::kIdle, 200, 100));
  }
}

TEST_CASE("a session that was closed for idleness is opened again at once") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.steps(110, 100);
  const int opened = w.session.opened;
  w.session.deliver(close_frame(4006));
  w.steps(10);
  CHECK(w.device->state() == S::kIdle);
  CHECK(w.session.opened == opened + 1);
}

TEST_CASE("a turn over the real protocol: heard, shown, sounded") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.input(Input::Kind::kTap);
  w.step();
  CHECK(has(w.texts.back(), "\"start\""));
  CHECK(has(w.texts.back(), "\"auto\""));
  CHECK(w.view().microphone);
  const std::vector<std::int16_t> sound(10 * kUplinkFrameSamples, 3);
  w.audio.uplink.write({sound.data(), sound.size()});
  w.steps(3);
  CHECK(w.audio_bytes == 2 * sound.size());
  w.say(R"({"type":"stt","text":"Hello there","session_id":"s1"})");
  CHECK(w.view().heard == "Hello there");
  w.say(R"({"type":"llm","emotion":"happy","text":"x"})");
  w.say(R"({"type":"tts","state":"start"})");
  w.say(R"({"type":"tts","state":"sentence_start","text":"Hi!"})");
  w.session.deliver(binary_frame(std::string(1920, '\1')));
  w.step();
  CHECK(w.device->state() == S::kSpeaking);
  CHECK(w.view().caption == "Hi!");
  CHECK(w.view().emotion == Emotion::kHappy);
  CHECK_FALSE(w.view().microphone);
  w.say(R"({"type":"tts","state":"stop"})");
  std::vector<std::int16_t> played(2000);
  CHECK(w.audio.downlink.read({played.data(), played.size()}) == 960);
  CHECK(played[0] == 0x0101);
  while (w.audio.downlink.read({played.data(), played.size()}) > 0) {
  }
  CHECK(w.reach(S::kIdle));
}

TEST_CASE("tools of the device answer and act") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.say(R"({"type":"mcp","payload":{"jsonrpc":"2.0","id":7,"method":"tools/call","params":)"
        R"({"name":"self.audio_speaker.set_volume","arguments":{"volume":35}}}})");
  w.step();
  CHECK(has(w.texts.back(), "\"id\":7"));
  CHECK(w.audio.volume == 35);
  CHECK(w.view().volume == 35);
  CHECK(load_settings(w.store).volume == 70);
  w.steps(30, 100);
  CHECK(load_settings(w.store).volume == 35);  // written when it has come to rest
  w.say(R"({"type":"mcp","payload":{"jsonrpc":"2.0","id":8,"method":"tools/call","params":)"
        R"({"name":"self.timer.start","arguments":{"seconds":60,"label":"tea"}}}})");
  w.steps(590, 100);
  CHECK(w.audio.beeps == 0);
  w.steps(20, 100);
  CHECK(w.audio.beeps == 3);
  CHECK(w.view().notice == "tea");
}

TEST_CASE("what is felt is reported on a change and every five seconds, with the token") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.steps(200, 100);  // 20 s
  const auto reports = std::count(w.requests.begin(), w.requests.end(), "POST /context/sensors");
  CHECK(reports >= 4);
  CHECK(reports <= 5);
  CHECK(header_of(w.heads.back(), "Authorization") == "Bearer t0ken");
  Motion motion;
  motion.orientation = Orientation::kFaceDown;
  motion.taps = 1;
  w.screen.motion.publish(motion);
  w.steps(8, 100);
  CHECK(has(w.heads.back(), "face_down"));
  CHECK(has(w.heads.back(), "\"tap_detected\":true"));
  w.steps(60, 100);
  CHECK(has(w.heads.back(), "\"tap_detected\":false"));
}

TEST_CASE("a new firmware is fetched from the own server, verified and started") {
  World w;
  w.firmware = std::string(5000, 'f');
  std::string hash = w.firmware_hash();
  const auto offer = [&](const std::string& url, const std::string& sha, int size) {
    return R"({"websocket":{"url":"ws://10.0.0.2:8321/xiaozhi/v1/","token":"t0ken"},)"
           R"("firmware":{"version":"2.1.0","url":")" +
           url + R"(","size":)" + std::to_string(size) + R"(,"sha256":")" + sha + R"("}})";
  };
  const std::string url = "http://10.0.0.2:8321/firmware/host/2.1.0";
  SUBCASE("good") {
    w.discovery = offer(url, hash, 5000);
    w.boot();
    w.wifi();
    REQUIRE(w.reach(S::kUpdating));
    w.steps(20);
    CHECK(w.slot.activated == 1);
    CHECK(w.system.restarts == 1);
    CHECK(header_of(w.heads.back(), "Authorization") == "Bearer t0ken");
    CHECK(w.slot.written().size() == 5000);
  }
  SUBCASE("with a wrong hash: it stays as it is, and does not try the same one again") {
    hash[3] = hash[3] == '0' ? '1' : '0';
    w.discovery = offer(url, hash, 5000);
  }
  SUBCASE("of another host") {
    w.discovery = offer("http://10.6.6.6:8321/firmware/host/2.1.0", hash, 5000);
  }
  SUBCASE("shorter than promised") { w.discovery = offer(url, hash, 5001); }
  if (w.slot.activated == 0) {
    w.boot();
    w.wifi();
    CHECK(w.reach(S::kIdle));
    CHECK(w.slot.activated == 0);
    CHECK(w.system.restarts == 0);
    CHECK_FALSE(w.view().notice.empty());
    w.session.deliver(close_frame(4004));  // whatever makes it ask discovery again
    w.step();
    REQUIRE(w.reach(S::kIdle));
    const auto fetched =
        std::count(w.requests.begin(), w.requests.end(), "GET /firmware/host/2.1.0");
    CHECK(fetched <= 1);
  }
}

TEST_CASE("an image that was taken back is tried once more, not for ever") {
  World w;
  w.firmware = std::string(64, 'f');
  std::string hash = w.firmware_hash();
  w.discovery = R"({"websocket":{"url":"ws://10.0.0.2:8321/xiaozhi/v1/","token":"t0ken"},)"
                R"("firmware":{"version":"2.1.0","url":"http://10.0.0.2:8321/firmware/host/2.1.0",)"
                R"("size":64,"sha256":")" +
                hash + R"("}})";
  for (int round = 1; round <= 4; ++round) {
    w.boot();
    w.wifi();
    w.steps(60);
    CHECK(w.slot.activated == std::min(round, 2));
    if (w.slot.activated == round) {
      w.slot.power_cycle();  // starts on trial
      w.slot.power_cycle();  // was not confirmed: taken back
    }
  }
  CHECK(w.device->state() == S::kIdle);
}

TEST_CASE("an image on trial is confirmed by reaching the server, and taken back otherwise") {
  World w;
  w.slot.begin(4);
  const std::array<unsigned char, 4> image{1, 2, 3, 4};
  w.slot.write(Bytes(image.data(), image.size()));
  w.slot.activate();
  w.slot.power_cycle();
  REQUIRE(w.slot.on_trial());
  SUBCASE("reached") {
    w.boot();
    w.wifi();
    REQUIRE(w.reach(S::kIdle));
    CHECK(w.slot.confirmed == 1);
    w.steps(200, 10000);
    CHECK(w.slot.rolled_back == 0);
  }
  SUBCASE("not reached") {
    w.http.open_fails = ConnectionFailure::kTimeout;
    w.boot();
    w.wifi();
    w.steps(1300, 100);
    CHECK(w.slot.rolled_back == 1);
    CHECK(w.slot.confirmed == 0);
  }
}

TEST_CASE("a silent server is noticed by its silence") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.steps(300, 100);
  CHECK(w.device->state() == S::kIdle);  // pings go out, nothing has come for 30 s
  CHECK(w.reach(S::kOffline, 150, 100));
  CHECK(w.view().trouble == Trouble::kServerGone);
}

TEST_CASE("hostile messages change nothing") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  for (const char* text : {"", "[]", "{", "null", R"({"type":5})", R"({"type":"hello"})",
                           R"({"type":"mcp"})", R"({"type":"mcp","payload":[]})",
                           R"({"type":"tts","state":"sing"})", R"({"type":"system"})"}) {
    w.say(text);
    CHECK(w.device->state() == S::kIdle);
  }
  CHECK(w.system.restarts == 0);
  w.say(R"({"type":"system","command":"reboot"})");
  CHECK(w.system.restarts == 1);
}

TEST_CASE("no token, password or word that was said gets into the log") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.say(R"({"type":"stt","text":"my secret"})");
  w.session.deliver(close_frame(4004, "t0ken"));
  w.step();
  for (const std::string& line : w.system.lines) {
    CHECK_FALSE(has(line, "t0ken"));
    CHECK_FALSE(has(line, "secret"));
  }
  CHECK_FALSE(w.system.lines.empty());
}

TEST_CASE(
    "a repaired image under the same version is taken, the broken one is not asked for again") {
  World w;
  w.firmware = std::string(64, 'f');
  const std::string good = w.firmware_hash();
  const auto offer = [&](const std::string& hash) {
    w.discovery = R"({"websocket":{"url":"ws://10.0.0.2:8321/xiaozhi/v1/","token":"t0ken"},)"
                  R"("firmware":{"version":"2.1.0",)"
                  R"("url":"http://10.0.0.2:8321/firmware/host/2.1.0","size":64,"sha256":")" +
                  hash + R"("}})";
  };
  const auto fetched = [&] {
    return std::count(w.requests.begin(), w.requests.end(), "GET /firmware/host/2.1.0");
  };
  offer(std::string(64, 'a'));
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  CHECK(fetched() == 1);
  w.session.deliver(close_frame(4004));
  w.step();
  REQUIRE(w.reach(S::kIdle));
  CHECK(fetched() == 1);
  offer(good);
  w.session.deliver(close_frame(4004));
  w.steps(400);
  CHECK(fetched() == 2);
  CHECK(w.slot.activated == 1);
}
