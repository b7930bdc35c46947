#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "lobug/json/reader.h"
#include "lobug/tools/mcp.h"
#include "lobug/tools/tools.h"
#include "tools/scripted_host.h"

using lobug::ScriptedHost;
using lobug::Span;
using lobug::json::parse;
using lobug::json::Value;

namespace {

std::string call(ScriptedHost& host, std::string_view name, std::string_view arguments) {
  char buffer[1024];
  const std::string request =
      R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":")" + std::string(name) +
      R"(","arguments":)" + std::string(arguments) + "}}";
  const std::size_t length = lobug::answer_mcp(request, host, "2.0.0", Span<char>(buffer));
  return {buffer, length};
}

constexpr std::string_view kDone =
    R"({"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"true"}],"isError":false}})";

/// What a good call makes the device do.
std::string effect(std::string_view name, std::string_view arguments) {
  ScriptedHost host;
  CHECK(call(host, name, arguments) == kDone);
  return host.done;
}

/// Why a call is refused; the device does nothing then.
std::string refusal(std::string_view name, std::string_view arguments) {
  ScriptedHost host;
  const std::string answer = call(host, name, arguments);
  CHECK(host.done.empty());
  const Value error = parse(answer).member("error");
  CHECK(error.member("code").raw() == "-32602");
  lobug::Text<128> message;
  error.member("message").text(message);
  return std::string(message.view());
}

/// The JSON that a tool tells as text.
std::string told(ScriptedHost& host, std::string_view name) {
  const std::string answer = call(host, name, "{}");
  lobug::json::Items content(parse(answer).member("result").member("content"));
  REQUIRE(content.next());
  lobug::Text<320> text;
  REQUIRE(content.value().member("text").text(text));
  return std::string(text.view());
}

}  // namespace

TEST_CASE("Each tool does what it says") {
  CHECK(effect("self.audio_speaker.set_volume", R"({"volume":50})") == "volume 50;");
  CHECK(effect("self.screen.set_brightness", R"({"brightness":1})") == "brightness 1;");
  CHECK(effect("self.face.set_expression", R"({"expression":"winking"})") == "emotion winking;");
  CHECK(effect("self.screen.show_text", R"({"text":"Hello","seconds":5})") == "text 5;");
  CHECK(effect("self.timer.start", R"({"seconds":300,"label":"Tea"})") == "timer 300;");
  CHECK(effect("self.beep", R"({"times":2})") == "beep 2;");
  CHECK(effect("self.led.set_color", R"({"color":"orange"})") == "light 255 96 0;");
  CHECK(effect("self.led.set_color", R"({"color":"off"})") == "light 0 0 0;");
  CHECK(effect("self.led.set_color", R"({"color":"automatic"})") == "light automatic;");
  CHECK(effect("self.body.set_gaze", R"({"direction":"left","angle":20})") == "look -20 0;");
  CHECK(effect("self.body.set_gaze", R"({"direction":"right","angle":90})") == "look 90 0;");
  CHECK(effect("self.body.set_gaze", R"({"direction":"down","angle":5})") == "look 0 -5;");
  CHECK(effect("self.body.set_gaze", R"({"direction":"ahead","angle":60})") == "look 0 0;");
  CHECK(effect("self.body.gesture", R"({"gesture":"nod","times":3})") == "deed 0 3;");
  CHECK(effect("self.body.gesture", R"({"gesture":"dance"})") == "deed 3 1;");
}

TEST_CASE("Arguments that may be left out have a value of their own") {
  CHECK(effect("self.screen.show_text", R"({"text":"Hello"})") == "text 15;");
  CHECK(effect("self.timer.start", R"({"seconds":1})") == "timer 1;");
  CHECK(effect("self.beep", "{}") == "beep 1;");
  CHECK(effect("self.body.set_gaze", R"({"direction":"up"})") == "look 0 40;");
  ScriptedHost host;
  char buffer[512];
  const std::size_t length = lobug::answer_mcp(
      R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"self.beep"}})", host,
      "2.0.0", Span<char>(buffer));
  CHECK(std::string_view(buffer, length) == kDone);
}

TEST_CASE("Texts reach the screen as they were meant") {
  ScriptedHost host;
  call(host, "self.screen.show_text", R"({"text":"\u00dcber \"7\"\n\ud83d\ude42"})");
  CHECK(host.shown ==
        "\xC3\x9C"
        "ber \"7\"\n\xF0\x9F\x99\x82");
  call(host, "self.timer.start", R"({"seconds":60,"label":"Eggs"})");
  CHECK(host.shown == "Eggs");
}

