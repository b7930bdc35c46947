#include "lobug/tools/tools.h"

#include "lobug/face/emotion.h"
#include "lobug/json/writer.h"
#include "lobug/sentences.h"

namespace lobug {
namespace {

using Kind = Parameter::Kind;

struct NamedColor {
  std::string_view name;
  LedColor color;
};
/// The choices of kSetColor; behind them there is one more, `automatic`. The tool's description
/// does not explain it: its words would make the server look for a tool in more of what people say.
constexpr NamedColor kColors[] = {
    {"off", {0, 0, 0}},       {"white", {255, 255, 255}}, {"red", {255, 0, 0}},
    {"orange", {255, 96, 0}}, {"yellow", {255, 200, 0}},  {"green", {0, 255, 0}},
    {"cyan", {0, 255, 255}},  {"blue", {0, 0, 255}},      {"purple", {128, 0, 255}},
    {"pink", {255, 64, 128}},
};
constexpr std::uint8_t kColorCount = sizeof kColors / sizeof kColors[0];

std::string_view color_name(std::uint8_t place) {
  return place < kColorCount ? kColors[place].name : std::string_view("automatic");
}
std::string_view expression_name(std::uint8_t place) {
  return name_of(static_cast<Emotion>(place));
}

/// Straight ahead, or by how much of the angle in which direction; left and right are its own.
struct Direction {
  std::string_view name;
  std::int8_t yaw;
  std::int8_t pitch;
};
constexpr Direction kDirections[] = {
    {"ahead", 0, 0}, {"left", -1, 0}, {"right", 1, 0}, {"up", 0, 1}, {"down", 0, -1},
};
constexpr std::uint8_t kDirectionCount = sizeof kDirections / sizeof kDirections[0];

struct NamedDeed {
  std::string_view name;
  Deed deed;
};
constexpr NamedDeed kGestures[] = {
    {"nod", Deed::kNod}, {"shake", Deed::kShake}, {"bow", Deed::kBow}, {"dance", Deed::kDance}};
constexpr std::uint8_t kGestureCount = sizeof kGestures / sizeof kGestures[0];

std::string_view direction_name(std::uint8_t place) { return kDirections[place].name; }
std::string_view gesture_name(std::uint8_t place) { return kGestures[place].name; }

constexpr Parameter kVolume[] = {{"volume", Kind::kInteger, 0, 100}};
// A screen that is quite dark could not be made bright again by touch.
constexpr Parameter kBrightness[] = {{"brightness", Kind::kInteger, 1, 100}};
constexpr Parameter kExpression[] = {
    {"expression", Kind::kChoice, 0, 0, true, 0, expression_name, kEmotionCount}};
constexpr Parameter kShownText[] = {{"text", Kind::kText, 1, 200},
                                    {"seconds", Kind::kInteger, 0, 3600, false, 15}};
constexpr Parameter kTimer[] = {{"seconds", Kind::kInteger, 1, 86400},
                                {"label", Kind::kText, 0, 40, false}};
constexpr Parameter kTimerLabel[] = {{"label", Kind::kText, 0, 40, false}};
constexpr Parameter kTimes[] = {{"times", Kind::kInteger, 1, 5, false, 1}};
constexpr Parameter kColor[] = {
    {"color", Kind::kChoice, 0, 0, true, 0, color_name, kColorCount + 1}};
constexpr Parameter kGaze[] = {
    {"direction", Kind::kChoice, 0, 0, true, 0, direction_name, kDirectionCount},
    {"angle", Kind::kInteger, 5, 90, false, 40}};
constexpr Parameter kGesture[] = {
    {"gesture", Kind::kChoice, 0, 0, true, 0, gesture_name, kGestureCount},
    {"times", Kind::kInteger, 1, 5, false, 1}};

constexpr Tool kTools[] = {
    {ToolId::kDeviceStatus,
     "self.get_device_status",
     "Tell your own volume, screen brightness, battery and network.",
     {},
     Needs::kNothing},
    {ToolId::kSetVolume, "self.audio_speaker.set_volume", "Set the volume of your voice.", kVolume,
     Needs::kNothing},
    {ToolId::kSetBrightness, "self.screen.set_brightness", "Set the brightness of your screen.",
     kBrightness, Needs::kNothing},
    {ToolId::kSetExpression, "self.face.set_expression", "Set the expression of your face.",
     kExpression, Needs::kNothing},
    {ToolId::kShowText, "self.screen.show_text",
     "Show a text on your screen for some seconds; 0: until there is another.", kShownText,
     Needs::kNothing},
    {ToolId::kStartTimer, "self.timer.start", "Start a timer that beeps after so many seconds.",
     kTimer, Needs::kNothing},
    {ToolId::kCancelTimer, "self.timer.cancel",
     "Cancel the timer with that label; without a label, all.", kTimerLabel, Needs::kNothing},
    {ToolId::kListTimers,
     "self.timer.list",
     "Tell which timers run, and the seconds left.",
     {},
     Needs::kNothing},
    {ToolId::kBeep, "self.beep", "Beep so many times.", kTimes, Needs::kNothing},
    {ToolId::kSetColor, "self.led.set_color", "Set the color of your light.", kColor,
     Needs::kLight},
    {ToolId::kMotion,
     "self.get_motion",
     "Tell how you are held and whether you are moved.",
     {},
     Needs::kNothing},
    {ToolId::kSetGaze, "self.body.set_gaze",
     "Turn your head to look left, right, up, down or ahead.", kGaze, Needs::kBody},
    {ToolId::kGesture, "self.body.gesture", "Nod, shake your head, bow or dance.", kGesture,
     Needs::kBody},
};

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
  return failed(label.empty() ? sentences::kNoTimer : sentences::kNoSuchTimer);
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

ToolOutcome set_color(std::size_t place, ToolHost& host) {
  if (!host.has_light()) return failed(sentences::kNoLight);
  if (place < kColorCount) {
    host.set_light(kColors[place].color);
  } else {
    host.free_light();
  }
  return done();
}

ToolOutcome moved(std::string_view why_not) { return why_not.empty() ? done() : failed(why_not); }

ToolOutcome set_gaze(std::size_t place, std::int32_t angle, ToolHost& host) {
  const Direction& direction = kDirections[place];
  return moved(host.look(direction.yaw * angle, direction.pitch * angle));
}

}  // namespace

Span<const Tool> all_tools() { return kTools; }

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
        return failed(sentences::kTimersInUse);
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
      return set_color(static_cast<std::size_t>(first), host);
    case ToolId::kMotion:
      return motion_of(host.motion());
    case ToolId::kSetGaze:
      return set_gaze(static_cast<std::size_t>(first), second, host);
    case ToolId::kGesture:
      return moved(host.perform(kGestures[first].deed, static_cast<std::uint8_t>(second)));
  }
  return failed(sentences::kNoSuchTool);
}

}  // namespace lobug
