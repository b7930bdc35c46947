// What a test tells the simulated device to do: one JSON object a line.
#pragma once

#include <cstdint>
#include <mutex>
#include <queue>
#include <string>
#include <string_view>

#include "lobug/senses/motion.h"

namespace lobug::sim {

struct Command {
  enum class Kind : std::uint8_t {
    kTap,
    kHold,
    kRelease,
    kTouch,     ///< a finger at x, y for `ms`, as the touch screen has it
    kSay,       ///< `text`: a WAV file; `ms`: delay; `now`: not only once it listens
    kMotion,    ///< acceleration and rotation that the sensor has from now on
    kKnock,     ///< a short blow, as of a finger on the table
    kShake,     ///< for `ms`
    kWifiDown,  ///< `now`: because the password was refused; `value`: the driver's reason
    kWifiUp,
    kConsole,  ///< `text`: a line of the serial console
    kSerial,   ///< `text`: bytes of the serial line, hexadecimal
    kVolume,
    kBrightness,
    kTalkMode,
    kLanguage,
    kBattery,    ///< `value`: percent; less than 0: the board cannot say
    kUsb,        ///< `value`: 1 when it is plugged in, else 0
    kClockChip,  ///< `value`: seconds by which it is wrong from now on; `text` "failed"
    kMicrophoneBroken,
    kMicrophoneDead,  ///< `value` 1: it hears nothing, not even noise
    kStroke,          ///< a hand is on the head for `ms`
    kServosDead,      ///< `value` 1: the body's servos do not answer
    kMotionDead,      ///< `value` 1: the motion sensor does not answer
    kVitals,          ///< `text`: a value of ScriptedVitals, set to `value`
    kForgetPairing,
    kRestart,
    kStats,
    kPicture,  ///< `text`: a file that the screen is written to, as PPM
    kQuit,
  };
  Kind kind = Kind::kQuit;
  std::int32_t value = 0;
  std::int32_t x = 0, y = 0;
  std::uint32_t ms = 0;
  bool now = false;
  std::string text;
  MotionSample motion;
};

/// Its word in the JSON.
std::string_view word_of(const Command& command);
/// False: `error` says what is wrong with the line.
bool read_command(std::string_view line, Command& command, std::string& error);

/// From the thread that reads the standard input to the screen's.
class CommandQueue {
 public:
  void push(Command command) {
    const std::lock_guard<std::mutex> guard(lock_);
    commands_.push(std::move(command));
  }
  bool pop(Command& command) {
    const std::lock_guard<std::mutex> guard(lock_);
    if (commands_.empty()) return false;
    command = std::move(commands_.front());
    commands_.pop();
    return true;
  }

 private:
  std::mutex lock_;
  std::queue<Command> commands_;
};

}  // namespace lobug::sim
