#include "lobug/tools/registry.h"

#include "lobug/face/emotion.h"

namespace lobug {
namespace {

using Kind = Parameter::Kind;

constexpr NamedColor kColors[] = {
    {"off", 0, 0, 0},       {"white", 255, 255, 255}, {"red", 255, 0, 0},
    {"orange", 255, 96, 0}, {"yellow", 255, 200, 0},  {"green", 0, 255, 0},
    {"cyan", 0, 255, 255},  {"blue", 0, 0, 255},      {"purple", 128, 0, 255},
    {"pink", 255, 64, 128},
};
constexpr std::uint8_t kColorCount = sizeof kColors / sizeof kColors[0];

std::string_view color_name(std::uint8_t place) { return kColors[place].name; }
std::string_view expression_name(std::uint8_t place) {
  return name_of(static_cast<Emotion>(place));
}

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
constexpr Parameter kColor[] = {{"color", Kind::kChoice, 0, 0, true, 0, color_name, kColorCount}};

constexpr Tool kTools[] = {
    {ToolId::kDeviceStatus,
     "self.get_device_status",
     "Tell your own volume, screen brightness, battery and network.",
     {},
     false},
    {ToolId::kSetVolume, "self.audio_speaker.set_volume", "Set the volume of your voice.", kVolume,
     false},
    {ToolId::kSetBrightness, "self.screen.set_brightness", "Set the brightness of your screen.",
     kBrightness, false},
    {ToolId::kSetExpression, "self.face.set_expression", "Set the expression of your face.",
     kExpression, false},
    {ToolId::kShowText, "self.screen.show_text",
     "Show a text on your screen for some seconds; 0: until there is another.", kShownText, false},
    {ToolId::kStartTimer, "self.timer.start", "Start a timer that beeps after so many seconds.",
     kTimer, false},
    {ToolId::kCancelTimer, "self.timer.cancel",
     "Cancel the timer with that label; without a label, all.", kTimerLabel, false},
    {ToolId::kListTimers,
     "self.timer.list",
     "Tell which timers run, and the seconds left.",
     {},
     false},
    {ToolId::kBeep, "self.beep", "Beep so many times.", kTimes, false},
    {ToolId::kSetColor, "self.led.set_color", "Set the color of your light.", kColor, true},
    {ToolId::kMotion,
     "self.get_motion",
     "Tell how you are held and whether you are moved.",
     {},
     false},
};

}  // namespace

Span<const Tool> all_tools() { return kTools; }
Span<const NamedColor> named_colors() { return kColors; }

}  // namespace lobug
