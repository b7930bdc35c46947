#include <doctest/doctest.h>

#include <string>

#include "lobug/setup/console.h"
#include "setup/sample_ca.h"
#include "support/memory_store.h"
#include "support/text.h"

namespace lobug {
namespace {

struct Terminal {
  MemoryStore store;
  Queue<Input, 16> inputs;
  View view;
  Console console{store, inputs};

  /// Types it and the enter key; what is answered.
  std::string type(std::string_view text, std::string_view enter = "\r\n") {
    std::string answer;
    for (const char character : std::string(text) + std::string(enter)) {
      console.feed(character, view);
      answer += console.answer().view();
    }
    return answer;
  }
  /// The inputs that wait, one letter each.
  std::string pushed() {
    std::string kinds;
    Input input;
    while (inputs.pop(input)) {
      switch (input.kind) {
        case Input::Kind::kSettings:
          kinds += 's';
          break;
        case Input::Kind::kSelfTest:
          kinds += 't';
          break;
        case Input::Kind::kForgetPairing:
          kinds += 'p';
          break;
        case Input::Kind::kRestart:
          kinds += 'r';
          break;
        case Input::Kind::kReset:
          kinds += 'X';
          break;
        default:
          kinds += '?';
          break;
      }
    }
    return kinds;
  }
  Settings settings() { return load_settings(store); }
};

TEST_CASE("wifi sets name and password, quoted or not") {
  Terminal terminal;
  CHECK(terminal.type("wifi Home 12345678") == "Saved.\n");
  CHECK(terminal.settings().wifi_name == "Home");
  CHECK(terminal.settings().wifi_password == "12345678");
  CHECK(terminal.pushed() == "s");
  CHECK(terminal.type("  wifi   \"My Home\"   \"a \\\"b\\\" c\\\\ d\"  ") == "Saved.\n");
  CHECK(terminal.settings().wifi_name == "My Home");
  CHECK(terminal.settings().wifi_password == "a \"b\" c\\ d");
  CHECK(terminal.type("wifi K\xC3\xA4se pass\\word") == "Saved.\n");
  CHECK(terminal.settings().wifi_name == "K\xC3\xA4se");
  CHECK(terminal.settings().wifi_password == "pass\\word");
  CHECK(terminal.type("wifi Cafe") == "Saved.\n");  // an open one
  CHECK(terminal.settings().wifi_password.empty());
}

TEST_CASE("wifi with an error says so and changes nothing") {
  Terminal terminal;
  REQUIRE(terminal.type("wifi Home 12345678") == "Saved.\n");
  terminal.pushed();
  CHECK(has(terminal.type("wifi"), "Type wifi NAME PASSWORD"));
  CHECK(has(terminal.type("wifi My Home 12345678"), "quotes"));
  CHECK(has(terminal.type("wifi a b c d e"), "quotes"));
  CHECK(has(terminal.type("wifi \"My Home 12345678"), "closing quote"));
  CHECK(has(terminal.type("wifi \"My Home\"12345678"), "space is missing"));
  CHECK(has(terminal.type("wifi \"\" 12345678"), "needs a name"));
  CHECK(has(terminal.type("wifi Other short"), "at least 8"));
  CHECK(terminal.settings().wifi_name == "Home");
  CHECK(terminal.settings().wifi_password == "12345678");
  CHECK(terminal.pushed().empty());
}

TEST_CASE("server and ca take the rest of the line") {
  Terminal terminal;
  CHECK(terminal.type("server http://Desk:8321/") == "Saved.\n");
  CHECK(terminal.settings().server == "http://desk:8321");
  CHECK(has(terminal.type("server https://desk"), "CA first"));
  std::string line;
  for (const char character : sample_ca(28)) {
    if (character == '\n') {
      line += "\\n";
    } else {
      line += character;
    }
  }
  CHECK(terminal.type("ca " + line) == "Saved.\n");
  CHECK(terminal.settings().ca == sample_ca(28));
  CHECK(terminal.type("server https://desk") == "Saved.\n");
  CHECK(has(terminal.type("ca none"), "needs this CA"));
  CHECK(terminal.type("server auto") == "Saved.\n");
  CHECK(terminal.type("ca none") == "Saved.\n");
  CHECK(terminal.settings().ca.empty());
  CHECK(has(terminal.type("ca"), "Type ca"));
  CHECK(has(terminal.type("server"), "Type server"));
  CHECK(has(terminal.type("server http://a http://b"), "must be auto"));
}

TEST_CASE("set takes every setting") {
  Terminal terminal;
  CHECK(terminal.type("set volume 12") == "Saved.\n");
  CHECK(terminal.type("set talk_mode conversation") == "Saved.\n");
  CHECK(terminal.type("set captions off") == "Saved.\n");
  CHECK(terminal.type("set wifi_name \"My Home\"") == "Saved.\n");
  CHECK(terminal.type("set wifi_password \"\"") == "Saved.\n");
  CHECK(terminal.settings().volume == 12);
  CHECK(terminal.settings().talk_mode == TalkMode::kConversation);
  CHECK_FALSE(terminal.settings().captions);
  CHECK(terminal.settings().wifi_name == "My Home");
  CHECK(terminal.pushed() == "sssss");
  CHECK(has(terminal.type("set"), "Type set NAME VALUE"));
  CHECK(has(terminal.type("set volume"), "Type set NAME VALUE"));
  CHECK(has(terminal.type("set volume 1 2"), "Type set NAME VALUE"));
  CHECK(has(terminal.type("set volume 101"), "0 to 100"));
  CHECK(has(terminal.type("set token abc"), "no such setting"));
  CHECK(terminal.pushed().empty());
}

TEST_CASE("a setting is saved by itself: what was stored meanwhile stays") {
  Terminal terminal;
  terminal.store.values["token"] = "lobug_secret";
  terminal.store.values["token_server"] = "http://desk";
  terminal.store.writes = 0;
  CHECK(terminal.type("set volume 12") == "Saved.\n");
  CHECK(terminal.store.writes == 1);
  CHECK(terminal.store.values["token"] == "lobug_secret");
  CHECK(terminal.type("set volume 12") == "Saved.\n");
  CHECK(terminal.store.writes == 1);
}

TEST_CASE("what cannot be saved, or not be told the device, is said") {
  Terminal terminal;
  terminal.store.writes_left = 0;
  CHECK(terminal.type("set volume 12") == "I couldn't save that.\n");
  CHECK(terminal.pushed().empty());
  terminal.store.writes_left = -1;
  for (int i = 0; i < 16; ++i) CHECK(terminal.type("restart") == "I'm restarting.\n");
  CHECK(has(terminal.type("restart"), "busy"));
  CHECK(has(terminal.type("set volume 12"), "after a restart"));
  CHECK(terminal.settings().volume == 12);
  CHECK(terminal.pushed() == std::string(16, 'r'));
}

TEST_CASE("show and status hold no secret") {
  Terminal terminal;
  CHECK(has(terminal.type("show"), "wifi_name: (none)\nwifi_password: (none)\nserver: auto\n"));
  CHECK(has(terminal.type("show"), "paired_with: (nobody)\nupdate_key: (none)\n"));
  Settings settings;
  settings.wifi_name = Text<32>("My Home");
  settings.wifi_password = Text<64>("geheim geheim");
  settings.server = Text<160>("https://desk:8321");
  settings.ca = Text<2048>(sample_ca(3, 'Q'));
  settings.token = Text<128>("lobug_secret");
  settings.token_server = Text<160>("https://desk:8321");
  settings.update_key = Text<64>(std::string(15, '5') + std::string(49, '6'));
  settings.update_key_server = Text<160>("https://desk:8321");
  REQUIRE(save_settings(terminal.store, settings));
  const std::string shown = terminal.type("show");
  CHECK(has(shown, "wifi_name: My Home\nwifi_password: (set)\nserver: https://desk:8321\n"));
  CHECK(has(shown,
            "ca: (set)\ntalk_mode: tap\nvolume: 70\nbrightness: 70\ncaptions: on\n"
            "clock: on\ndim_after: 60\noff_after: 300\noff_after_usb: never\nlight: auto\n"
            "body: auto\nyaw_offset: 0\npitch_offset: 0\nyaw_reversed: off\n"));
  CHECK(has(shown, "paired_with: https://desk:8321\nupdate_key: 5555555555555556\n"));
  for (const std::string& answer : {shown, terminal.type("status"), terminal.type("help")}) {
    CHECK_FALSE(has(answer, "geheim"));
    CHECK_FALSE(has(answer, "lobug_secret"));
    CHECK_FALSE(has(answer, "QQQQ"));
  }
}

TEST_CASE("calibrate and status tell of a body, where there is one") {
  Terminal terminal;
  CHECK(terminal.type("calibrate") == "This device has no body that moves.\n");
  CHECK_FALSE(has(terminal.type("status"), "body"));
  View& view = terminal.view;
  view.body.kind = BodyKind::kStackChan;
  view.body.at = {-123, 456};
  CHECK(has(terminal.type("status"), "body: stackchan, yaw -12, pitch 45, servos off\n"));
  view.body.powered = true;
  CHECK(has(terminal.type("status"), "servos on\n"));
  view.body.silent = true;
  CHECK(has(terminal.type("status"), "servos don't answer\n"));
  CHECK(has(terminal.type("calibrate"), "set yaw_offset N"));
  CHECK(terminal.type("calibrate now") ==
        "I don't understand what follows the command. Type help.\n");
  Input input;
  REQUIRE(terminal.inputs.pop(input));
  CHECK(input.kind == Input::Kind::kCalibrate);
  CHECK(input.value == 1);
}

TEST_CASE("status tells what the face shows") {
  Terminal terminal;
  CHECK(has(terminal.type("status"), "state: starting\nwifi: down\nserver: not connected\n"));
  View& view = terminal.view;
  view.state = DeviceState::kPairing;
  view.trouble = Trouble::kServerGone;
  view.wifi = true;
  view.wifi_dbm = -67;
  view.address = Text<48>("192.168.1.7");
  view.server = true;
  view.server_name = Text<64>("desk");
  view.code = Text<16>("934342");
  view.retry_s = 65535;
  view.battery = 100;
  view.battery_known = true;
  view.charging = true;
  view.powered = true;
  view.version = Text<24>("2.0.0");
  CHECK(terminal.type("status") ==
        "state: pairing\ntrouble: I lost my server. I'll keep trying.\nwifi: 192.168.1.7, -67 dBm\n"
        "server: desk\npairing code: 934342\nnext try: in 65535 s\nbattery: 100%, charging\n"
        "power: awake, powered\ntime: not known\nnvs: plain\nversion: 2.0.0\n");
  view.store_encrypted = true;
  CHECK(has(terminal.type("status"), "nvs: encrypted\nversion: 2.0.0\n"));
  view.state = DeviceState::kSetup;
  view.setup_network = Text<40>("Lo-Bug-4F2A");
  view.setup_address = Text<40>("http://192.168.4.1");
  view.battery = 0;
  view.charging = false;
  view.powered = false;
  view.power = PowerState::kDark;
  view.minute_of_day = 9 * 60 + 5;
  view.date = {4, 26, 11};
  const std::string setup = terminal.type("status");
  CHECK(has(setup, "setup: Lo-Bug-4F2A\nsetup page: http://192.168.4.1\n"));
  CHECK(has(setup, "battery: 0%\npower: dark, on battery\n"));
  CHECK(has(setup, "time: Thursday, 26 November, 09:05\n"));
}

TEST_CASE("the self-test is begun by a word, and its result follows as one line of JSON") {
  Terminal terminal;
  View& view = terminal.view;
  view.self_test.phase = SelfTestState::Phase::kDone;  // of the last time
  view.self_test.run = 255;
  view.version = "2.0.0";
  CHECK(terminal.type("selftest") == "I'm testing myself. You'll hear a beep.\n");
  CHECK(terminal.pushed() == "t");
  terminal.console.step(view);
  CHECK(terminal.console.answer().empty());
  view.self_test.phase = SelfTestState::Phase::kRunning;
  view.self_test.run = 0;
  terminal.console.step(view);
  CHECK(terminal.console.answer().empty());
  view.self_test.phase = SelfTestState::Phase::kDone;
  view.self_test.measured.touches = 3;
  terminal.console.step(view);
  const std::string line(terminal.console.answer().view());
  CHECK(line.substr(0, 37) == R"({"selftest":"bad","version":"2.0.0",")");
  CHECK(has(line, R"("touch":{"is":"fine","touches":3})"));
  CHECK(line.find('\n') == line.size() - 1);
  terminal.console.step(view);
  CHECK(terminal.console.answer().empty());  // told once
  CHECK(has(terminal.type("selftest now"), "Type help."));
}

TEST_CASE("a self-test that was refused or interrupted is told as such") {
  Terminal terminal;
  terminal.type("selftest");
  terminal.view.self_test.run = 1;
  terminal.view.self_test.phase = SelfTestState::Phase::kRefused;
  terminal.console.step(terminal.view);
  CHECK(terminal.console.answer() == "I can't test myself while we talk.\n");
  terminal.type("selftest");
  terminal.view.self_test.run = 2;
  terminal.view.self_test.phase = SelfTestState::Phase::kStopped;
  terminal.console.step(terminal.view);
  CHECK(terminal.console.answer() == "I was interrupted. Please test me again.\n");
}

TEST_CASE("the longest answers fit") {
  Terminal terminal;
  const std::string help = terminal.type("help");
  CHECK(help == terminal.type("?"));
  CHECK(help.size() < Text<1536>::capacity());
  CHECK(help.back() == '\n');
  for (const char* const word : {"wifi ", "server ", "ca ", "set ", "show", "status", "selftest",
                                 "pair", "restart", "reset yes", "  wifi_name: ", "  talk_mode: ",
                                 "  volume: ", "  brightness: ", "  captions: ", "  light: "}) {
    CAPTURE(word);
    CHECK(has(help, word));
  }
  Settings settings;
  settings.wifi_name = Text<32>(std::string(32, 'w'));
  settings.server = Text<160>("http://" + std::string(63, 'a') + "." + std::string(63, 'b'));
  settings.token = Text<128>(std::string(128, 't'));
  settings.token_server = Text<160>(std::string(160, 's'));
  REQUIRE(save_settings(terminal.store, settings));
  CHECK(has(terminal.type("show"), std::string(160, 's') + "\n"));
  View& view = terminal.view;
  view.trouble = Trouble::kNoServer;
  view.wifi = true;
  view.address = Text<48>(std::string(48, '1'));
  view.setup_network = Text<40>(std::string(40, 'n'));
  view.setup_address = Text<40>(std::string(40, 'a'));
  view.server = true;
  view.server_name = Text<64>(std::string(64, 's'));
  view.battery_known = true;
  view.power = PowerState::kSwitchedOff;
  view.minute_of_day = 1439;
  view.date = {3, 30, 9};
  view.version = Text<24>(std::string(24, 'v'));
  const std::string status = terminal.type("status");
  CHECK(has(status, std::string(48, '1') + ", -127 dBm\n"));
  CHECK(has(status, "version: " + std::string(24, 'v') + "\n"));
}

TEST_CASE("pair and restart are passed on; reset has to be confirmed") {
  Terminal terminal;
  CHECK(has(terminal.type("pair"), "new code"));
  CHECK(has(terminal.type("restart"), "restart"));
  CHECK(terminal.pushed() == "pr");
  for (const char* const no : {"reset", "reset no", "reset y", "reset yes please", "reset YES"}) {
    CHECK(has(terminal.type(no), "reset yes"));
  }
  CHECK(terminal.pushed().empty());
  CHECK(has(terminal.type("reset yes"), "forgetting everything"));
  CHECK(terminal.pushed() == "X");
  CHECK(terminal.store.writes == 0);  // the device does it
}

TEST_CASE("what is no command is answered with where to find them") {
  Terminal terminal;
  for (const char* const line : {"hello", "WIFI a", "wifi: x", "restart now", "pair me", "show me",
                                 "help me", "status -v", "\"wifi\" a b", "\xFF\xFE"}) {
    CAPTURE(line);
    CHECK(has(terminal.type(line), "Type help."));
  }
  CHECK(terminal.pushed().empty());
}

TEST_CASE("a line ends with CR, LF or both, and is answered once, then") {
  Terminal terminal;
  CHECK(terminal.type("", "\r\n\r\n\n\n\r").empty());
  CHECK(terminal.type("   ").empty());
  for (const char* const enter : {"\r", "\n", "\r\n"}) {
    CHECK(terminal.type("restart", "").empty());
    CHECK(terminal.type("", enter) == "I'm restarting.\n");
  }
  CHECK(terminal.pushed() == "rrr");
}

TEST_CASE("backspace takes one character back, in UTF-8 too, and stops at the beginning") {
  Terminal terminal;
  CHECK(terminal.type("\b\b\x7Frestartt\bx\x7F") == "I'm restarting.\n");
  CHECK(terminal.type("wifi \xC3\xA4\xE2\x82\xAC\b\b\xF0\x9F\x98\x80\x7FHome 12345678") ==
        "Saved.\n");
  CHECK(terminal.settings().wifi_name == "Home");
}

TEST_CASE("control characters are overlooked") {
  Terminal terminal;
  CHECK(terminal.type(std::string_view("re\0st\x1B\x07\t\x01"
                                       "art",
                                       12)) == "I'm restarting.\n");
}

TEST_CASE("a line of 2,200 characters is read, a longer one refused as a whole") {
  Terminal terminal;
  const std::string command = "set volume ";
  std::string line = command + std::string(2200 - command.size() - 2, ' ') + "12";
  REQUIRE(line.size() == 2200);
  CHECK(terminal.type(line) == "Saved.\n");
  CHECK(terminal.settings().volume == 12);
  terminal.pushed();
  line = "set volume " + std::string(2200 - command.size() - 1, ' ') + "13";
  CHECK(has(terminal.type(line), "too long"));
  CHECK(has(terminal.type("set volume 14" + std::string(100000, ' ')), "too long"));
  // Taking characters back does not make a half line whole.
  CHECK(
      has(terminal.type("restart" + std::string(2194, ' ') + std::string(3000, '\b')), "too long"));
  CHECK(terminal.settings().volume == 12);
  CHECK(terminal.pushed().empty());
  CHECK(terminal.type("restart") == "I'm restarting.\n");  // and the next one is as ever
}

}  // namespace
}  // namespace lobug
