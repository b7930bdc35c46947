// The tools that the device has, what they do, and what they need of the device.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/span.h"
#include "lobug/base/text.h"
#include "lobug/body/movements.h"
#include "lobug/device/screen_link.h"
#include "lobug/device/tool_timers.h"
#include "lobug/ports/system.h"
#include "lobug/senses/motion.h"
#include "lobug/tools/schema.h"

namespace lobug {

/// What a tool may do. The device implements it.
class ToolHost {
 public:
  virtual ~ToolHost() = default;
  virtual void set_volume(std::uint8_t percent) = 0;
  virtual void set_brightness(std::uint8_t percent) = 0;
  virtual void show_emotion(Emotion emotion) = 0;
  /// Shown for `seconds`; 0: until something else is.
  virtual void show_text(std::string_view text, std::uint32_t seconds) = 0;
  /// Beeps after `seconds`, with the label on the screen. False when all timers are in use.
  virtual bool start_timer(std::uint32_t seconds, std::string_view label) = 0;
  /// Ends the timers of that label, of an empty one all; returns how many.
  virtual std::size_t cancel_timers(std::string_view label) = 0;
  /// The timer that ends as number `place`, counted from 0; false when there are fewer.
  virtual bool find_timer(std::size_t place, TimerState& into) const = 0;
  virtual void beep(std::uint8_t times) = 0;
  virtual const View& view() const = 0;
  virtual const Motion& motion() const = 0;
  virtual bool has_light() const = 0;
  /// The light keeps this colour until another is set or `free_light`.
  virtual void set_light(LedColor color) = 0;
  /// The light shows again what the device is doing.
  virtual void free_light() = 0;
  virtual bool has_body() const = 0;
  /// Looks there for a while, degrees to its own right and up from straight ahead. Empty, or why
  /// not: a sentence.
  virtual std::string_view look(int yaw, int pitch) = 0;
  /// Empty, or why not.
  virtual std::string_view perform(Deed deed, std::uint8_t times) = 0;
};

enum class ToolId : std::uint8_t {
  kDeviceStatus,
  kSetVolume,
  kSetBrightness,
  kSetExpression,
  kShowText,
  kStartTimer,
  kCancelTimer,
  kListTimers,
  kBeep,
  kSetColor,
  kMotion,
  kSetGaze,
  kGesture,
};

/// What a device needs for a tool.
enum class Needs : std::uint8_t { kNothing, kLight, kBody };

struct Tool {
  ToolId id;
  std::string_view name;
  /// One short sentence: a small chat model reads no more, and each word costs it time.
  std::string_view description;
  Span<const Parameter> parameters;
  Needs needs;
};

/// All tools, the most used first: a chat model may see only the first ones.
Span<const Tool> all_tools();

/// What came of a call, for the chat model to tell.
struct ToolOutcome {
  bool ok = true;
  /// "true" where there is nothing to tell; JSON where there is much; else a sentence.
  Text<256> text;
};

/// Uses a tool, with arguments that `read_arguments` has found good.
ToolOutcome call_tool(ToolId tool, const Arguments& arguments, ToolHost& host);

}  // namespace lobug