TEST_CASE("A text of the longest length in wide characters is cut, not refused") {
  ScriptedHost host;
  std::string wide;
  for (int i = 0; i < 200; ++i) wide += "\xE2\x82\xAC";
  CHECK(call(host, "self.screen.show_text", R"({"text":")" + wide + "\"}") == kDone);
  CHECK(host.shown == wide.substr(0, 255));
}

TEST_CASE("Ranges hold at their ends") {
  CHECK(effect("self.audio_speaker.set_volume", R"({"volume":0})") == "volume 0;");
  CHECK(effect("self.audio_speaker.set_volume", R"({"volume":100.0})") == "volume 100;");
  CHECK(effect("self.timer.start", R"({"seconds":86400})") == "timer 86400;");
  CHECK(effect("self.beep", R"({"times":5})") == "beep 5;");
  const std::string range = "volume must be a whole number of 0 to 100";
  CHECK(refusal("self.audio_speaker.set_volume", R"({"volume":101})") == range);
  CHECK(refusal("self.audio_speaker.set_volume", R"({"volume":-1})") == range);
  CHECK(refusal("self.audio_speaker.set_volume", R"({"volume":256})") == range);
  CHECK(refusal("self.audio_speaker.set_volume", R"({"volume":4294967346})") == range);
  CHECK(refusal("self.audio_speaker.set_volume", R"({"volume":50.5})") == range);
  CHECK(refusal("self.screen.set_brightness", R"({"brightness":0})") ==
        "brightness must be a whole number of 1 to 100");
  CHECK(refusal("self.timer.start", R"({"seconds":86401})") ==
        "seconds must be a whole number of 1 to 86400");
  CHECK(refusal("self.beep", R"({"times":6})") == "times must be a whole number of 1 to 5");
}

TEST_CASE("Arguments of a wrong kind, missing and unknown ones are refused") {
  const std::string range = "volume must be a whole number of 0 to 100";
  CHECK(refusal("self.audio_speaker.set_volume", R"({"volume":"50"})") == range);
  CHECK(refusal("self.audio_speaker.set_volume", R"({"volume":true})") == range);
  CHECK(refusal("self.audio_speaker.set_volume", R"({"volume":null})") == range);
  CHECK(refusal("self.audio_speaker.set_volume", "{}") == "volume is missing");
  CHECK(refusal("self.audio_speaker.set_volume", R"({"volume":1,"loud":2})") ==
        "loud is no argument of this tool");
  CHECK(refusal("self.audio_speaker.set_volume", "[50]") == "arguments: no object");
  CHECK(refusal("self.audio_speaker.set_volume", "null") == "arguments: no object");
  CHECK(refusal("self.screen.show_text", R"({"text":5})") == "text must be text");
  CHECK(refusal("self.screen.show_text", R"({"text":""})") ==
        "text must be a text of 1 to 200 characters");
  CHECK(refusal("self.screen.show_text", R"({"text":")" + std::string(201, 'a') + "\"}") ==
        "text must be a text of 1 to 200 characters");
  CHECK(refusal("self.face.set_expression", R"({"expression":"Happy"})") ==
        "expression is none of the words that it can be");
  CHECK(refusal("self.face.set_expression", R"({"expression":1})") ==
        "expression is none of the words that it can be");
  CHECK(refusal("self.get_motion", R"({"x":1})") == "x is no argument of this tool");
}

TEST_CASE("A refusal quotes only so much of what it refuses") {
  const std::string long_name(5000, 'x');
  CHECK(refusal("self.beep", "{\"" + long_name + "\":1}") ==
        std::string(32, 'x') + " is no argument of this tool");
}

TEST_CASE("A tool that the device does not have is refused") {
  CHECK(refusal("self.camera.take_photo", "{}") == "there is no such tool");
  CHECK(refusal("", "{}") == "there is no such tool");
  CHECK(refusal("beep", "{}") == "there is no such tool");
  ScriptedHost host;
  host.light = false;
  const std::string answer = call(host, "self.led.set_color", R"({"color":"red"})");
  CHECK(answer.find("there is no such tool") != std::string::npos);
  CHECK(host.done.empty());
}

TEST_CASE("When no timer is free the model is told") {
  ScriptedHost host;
  host.timers_left = false;
  CHECK(call(host, "self.timer.start", R"({"seconds":5})") ==
        R"({"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text",)"
        R"("text":"All timers are in use."}],"isError":true}})");
}

