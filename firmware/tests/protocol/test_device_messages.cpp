#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <string_view>

#include "lobug/json/reader.h"
#include "lobug/protocol/messages.h"

using lobug::DeviceDescription;
using lobug::ListenMode;
using lobug::Motion;
using lobug::Span;

namespace {

/// What `write` writes into `room` bytes.
template <typename Write>
std::string written(const Write& write, std::size_t room = 1024) {
  std::string buffer(room, '#');
  const std::size_t length = write(Span<char>(buffer.data(), buffer.size()));
  REQUIRE(length <= room);
  return buffer.substr(0, length);
}

/// Writes a message with every room there is: whole from its length on, nothing below.
template <typename Write>
void check_rooms(const Write& write) {
  const std::string whole = written(write);
  REQUIRE_FALSE(whole.empty());
  CHECK(lobug::json::parse(whole).exists());
  for (std::size_t room = 0; room < whole.size(); ++room) {
    CAPTURE(room);
    CHECK(written(write, room).empty());
  }
  CHECK(written(write, whole.size()) == whole);
}

}  // namespace

TEST_CASE("Our hello") {
  const auto hello = [](Span<char> into) { return lobug::write_hello(into, ""); };
  CHECK(written(hello) ==
        R"({"type":"hello","version":1,"features":{"mcp":true,"drops_on_abort":true},)"
        R"("transport":"websocket",)"
        R"("audio_params":{"format":"pcm","sample_rate":16000,"channels":1,"frame_duration":20},)"
        R"("downlink":{"format":"pcm","sample_rate":16000,"channels":1,"frame_duration":60}})");
  check_rooms(hello);
  const auto telling = [](Span<char> into) {
    return lobug::write_hello(into, R"({"uptime_s":5})");
  };
  const std::string told = written(telling);
  CHECK(told.find(R"("frame_duration":60},"report":{"uptime_s":5}})") != std::string::npos);
  check_rooms(telling);
}

TEST_CASE("Listening in every mode") {
  const auto start = [](ListenMode mode) {
    return written([mode](Span<char> into) { return write_listen_start(into, "4f0c", mode); });
  };
  CHECK(start(ListenMode::kAuto) ==
        R"({"session_id":"4f0c","type":"listen","state":"start","mode":"auto"})");
  CHECK(start(ListenMode::kManual) ==
        R"({"session_id":"4f0c","type":"listen","state":"start","mode":"manual"})");
  CHECK(start(ListenMode::kRealtime) ==
        R"({"session_id":"4f0c","type":"listen","state":"start","mode":"realtime"})");
  CHECK(start(ListenMode::kWakeWord) ==
        R"({"session_id":"4f0c","type":"listen","state":"start","mode":"wake_word"})");
  const auto stop = [](Span<char> into) { return lobug::write_listen_stop(into, "4f0c"); };
  CHECK(written(stop) == R"({"session_id":"4f0c","type":"listen","state":"stop"})");
  check_rooms(stop);
}

TEST_CASE("Interrupting, with a reason and without") {
  const auto abort = [](std::string_view reason) {
    return written([reason](Span<char> into) { return lobug::write_abort(into, "4f0c", reason); });
  };
  CHECK(abort("") == R"({"session_id":"4f0c","type":"abort"})");
  CHECK(abort("wake_word_detected") ==
        R"({"session_id":"4f0c","type":"abort","reason":"wake_word_detected"})");
}

TEST_CASE("The first sound of a reply") {
  const auto playing = [](Span<char> into) { return lobug::write_playing(into, "4f0c", 85); };
  CHECK(written(playing) == R"({"session_id":"4f0c","type":"playing","delay_ms":85})");
  check_rooms(playing);
}

TEST_CASE("An answer of the tools is wrapped as it is") {
  const auto mcp = [](std::string_view payload) {
    return written([payload](Span<char> into) { return lobug::write_mcp(into, "4f0c", payload); });
  };
  CHECK(mcp(R"({"id":1})") == R"({"session_id":"4f0c","type":"mcp","payload":{"id":1}})");
  CHECK(mcp("").empty());
}

TEST_CASE("A reading of the sensors and a report are wrapped as they are") {
  const auto sensors = [](std::string_view reading) {
    return written(
        [reading](Span<char> into) { return write_sensor_message(into, "4f0c", reading); });
  };
  CHECK(sensors(R"({"is_moving":true})") ==
        R"({"session_id":"4f0c","type":"sensors","reading":{"is_moving":true}})");
  CHECK(sensors("").empty());
  const auto report = [](std::string_view fields) {
    return written(
        [fields](Span<char> into) { return write_report_message(into, "4f0c", fields); });
  };
  CHECK(report(R"({"uptime_s":5})") ==
        R"({"session_id":"4f0c","type":"report","report":{"uptime_s":5}})");
  CHECK(report("").empty());
}

TEST_CASE("A session's name can hold anything") {
  const auto stop = [](Span<char> into) { return lobug::write_listen_stop(into, "\"\n\xFF"); };
  CHECK(written(stop) ==
        "{\"session_id\":\"\\\"\\n\xEF\xBF\xBD\",\"type\":\"listen\",\"state\":\"stop\"}");
}

TEST_CASE("Sensors are sent as the contract has them, field by field") {
  Motion motion;
  motion.orientation = lobug::Orientation::kFaceUp;
  motion.moving = true;
  motion.sample = {0.0123F, -0.5F, 1.0F, 12.5F, -250.0F, 0.0F};
  const auto sensors = [&motion](Span<char> into) {
    return lobug::write_sensors(into, motion, true);
  };
  CHECK(written(sensors) ==
        R"({"orientation":"face_up","is_moving":true,"is_shaking":false,"tap_detected":true,)"
        R"("accel_x":0.012,"accel_y":-0.500,"accel_z":1.000,)"
        R"("gyro_x":12.500,"gyro_y":-250.000,"gyro_z":0.000})");
  check_rooms(sensors);
}

TEST_CASE("A reading that is no number is left out") {
  Motion motion;
  motion.sample.accel_x = std::numeric_limits<float>::quiet_NaN();
  motion.sample.gyro_z = std::numeric_limits<float>::infinity();
  const std::string body =
      written([&motion](Span<char> into) { return lobug::write_sensors(into, motion, false); });
  CHECK(body.find("accel_x") == std::string::npos);
  CHECK(body.find("gyro_z") == std::string::npos);
  CHECK(body.find(R"("accel_z":1.000)") != std::string::npos);
}

TEST_CASE("Who we are") {
  DeviceDescription device;
  device.device_id = "AA:BB:CC:DD:EE:01";
  device.client_id = "5e5c5a0c-0000-4000-8000-000000000001";
  device.board = "m5stack-core2";
  device.version = "2.0.0";
  device.flash_size = 16777216;
  device.free_memory = 123456;
  const auto description = [&device](Span<char> into) {
    return lobug::write_description(into, device);
  };
  CHECK(written(description) ==
        R"({"version":2,"flash_size":16777216,"minimum_free_heap_size":123456,)"
        R"("mac_address":"AA:BB:CC:DD:EE:01","uuid":"5e5c5a0c-0000-4000-8000-000000000001",)"
        R"("application":{"name":"lobug","version":"2.0.0"},)"
        R"("board":{"type":"m5stack-core2","name":"m5stack-core2"}})");
  check_rooms(description);
  device.update_nonce = "0123456789abcdef0123456789abcdef";
  CHECK(written(description).find(R"(0001","update_nonce":"0123456789abcdef0123456789abcdef",)") !=
        std::string::npos);
}
