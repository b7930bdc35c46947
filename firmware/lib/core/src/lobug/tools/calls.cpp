#include "lobug/tools/calls.h"

#include "lobug/json/writer.h"

namespace lobug {
namespace {

constexpr std::size_t kLongest = decltype(ToolOutcome::text)::capacity();

ToolOutcome done() { return {true, std::string_view("true")}; }
ToolOutcome failed(std::string_view why) { return {false, why}; }

std::string_view strength_of(std::int8_t dbm) {
  constexpr std::int8_t kStrong = -60;
  constexpr std::int8_t kMedium = -70;
  return dbm >= kStrong ? "strong" : dbm >= kMedium ? "medium" : "weak";
}

/// In the words of the firmware that most devices have: chat models are given examples of them.
ToolOutcome device_status(const View& view) {
  char bytes[kLongest];
  json::Writer json{Span<char>(bytes)};
  json.begin_object();
  json.name("audio_speaker").begin_object().name("volume").number(view.volume).end_object();
  json.name("screen").begin_object().name("brightness").number(view.brightness).end_object();
  if (view.battery_known) {
    json.name("battery").begin_object().name("level").number(view.battery);
    json.name("charging").boolean(view.charging).end_object();
  }
  json.name("network").begin_object().name("type").text("wifi");
  json.name("signal").text(view.wifi ? strength_of(view.wifi_dbm) : "none");
  json.end_object().end_object();
  return {true, std::string_view(bytes, json.finish())};
}

ToolOutcome motion_of(const Motion& motion) {
  constexpr int kPlaces = 2;
  char bytes[kLongest];
  json::Writer json{Span<char>(bytes)};
  json.begin_object().name("orientation").text(name_of(motion.orientation));
  json.name("moving").boolean(motion.moving).name("shaking").boolean(motion.shaking);
  json.name("acceleration_g").begin_object();
  json.name("x").decimal(motion.sample.accel_x, kPlaces);
  json.name("y").decimal(motion.sample.accel_y, kPlaces);
  json.name("z").decimal(motion.sample.accel_z, kPlaces);
  json.end_object().end_object();
  return {true, std::string_view(bytes, json.finish())};
}

ToolOutcome cancel_timers(std::string_view label, ToolHost& host) {
  if (host.cancel_timers(label) > 0) return done();
  return failed(label.empty() ? "No timer runs." : "There is no timer with that label.");
}

/// The soonest first, as many as there is room for, and how many more there are.
ToolOutcome timers_of(const ToolHost& host) {
  constexpr std::size_t kTail = sizeof(R"(],"more":8})");
  char bytes[kLongest];
  json::Writer json{Span<char>(bytes)};
  json.begin_object().name("timers").begin_array();
  TimerState timer;
  std::size_t place = 0;
  for (; host.find_timer(place, timer); ++place) {
    const json::Writer::Mark mark = json.mark();
    json.begin_object();
    if (!timer.label.empty()) json.name("label").text(timer.label);
    json.name("seconds_left").number((timer.left + 999) / 1000).end_object();
    if (json.fits() && json.room() >= kTail) continue;
    json.rewind(mark);
    break;
  }
  json.end_array();
  std::size_t more = 0;
  while (host.find_timer(place + more, timer)) ++more;
  if (more > 0) json.name("more").number(static_cast<std::int64_t>(more));
  json.end_object();
  return {true, std::string_view(bytes, json.finish())};
}

ToolOutcome set_color(std::size_t place, Effects& effects) {
  if (!effects.has_led()) return failed("This device has no light.");
  const NamedColor& color = named_colors()[place];
  effects.set_led(color.red, color.green, color.blue);
  return done();
}

}  // namespace

ToolOutcome call_tool(ToolId tool, const Arguments& arguments, ToolHost& host) {
  const std::int32_t first = arguments.numbers[0];
  const std::int32_t second = arguments.numbers[1];
  switch (tool) {
    case ToolId::kDeviceStatus:
      return device_status(host.view());
    case ToolId::kSetVolume:
      host.set_volume(static_cast<std::uint8_t>(first));
      return done();
    case ToolId::kSetBrightness:
      host.set_brightness(static_cast<std::uint8_t>(first));
      return done();
    case ToolId::kSetExpression:
      host.show_emotion(static_cast<Emotion>(first));
      return done();
    case ToolId::kShowText:
      host.show_text(arguments.text, static_cast<std::uint32_t>(second));
      return done();
    case ToolId::kStartTimer:
      if (!host.start_timer(static_cast<std::uint32_t>(first), arguments.text)) {
        return failed("All timers are in use.");
      }
      return done();
    case ToolId::kCancelTimer:
      return cancel_timers(arguments.text, host);
    case ToolId::kListTimers:
      return timers_of(host);
    case ToolId::kBeep:
      host.beep(static_cast<std::uint8_t>(first));
      return done();
    case ToolId::kSetColor:
      return set_color(static_cast<std::size_t>(first), host.effects());
    case ToolId::kMotion:
      return motion_of(host.motion());
  }
  return failed("There is no such tool.");
}

}  // namespace lobug
