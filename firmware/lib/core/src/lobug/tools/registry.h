// The tools that the device has, as a table.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/tools/schema.h"

namespace lobug {

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
};

struct Tool {
  ToolId id;
  std::string_view name;
  /// One short sentence: a small chat model reads no more, and each word costs it time.
  std::string_view description;
  Span<const Parameter> parameters;
  bool needs_led;
};

/// All of them, those that are used most first: the chat model may be told of the first ones only.
Span<const Tool> all_tools();

struct NamedColor {
  std::string_view name;
  std::uint8_t red, green, blue;
};
/// The choices of kSetColor.
Span<const NamedColor> named_colors();

}  // namespace lobug
