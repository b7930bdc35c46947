// Every task of the firmware: what it does, where it runs, and what crosses between them.
#pragma once

#include <cstdint>

namespace lobug {

// task      core  priority  stack     does
// audio     1     4         4 KB      AudioPump::step every 5 ms: never waits for anything but I2S
// M5 mic,   1     3         M5's own  M5Unified's tasks that move samples between I2S and our
//   speaker                           buffers: below ours, which keeps their queues filled
// device    0     2         12 KB     Device::step every 10 ms: session, HTTP, TLS (a handshake
//                                     computes for about a second and needs most of the stack)
// screen    1     1         8 KB      Arduino's loop(): touch, motion sensor, drawing, Wi-Fi,
//                                     portal, serial line
// Wi-Fi     0     23        -         ESP-IDF's own; lwIP has 18
//
// What crosses:
//   audio  <-> device   AudioLink: two rings without locks, atomics
//   screen  -> device   ScreenLink::inputs (only loop() pushes), ScreenLink::motion
//   device  -> screen   ScreenLink::view
//   Wi-Fi's events -> screen   atomics in WifiKeeper
//   settings            NvsStore, which has a lock
//   body                servos, their supply, lights and touch sensor: the device's task alone
//   screen  -> device   ScreenLink::frames and touches, atomics
// The I2C bus (touch, motion sensor, power chip, clock chip, StackChan's base, the codecs'
// switches) is used by all three; M5GFX locks it for each transaction.

struct TaskPlace {
  const char* name;
  std::int8_t core;
  std::uint8_t priority;
  std::uint32_t stack;  ///< bytes
};

constexpr TaskPlace kAudioTask{"audio", 1, 4, 4096};
constexpr TaskPlace kM5SoundTasks{"M5", 1, 3, 0};  // M5Unified chooses name and stack
constexpr TaskPlace kDeviceTask{"device", 0, 2, 12288};
constexpr std::uint32_t kScreenStack = 8192;

constexpr std::uint32_t kAudioStepMs = 5;
constexpr std::uint32_t kDeviceStepMs = 10;
constexpr std::uint32_t kScreenStepMs = 20;

/// How long a task waits whose work took `used` ms, so that it goes round every `step` ms. At least
/// 1, in which tasks of lower priority run.
constexpr std::uint32_t rest_of_step(std::uint32_t step, std::uint32_t used) {
  return used < step ? step - used : 1;
}
static_assert(rest_of_step(20, 0) == 20 && rest_of_step(20, 19) == 1, "what is left of it");
static_assert(rest_of_step(20, 20) == 1 && rest_of_step(20, 31) == 1, "drawing may take longer");

/// A task that has not come round for so long is stuck: the device restarts. Longer than lwIP looks
/// for a name (14 s).
constexpr std::uint32_t kWatchdogSeconds = 30;

}  // namespace lobug
