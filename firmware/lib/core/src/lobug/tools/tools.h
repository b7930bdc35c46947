// The device as an MCP server: its tools, offered to the chat model over the session.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/span.h"
#include "lobug/device/screen_link.h"
#include "lobug/device/tool_timers.h"
#include "lobug/ports/system.h"
#include "lobug/senses/motion.h"

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
  /// The timer that is over as number `place`, counted from 0; false when there are no so many.
  virtual bool find_timer(std::size_t place, TimerState& into) const = 0;
  virtual void beep(std::uint8_t times) = 0;
  virtual const View& view() const = 0;
  virtual const Motion& motion() const = 0;
  virtual Effects& effects() = 0;
};

/// Answers one JSON-RPC message. Writes the answer's JSON to `answer` and returns its length; 0
/// when there is none to give (a notification) or it does not fit.
std::size_t answer_mcp(std::string_view payload, ToolHost& host, std::string_view version,
                       Span<char> answer);

}  // namespace lobug