TEST_CASE("Why the head does not move is what the model is told") {
  for (const char* const name : {"self.body.set_gaze", "self.body.gesture"}) {
    ScriptedHost host;
    host.body_refuses = "My head stays still to save power.";
    const std::string arguments =
        name == std::string("self.body.gesture") ? R"({"gesture":"bow"})" : R"({"direction":"up"})";
    CHECK(call(host, name, arguments) ==
          R"({"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text",)"
          R"("text":"My head stays still to save power."}],"isError":true}})");
    host.done.clear();
    host.body = false;
    CHECK(call(host, name, arguments).find("there is no such tool") != std::string::npos);
    CHECK(host.done.empty());
  }
}

TEST_CASE("The device's status is told in the words that chat models have examples of") {
  ScriptedHost host;
  host.view_now.volume = 60;
  host.view_now.brightness = 75;
  host.view_now.battery = 90;
  host.view_now.battery_known = true;
  host.view_now.wifi = true;
  host.view_now.wifi_dbm = -60;
  CHECK(told(host, "self.get_device_status") ==
        R"({"audio_speaker":{"volume":60},"screen":{"brightness":75},)"
        R"("battery":{"level":90,"charging":false},"network":{"type":"wifi","signal":"strong"}})");
  host.view_now.charging = true;
  host.view_now.wifi_dbm = -61;
  CHECK(told(host, "self.get_device_status").find(R"("charging":true)") != std::string::npos);
  CHECK(told(host, "self.get_device_status").find(R"("signal":"medium")") != std::string::npos);
  host.view_now.wifi_dbm = -71;
  host.view_now.battery_known = false;
  CHECK(told(host, "self.get_device_status") ==
        R"({"audio_speaker":{"volume":60},"screen":{"brightness":75},)"
        R"("network":{"type":"wifi","signal":"weak"}})");
}

TEST_CASE("Motion is told with its numbers") {
  ScriptedHost host;
  host.motion_now.orientation = lobug::Orientation::kFaceUp;
  host.motion_now.moving = true;
  host.motion_now.sample.accel_x = -0.123F;
  CHECK(told(host, "self.get_motion") ==
        R"({"orientation":"face_up","moving":true,"shaking":false,)"
        R"("acceleration_g":{"x":-0.12,"y":0.00,"z":1.00}})");
}

TEST_CASE("Timers are cancelled by their label, or all of them") {
  ScriptedHost host;
  host.timers = {{"Tea", 60000}, {"", 5000}};
  CHECK(call(host, "self.timer.cancel", R"({"label":"Tea"})") == kDone);
  CHECK(host.shown == "Tea");
  CHECK(call(host, "self.timer.cancel", "{}") == kDone);
  CHECK(host.shown.empty());
  CHECK(call(host, "self.timer.cancel", R"({"label":"Eggs"})")
            .find(R"("text":"There is no timer with that label."}],"isError":true)") !=
        std::string::npos);
  host.timers.clear();
  CHECK(call(host, "self.timer.cancel", "{}")
            .find(R"("text":"No timer is running."}],"isError":true)") != std::string::npos);
  CHECK(refusal("self.timer.cancel", R"({"label":5})") == "label must be text");
  CHECK(refusal("self.timer.cancel", R"({"label":")" + std::string(41, 'a') + "\"}") ==
        "label must be a text of 0 to 40 characters");
}

TEST_CASE("Timers are told with the seconds that are left") {
  ScriptedHost host;
  CHECK(told(host, "self.timer.list") == R"({"timers":[]})");
  // What rings has none left; a second that has begun counts.
  host.timers = {{"Tea", 0}, {"", 1}, {"Oven \"2\"", 86400000}};
  CHECK(told(host, "self.timer.list") ==
        R"({"timers":[{"label":"Tea","seconds_left":0},{"seconds_left":1},)"
        R"({"label":"Oven \"2\"","seconds_left":86400}]})");
}

TEST_CASE("Of more timers than there is room for the first are told, and how many more there are") {
  ScriptedHost host;
  const std::string label(60, 'x');
  for (lobug::Millis timer = 1; timer <= 8; ++timer) host.timers.push_back({label, timer * 60000});
  const std::string listed = told(host, "self.timer.list");
  const Value answer = parse(listed);
  REQUIRE(answer.raw() == listed);
  std::int64_t count = 0;
  lobug::json::Items timers(answer.member("timers"));
  while (timers.next()) ++count;
  CHECK(count >= 2);
  CHECK(answer.member("more").integer(1, 8) == 8 - count);
  // Every length of a label ends in whole JSON.
  for (std::size_t size = 0; size <= 64; ++size) {
    const std::string shorter(size, '"');
    for (lobug::TimerState& timer : host.timers) timer.label = shorter;
    const std::string text = told(host, "self.timer.list");
    CHECK(parse(text).raw() == text);
  }
}
