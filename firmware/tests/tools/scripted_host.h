// A device for tests of the tools: it writes down what it is told to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lobug/tools/tools.h"

namespace lobug {

class ScriptedHost : public ToolHost {
 public:
  void set_volume(std::uint8_t percent) override { note("volume", percent); }
  void set_brightness(std::uint8_t percent) override { note("brightness", percent); }
  void show_emotion(Emotion emotion) override {
    done += "emotion " + std::string(name_of(emotion)) + ";";
  }
  void show_text(std::string_view text, std::uint32_t seconds) override {
    shown = text;
    note("text", seconds);
  }
  bool start_timer(std::uint32_t seconds, std::string_view label) override {
    if (!timers_left) return false;
    shown = label;
    note("timer", seconds);
    return true;
  }
  std::size_t cancel_timers(std::string_view label) override {
    shown = label;
    const std::size_t count = label.empty() || label == "Tea" ? timers.size() : 0;
    if (count > 0) note("cancelled", static_cast<std::uint32_t>(count));
    return count;
  }
  bool find_timer(std::size_t place, TimerState& into) const override {
    if (place >= timers.size()) return false;
    into = timers[place];
    return true;
  }
  void beep(std::uint8_t times) override { note("beep", times); }
  const View& view() const override { return view_now; }
  const Motion& motion() const override { return motion_now; }
  bool has_light() const override { return light; }
  void set_light(LedColor color) override {
    done += "light " + std::to_string(color.red) + " " + std::to_string(color.green) + " " +
            std::to_string(color.blue) + ";";
  }
  void free_light() override { done += "light automatic;"; }

  bool has_body() const override { return body; }
  std::string_view look(int yaw, int pitch) override {
    done += "look " + std::to_string(yaw) + " " + std::to_string(pitch) + ";";
    return body_refuses;
  }
  std::string_view perform(Deed deed, std::uint8_t times) override {
    note("deed " + std::to_string(static_cast<int>(deed)), times);
    return body_refuses;
  }

  std::string done;
  std::string shown;
  bool timers_left = true;
  std::vector<TimerState> timers;
  View view_now;
  Motion motion_now;
  bool light = true;
  bool body = true;
  std::string_view body_refuses;  ///< why

 private:
  void note(std::string_view what, std::uint32_t value) {
    done += std::string(what) + " " + std::to_string(value) + ";";
  }
};

}  // namespace lobug
