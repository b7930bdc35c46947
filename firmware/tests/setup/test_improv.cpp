#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "lobug/sentences.h"
#include "lobug/setup/improv.h"
#include "support/memory_store.h"
#include "support/scripted_wifi.h"

namespace lobug {
namespace {

/// What a program at the other end of the line has read: packets as "state 2", "error 0" and
/// "result 3: a|b", lines of text as they are.
std::vector<std::string> read_all(const std::string& bytes) {
  std::vector<std::string> read;
  std::string line;
  ImprovReader reader;
  for (const char byte : bytes) {
    const ImprovReader::Found found = reader.feed(byte, 0);
    CHECK(found != ImprovReader::Found::kBroken);
    if (found == ImprovReader::Found::kText) {
      line += reader.text();
      if (line.back() == '\n') {
        read.push_back(line.substr(0, line.size() - 1));
        line.clear();
      }
    }
    if (found != ImprovReader::Found::kPacket) continue;
    CHECK(line.empty());  // packets begin lines
    const Bytes data = reader.data();
    if (reader.type() == 1 || reader.type() == 2) {
      CHECK(data.size() == 1);
      read.push_back((reader.type() == 1 ? "state " : "error ") + std::to_string(data[0]));
      continue;
    }
    REQUIRE(reader.type() == 4);
    REQUIRE(data.size() >= 2);
    CHECK(data[1] == data.size() - 2);
    std::string text = "result " + std::to_string(data[0]) + ":";
    for (std::size_t at = 2; at < data.size(); at += 1U + data[at]) {
      text += at == 2 ? " " : "|";
      text.append(reinterpret_cast<const char*>(data.data() + at + 1), data[at]);
    }
    read.push_back(text);
  }
  CHECK(line.empty());
  return read;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

struct Rig {
  MemoryStore store;
  Queue<Input, 16> inputs;
  ScriptedWifi wifi;
  KeptOutput out;
  View view;
  SerialLine line{store, inputs, wifi, out};
  Millis now = 0xFFFFFFF0U;

  Rig() {
    view.version = "2.1.0";
    line.begin("m5stack-core2", "Lo-Bug-1A2B");
  }
  std::string type(std::string_view bytes) {
    for (const char byte : bytes) line.feed(byte, view, ++now);
    line.step(view, now);
    return joined(read_all(out.take()));
  }
  std::string command(std::string_view data) {
    ImprovWriter writer(ImprovType::kCommand);
    for (const char byte : data) writer.byte(static_cast<std::uint8_t>(byte));
    return type(writer.finish());
  }
  std::string send_wifi(std::string_view name, std::string_view password) {
    ImprovWriter writer(ImprovType::kCommand);
    writer.byte(1).byte(static_cast<std::uint8_t>(2 + name.size() + password.size()));
    return type(writer.string(name).string(password).finish());
  }
  std::string wait(Millis ms) {
    now += ms;
    line.step(view, now);
    return joined(read_all(out.take()));
  }
  int settings_told() {
    int count = 0;
    Input input;
    while (inputs.pop(input)) count += input.kind == Input::Kind::kSettings ? 1 : 0;
    return count;
  }
};

const std::string kState("\x02\x00", 2);
const std::string kDevice("\x03\x00", 2);
const std::string kNetworks("\x04\x00", 2);

TEST_CASE("it tells its state") {
  Rig rig;
  CHECK(rig.command(kState) == "error 0; state 2");
  rig.wifi.state = Wifi::Link::kJoining;
  CHECK(rig.command(kState) == "error 0; state 2");
  rig.wifi.state = Wifi::Link::kUp;
  CHECK(rig.command(kState) == "error 0; state 4; result 2: ");
  rig.store.values["server"] = "http://desk:8321";
  CHECK(rig.command(kState) == "error 0; state 4; result 2: http://desk:8321");
}

TEST_CASE("it says what it is") {
  Rig rig;
  CHECK(rig.command(kDevice) == "error 0; result 3: Lo-Bug|2.1.0|m5stack-core2|Lo-Bug-1A2B");
}

TEST_CASE("it stores a Wi-Fi, joins it and tells so") {
  Rig rig;
  CHECK(rig.send_wifi("My Home", "\"secret\" \\word") == "error 0; state 3");
  const Settings settings = load_settings(rig.store);
  CHECK(settings.wifi_name == "My Home");
  CHECK(settings.wifi_password == "\"secret\" \\word");
  CHECK(rig.settings_told() == 1);
  CHECK(rig.wifi.reloads == 1);
  rig.wifi.state = Wifi::Link::kJoining;
  CHECK(rig.wait(10000).empty());
  CHECK(rig.command(kState) == "error 0; state 3");
  rig.wifi.state = Wifi::Link::kUp;
  CHECK(rig.wait(1) == "state 4; result 1: ");
  CHECK(rig.wait(Improv::kJoinMs).empty());
}

TEST_CASE("an open network has no password") {
  Rig rig;
  CHECK(rig.send_wifi("Cafe", "") == "error 0; state 3");
  CHECK(load_settings(rig.store).wifi_password.empty());
}

TEST_CASE("a password that the Wi-Fi refuses is told in words, too") {
  Rig rig;
  rig.send_wifi("Home", "wrong word");
  rig.wifi.state = Wifi::Link::kRefused;
  CHECK(rig.wait(1) == "The Wi-Fi rejects my password.; error 3; state 2");
  CHECK(rig.wait(Improv::kJoinMs).empty());
  // The next attempt is one of its own.
  rig.wifi.state = Wifi::Link::kJoining;
  CHECK(rig.send_wifi("Home", "right word") == "error 0; state 3");
}

TEST_CASE("a Wi-Fi that is not there is given up") {
  Rig rig;
  rig.send_wifi("Gone", "12345678");
  rig.wifi.state = Wifi::Link::kJoining;
  CHECK(rig.wait(Improv::kJoinMs - 2).empty());  // the packet's line end took one
  CHECK(rig.wait(1) == "I can't reach the Wi-Fi.; error 3; state 2");
}

TEST_CASE("what cannot be a Wi-Fi is refused, and what was stored stays") {
  Rig rig;
  rig.send_wifi("Home", "12345678");
  rig.settings_told();
  CHECK(rig.send_wifi("Home", "short") ==
        "error 0; A Wi-Fi password has at least 8 characters.; error 3; state 2");
  CHECK(rig.send_wifi("", "12345678") == "error 0; The Wi-Fi needs a name.; error 3; state 2");
  CHECK(rig.send_wifi(std::string(33, 'x'), "12345678").find("error 3") != std::string::npos);
  CHECK(load_settings(rig.store).wifi_name == "Home");
  CHECK(load_settings(rig.store).wifi_password == "12345678");
  CHECK(rig.settings_told() == 0);
}

TEST_CASE("a store that fails is told") {
  Rig rig;
  rig.store.writes_left = 0;
  CHECK(rig.send_wifi("Home", "12345678") == "error 0; I couldn't save that.; error 255; state 2");
}

TEST_CASE("it looks for networks and names them all") {
  Rig rig;
  rig.wifi.found.resize(2);
  rig.wifi.found[0].name = "Home";
  rig.wifi.found[0].dbm = -48;
  rig.wifi.found[1].name = "Cafe \xC3\xA9";
  rig.wifi.found[1].dbm = -128;
  rig.wifi.found[1].secured = false;
  CHECK(rig.command(kNetworks) == "error 0");
  CHECK(rig.wait(3000).empty());
  rig.wifi.looking = false;
  CHECK(rig.wait(1) == "result 4: Home|-48|YES; result 4: Cafe \xC3\xA9|-128|NO; result 4:");
  CHECK(rig.wait(Improv::kLookMs).empty());
}

TEST_CASE("a radio that cannot look, or never ends, gets what is known") {
  Rig rig;
  rig.wifi.can_look = false;
  CHECK(rig.command(kNetworks) == "error 0; result 4:");
  rig.wifi.can_look = true;
  CHECK(rig.command(kNetworks) == "error 0");
  CHECK(rig.wait(Improv::kLookMs) == "result 4:");
}

TEST_CASE("what is no command is refused") {
  Rig rig;
  CHECK(rig.command("") == "error 1");
  CHECK(rig.command("\x02") == "error 1");
  CHECK(rig.command(std::string("\x02\x05", 2)) == "error 1");   // too short
  CHECK(rig.command(std::string("\x02\x00x", 3)) == "error 1");  // too long
  CHECK(rig.command("\x03\x01x") == "error 1");                  // takes nothing
  CHECK(rig.command(std::string("\x05\x00", 2)) == "error 2");
  CHECK(rig.command("\x06\x03\x61\x62\x63") == "error 2");
  CHECK(rig.command(std::string("\x01\x00", 2)) == "error 1");  // no name
  CHECK(rig.command("\x01\x03\x09\x61\x62") == "error 1");      // a name longer than the packet
  CHECK(rig.command("\x01\x02\x01\x61") == "error 1");          // no password
  CHECK(rig.command(std::string("\x01\x04\x01\x61\x00x", 6)) == "error 1");  // more than that
  CHECK(rig.type("IMPROV\x01\x03\x02\x02\x01\xFF") == "error 1");            // a wrong checksum
  CHECK(rig.store.values.empty());
  CHECK(rig.settings_told() == 0);
}

TEST_CASE("packets that only devices send are not answered") {
  Rig rig;
  for (const ImprovType type : {ImprovType::kState, ImprovType::kError, ImprovType::kResult}) {
    CHECK(rig.type(ImprovWriter(type).byte(2).byte(0).finish()).empty());
  }
}

TEST_CASE("the console goes on beside it") {
  Rig rig;
  CHECK(rig.type("server http://192.168.1.5:8321\n") == "Saved.");
  CHECK(rig.wifi.reloads == 1);
  // In the middle of a line that somebody types.
  rig.type("serv");
  CHECK(rig.command(kState) == "error 0; state 2");
  CHECK(rig.type("er auto\n") == "Saved.");
  CHECK(load_settings(rig.store).server.empty());
  CHECK(rig.type("IMPROVISE\n") == std::string(sentences::kUnknownCommand));
  CHECK(rig.settings_told() == 2);
}

}  // namespace
}  // namespace lobug
