#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "lobug/json/reader.h"
#include "lobug/tools/mcp.h"
#include "lobug/tools/tools.h"
#include "tools/scripted_host.h"

using lobug::ScriptedHost;
using lobug::Span;
using lobug::json::Items;
using lobug::json::parse;
using lobug::json::Value;

namespace {

std::string list(ScriptedHost& host, std::string_view params, std::size_t room = 8192) {
  std::string buffer(room, '#');
  const std::string request =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":)" + std::string(params) + "}";
  const std::size_t length =
      lobug::answer_mcp(request, host, "2.0.0", Span<char>(buffer.data(), buffer.size()));
  REQUIRE(length <= room);
  return buffer.substr(0, length);
}

std::string string_of(Value value) {
  lobug::Text<256> text;
  value.text(text);
  return std::string(text.view());
}

/// The names on a page; `cursor` is that of the next one.
std::vector<std::string> names_of(const std::string& page, std::string& cursor) {
  const Value result = parse(page).member("result");
  std::vector<std::string> names;
  Items tools(result.member("tools"));
  while (tools.next()) names.push_back(string_of(tools.value().member("name")));
  cursor = string_of(result.member("nextCursor"));
  return names;
}

std::vector<std::string> all_names(ScriptedHost& host) {
  std::string cursor;
  std::vector<std::string> names = names_of(list(host, "{}"), cursor);
  CHECK(cursor.empty());
  return names;
}

/// The schema of a tool, as JSON.
std::string schema_of(std::string_view name) {
  ScriptedHost host;
  const std::string page = list(host, "{}");
  Items tools(parse(page).member("result").member("tools"));
  while (tools.next()) {
    if (tools.value().member("name").is(name)) {
      return std::string(tools.value().member("inputSchema").raw());
    }
  }
  return "";
}

}  // namespace

TEST_CASE("All tools of a device, the most used ones first") {
  ScriptedHost host;
  CHECK(all_names(host) ==
        std::vector<std::string>{"self.get_device_status", "self.audio_speaker.set_volume",
                                 "self.screen.set_brightness", "self.face.set_expression",
                                 "self.screen.show_text", "self.timer.start", "self.timer.cancel",
                                 "self.timer.list", "self.beep", "self.led.set_color",
                                 "self.get_motion", "self.body.set_gaze", "self.body.gesture"});
}

TEST_CASE("A light is offered only where there is one") {
  ScriptedHost host;
  const std::size_t with_led = all_names(host).size();
  host.light = false;
  const std::vector<std::string> names = all_names(host);
  CHECK(names.size() == with_led - 1);
  for (const std::string& name : names) CHECK(name != "self.led.set_color");
}

TEST_CASE("A body's tools are offered only where there is one") {
  ScriptedHost host;
  host.body = false;
  const std::vector<std::string> names = all_names(host);
  CHECK(names.size() == lobug::all_tools().size() - 2);
  for (const std::string& name : names) CHECK(name.find("body") == std::string::npos);
}

TEST_CASE("Schemas say what a call may hold") {
  CHECK(schema_of("self.audio_speaker.set_volume") ==
        R"({"type":"object","properties":{"volume":{"type":"integer","minimum":0,"maximum":100}},)"
        R"("required":["volume"],"additionalProperties":false})");
  CHECK(schema_of("self.get_motion") ==
        R"({"type":"object","properties":{},"required":[],"additionalProperties":false})");
  CHECK(schema_of("self.screen.show_text") ==
        R"({"type":"object","properties":{"text":{"type":"string","minLength":1,"maxLength":200},)"
        R"("seconds":{"type":"integer","minimum":0,"maximum":3600,"default":15}},)"
        R"("required":["text"],"additionalProperties":false})");
  CHECK(schema_of("self.face.set_expression").find(R"("enum":["neutral","happy","laughing",)") !=
        std::string::npos);
}

TEST_CASE("Pages of every size lead through all the tools, each one once and in order") {
  ScriptedHost host;
  const std::vector<std::string> all = all_names(host);
  for (std::size_t room = 700; room < 3000; room += 37) {
    CAPTURE(room);
    std::vector<std::string> seen;
    std::string cursor;
    std::string params = "{}";
    for (std::size_t page = 0; page <= all.size(); ++page) {
      const std::string answer = list(host, params, room);
      REQUIRE_FALSE(answer.empty());
      for (std::string& name : names_of(answer, cursor)) seen.push_back(std::move(name));
      if (cursor.empty()) break;
      params = R"({"cursor":")" + cursor + "\"}";
    }
    CHECK(seen == all);
  }
}

TEST_CASE("A page begins at its cursor, and passes over what the device does not have") {
  ScriptedHost host;
  host.light = false;
  std::string cursor;
  CHECK(names_of(list(host, R"({"cursor":"self.beep"})"), cursor) ==
        std::vector<std::string>{"self.beep", "self.get_motion", "self.body.set_gaze",
                                 "self.body.gesture"});
}

TEST_CASE("A cursor that is none of ours is refused") {
  ScriptedHost host;
  host.light = false;
  for (const char* cursor : {R"("")", R"("self.camera")", "7", "null", R"("self.led.set_color")"}) {
    CAPTURE(cursor);
    CHECK(list(host, R"({"cursor":)" + std::string(cursor) + "}").find("-32602") !=
          std::string::npos);
  }
}

TEST_CASE("Room for no tool at all is an error, not an empty page for ever") {
  ScriptedHost host;
  CHECK(list(host, "{}", 200).find("-32603") != std::string::npos);
  CHECK(list(host, "{}", 20).empty());
}

TEST_CASE("The table of tools keeps its own limits") {
  for (const lobug::Tool& tool : lobug::all_tools()) {
    CAPTURE(std::string(tool.name));
    CHECK(tool.name.size() <= 40);
    CHECK(tool.name.substr(0, 5) == "self.");
    CHECK(tool.description.size() <= 100);
    CHECK(tool.parameters.size() <= lobug::kMostParameters);
    for (const lobug::Parameter& parameter : tool.parameters) {
      const bool choice = parameter.kind == lobug::Parameter::Kind::kChoice;
      CHECK((parameter.choice != nullptr) == choice);
      CHECK((parameter.choices > 0) == choice);
      if (!choice) CHECK(parameter.least < parameter.most);
    }
  }
}
