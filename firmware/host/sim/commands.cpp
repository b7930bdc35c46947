#include "commands.h"

#include <array>

#include "lobug/base/text.h"
#include "lobug/json/reader.h"

namespace lobug::sim {
namespace {

using Kind = Command::Kind;

struct Name {
  std::string_view word;
  Kind kind;
};

constexpr std::array<Name, 30> kNames{{
    {"tap", Kind::kTap},
    {"hold", Kind::kHold},
    {"release", Kind::kRelease},
    {"touch", Kind::kTouch},
    {"say", Kind::kSay},
    {"motion", Kind::kMotion},
    {"knock", Kind::kKnock},
    {"shake", Kind::kShake},
    {"wifi_down", Kind::kWifiDown},
    {"wifi_up", Kind::kWifiUp},
    {"console", Kind::kConsole},
    {"serial", Kind::kSerial},
    {"volume", Kind::kVolume},
    {"brightness", Kind::kBrightness},
    {"talk_mode", Kind::kTalkMode},
    {"language", Kind::kLanguage},
    {"battery", Kind::kBattery},
    {"usb", Kind::kUsb},
    {"clock_chip", Kind::kClockChip},
    {"microphone_broken", Kind::kMicrophoneBroken},
    {"microphone_dead", Kind::kMicrophoneDead},
    {"stroke", Kind::kStroke},
    {"servos_dead", Kind::kServosDead},
    {"motion_dead", Kind::kMotionDead},
    {"vitals", Kind::kVitals},
    {"forget_pairing", Kind::kForgetPairing},
    {"restart", Kind::kRestart},
    {"stats", Kind::kStats},
    {"picture", Kind::kPicture},
    {"quit", Kind::kQuit},
}};

bool read_kind(const json::Value& word, Kind& kind) {
  for (const Name& name : kNames) {
    if (!word.is(name.word)) continue;
    kind = name.kind;
    return true;
  }
  return false;
}

std::int32_t whole(const json::Value& value, std::int32_t fallback) {
  return static_cast<std::int32_t>(value.integer(-100'000'000, 100'000'000).value_or(fallback));
}

// In thousandths, since the core's reader knows whole numbers only.
void read_axes(const json::Value& axes, float& x, float& y, float& z) {
  json::Items items(axes);
  for (float* axis : {&x, &y, &z}) {
    if (items.next()) *axis = static_cast<float>(whole(items.value(), 0)) / 1000.0F;
  }
}

}  // namespace

std::string_view word_of(const Command& command) {
  for (const Name& name : kNames) {
    if (name.kind == command.kind) return name.word;
  }
  return "";
}

bool read_command(std::string_view line, Command& command, std::string& error) {
  const json::Value object = json::parse(line);
  command = Command();
  if (!read_kind(object.member("do"), command.kind)) {
    error = "no such command: " + std::string(line);
    return false;
  }
  command.value = whole(object.member("value"), 0);
  command.x = whole(object.member("x"), 0);
  command.y = whole(object.member("y"), 0);
  command.ms = static_cast<std::uint32_t>(whole(object.member("ms"), 0));
  command.now = object.member("now").boolean(false);
  Text<4096> text;
  (void)object.member("text").text(text);
  command.text = std::string(text.view());
  read_axes(object.member("accel_mg"), command.motion.accel_x, command.motion.accel_y,
            command.motion.accel_z);
  read_axes(object.member("gyro_mdps"), command.motion.gyro_x, command.motion.gyro_y,
            command.motion.gyro_z);
  return true;
}

}  // namespace lobug::sim
