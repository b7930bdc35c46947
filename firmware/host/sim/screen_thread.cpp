#include "screen_thread.h"

#include <string>
#include <utility>

#include "lobug/language/wording.h"
#include "wav_file.h"

namespace lobug::sim {
namespace {

using Kind = Command::Kind;

constexpr Millis kReadingMs = 20;  // 50 readings of the motion sensor a second

template <typename Value>
void number_if_changed(json::Writer& json, std::string_view name, Value before, Value after,
                       bool all) {
  if (all || before != after) json.name(name).number(static_cast<std::int64_t>(after));
}

void flag_if_changed(json::Writer& json, std::string_view name, bool before, bool after, bool all) {
  if (all || before != after) json.name(name).boolean(after);
}

void text_if_changed(json::Writer& json, std::string_view name, std::string_view before,
                     std::string_view after, bool all) {
  if (all || before != after) json.name(name).text(after);
}

std::string_view name_of(TalkMode mode) {
  switch (mode) {
    case TalkMode::kTap:
      return "tap";
    case TalkMode::kConversation:
      return "conversation";
    case TalkMode::kWakeWord:
      return "wake_word";
  }
  return "";
}

bool same(const View& a, const View& b) {
  return a.state == b.state && a.trouble == b.trouble && a.emotion == b.emotion &&
         a.caption == b.caption.view() && a.heard == b.heard.view() && a.code == b.code.view() &&
         a.notice == b.notice.view() && a.server_name == b.server_name.view() && a.wifi == b.wifi &&
         a.server == b.server && a.microphone == b.microphone && a.volume == b.volume &&
         a.brightness == b.brightness && a.talk_mode == b.talk_mode &&
         a.update_percent == b.update_percent && a.version == b.version.view() &&
         a.power == b.power && a.backlight == b.backlight && a.radio_sleeps == b.radio_sleeps &&
         a.minute_of_day == b.minute_of_day && a.date == b.date && a.timers == b.timers &&
         a.ringing == b.ringing && a.setup_network == b.setup_network.view() &&
         a.body.kind == b.body.kind && a.body.at == b.body.at && a.body.powered == b.body.powered &&
         a.body.silent == b.body.silent && a.wake_word == b.wake_word && a.language == b.language &&
         a.address == b.address.view();
}

}  // namespace

ScriptedWifi::ScriptedWifi(Store& store) : store_(store) {
  const Settings settings = load_settings(store);
  name_ = settings.wifi_name;
  password_ = settings.wifi_password;
  networks_[0].name = "Home";
  networks_[0].dbm = -48;
  networks_[1].name = "Cafe";
  networks_[1].dbm = -71;
  networks_[1].secured = false;
}

void ScriptedWifi::reload_if_changed() {
  const Settings settings = load_settings(store_);
  if (settings.wifi_name == name_.view() && settings.wifi_password == password_.view()) return;
  name_ = settings.wifi_name;
  password_ = settings.wifi_password;
  link_ = Link::kJoining;
}

ScreenThread::ScreenThread(const ScreenWorld& world, CommandQueue& commands)
    : world_(world),
      commands_(commands),
      wifi_(world.store),
      line_(world.store, world.link.inputs, wifi_, written_) {
  line_.begin(world.board, "Lo-Bug-0000");
}

void ScreenThread::step(Millis now) {
  Command command;
  while (commands_.pop(command)) take(command, now);
  feel(now);
  const View& view = world_.link.view.read();
  if (world_.link.glyphs != nullptr) world_.link.glyphs->take();
  tell(view);
  if (view.power == PowerState::kSwitchedOff) {
    world_.log.emit("switched_off");
    world_.quit();
    return;
  }
  if (world_.screen != nullptr) {
    const bool drawn = world_.screen->step(view, sense_.motion(), world_.audio.level.load(), now);
    if (drawn) ++world_.link.frames;
  }
  line_.step(view, now);
  tell_written();
}

void ScreenThread::take(const Command& command, Millis now) {
  world_.log.emit("did", [&](json::Writer& json) { json.name("command").text(word_of(command)); });
  switch (command.kind) {
    case Kind::kTap:
      last_tap_ = now;
      push(Input::Kind::kTap);
      break;
    case Kind::kHold:
      last_tap_ = now;
      push(Input::Kind::kHoldBegin);
      break;
    case Kind::kRelease:
      push(Input::Kind::kHoldEnd);
      break;
    case Kind::kSay:
      say(command);
      break;
    case Kind::kMotion:
      lying_ = command.motion;
      break;
    case Kind::kKnock:
      knocked_ = true;
      break;
    case Kind::kShake:
      shaken_until_.set(now, command.ms);
      break;
    case Kind::kWifiDown:
      world_.air.wifi = false;
      wifi_.set(command.now ? Wifi::Link::kRefused : Wifi::Link::kJoining);
      push(Input::Kind::kWifiDown,
           wifi_down_value(command.now, static_cast<std::uint8_t>(command.value)));
      break;
    case Kind::kWifiUp:
      world_.air.wifi = true;
      wifi_.set(Wifi::Link::kUp);
      push(Input::Kind::kWifiUp, 0, "127.0.0.1");
      push(Input::Kind::kWifiSignal, -55);
      break;
    case Kind::kConsole:
      console(command.text, now);
      break;
    case Kind::kSerial:
      serial(command.text, now);
      break;
    case Kind::kVolume:
      push(Input::Kind::kVolume, command.value);
      break;
    case Kind::kBrightness:
      push(Input::Kind::kBrightness, command.value);
      break;
    case Kind::kTalkMode:
      push(Input::Kind::kTalkMode, command.value);
      break;
    case Kind::kLanguage:
      push(Input::Kind::kLanguage, command.value);
      break;
    case Kind::kBattery:
      battery_.known = command.value >= 0;
      battery_.percent = static_cast<std::uint8_t>(battery_.known ? command.value & 0x7F : 0);
      battery_.charging = battery_.known && (command.value & 0x80) != 0;
      push(Input::Kind::kBattery, battery_value(battery_));
      break;
    case Kind::kUsb:
      battery_.powered = command.value != 0;
      push(Input::Kind::kBattery, battery_value(battery_));
      break;
    case Kind::kClockChip:
      if (command.text == "failed") {
        world_.clock_chip.fail();
      } else {
        world_.clock_chip.shift(command.value);
      }
      break;
    case Kind::kMicrophoneBroken:
      world_.microphone.set_broken(command.value != 0);
      break;
    case Kind::kMicrophoneDead:
      world_.microphone.set_dead(command.value != 0);
      break;
    case Kind::kStroke:
      world_.body.head_touch = 0x0F;  // two zones, firmly
      stroked_until_.set(now, command.ms);
      break;
    case Kind::kServosDead:
      world_.body.servos_dead = command.value != 0;
      break;
    case Kind::kMotionDead:
      motion_dead_ = command.value != 0;
      break;
    case Kind::kVitals:
      if (!world_.vitals.set(command.text, static_cast<std::uint32_t>(command.value))) {
        complain("no such value of the chip's condition");
      }
      break;
    case Kind::kForgetPairing:
      push(Input::Kind::kForgetPairing);
      break;
    case Kind::kRestart:
      push(Input::Kind::kRestart);
      break;
    case Kind::kStats:
      stats();
      break;
    case Kind::kTouch:
      if (world_.screen == nullptr) {
        complain("--screen is needed for that");
      } else {
        last_tap_ = now;
        ++world_.link.touches;
        world_.screen->press(static_cast<std::int16_t>(command.x),
                             static_cast<std::int16_t>(command.y), command.ms, now);
      }
      break;
    case Kind::kPicture:
      if (world_.screen == nullptr || !world_.screen->write(command.text)) {
        complain("no picture: --screen is needed, and a file that can be written");
      } else {
        world_.log.emit("picture",
                        [&](json::Writer& json) { json.name("file").text(command.text); });
      }
      break;
    case Kind::kQuit:
      stats();
      world_.quit();
      break;
  }
}

void ScreenThread::say(const Command& command) {
  std::vector<std::int16_t> samples;
  std::string error;
  if (read_wav(command.text, samples, error)) {
    world_.microphone.say(command.text, std::move(samples), command.ms, command.now);
  } else {
    complain(error);
  }
}

void ScreenThread::complain(std::string_view message) {
  world_.log.emit("error", [&](json::Writer& json) { json.name("message").text(message); });
}

void ScreenThread::push(Input::Kind kind, std::int32_t value, std::string_view text) {
  Input input;
  input.kind = kind;
  input.value = value;
  input.text = text;
  if (!world_.link.inputs.push(input)) complain("the device is stuck");
}

void ScreenThread::console(const std::string& line, Millis now) {
  for (const char character : line + '\n') {
    line_.feed(character, shown_, now);
  }
  tell_answer();
}

void ScreenThread::tell_answer() {
  const std::string answer = written_.take();
  world_.log.emit("console", [&](json::Writer& json) { json.name("answer").text(answer); });
}

void ScreenThread::serial(const std::string& hex, Millis now) {
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    const int byte = std::stoi(hex.substr(at, 2), nullptr, 16);
    line_.feed(static_cast<char>(byte), shown_, now);
  }
  asked_by_serial_ = true;
}

void ScreenThread::tell_written() {
  const bool asked = std::exchange(asked_by_serial_, false);
  if (written_.empty()) return;
  if (!asked && !written_.has_packet()) {
    tell_answer();  // the console goes on by itself: a self-test is over
    return;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char character : written_.take()) {
    const auto byte = static_cast<unsigned char>(character);
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 15U];
  }
  world_.log.emit("serial", [&](json::Writer& json) { json.name("hex").text(hex); });
}

void ScreenThread::stats() {
  // Read before the log is locked, which others lock while they hold these.
  const WavSpeaker::Counters speaker = world_.speaker.counters();
  const std::uint32_t microphone_lost = world_.microphone.lost();
  world_.log.emit("stats", [&](json::Writer& json) {
    json.name("played").number(speaker.played);
    json.name("frames").number(world_.link.frames.load());
    json.name("torn").number(speaker.torn);
    json.name("gaps").number(speaker.gaps);
    json.name("starved").number(world_.audio.downlink.starved());
    json.name("lost").number(world_.audio.downlink.lost());
    json.name("uplink_lost").number(world_.audio.uplink_lost.load());
    json.name("microphone_lost").number(microphone_lost);
    json.name("audio_pause_ms").number(world_.audio_pause_us.load() / 1000);
    json.name("bytes_sent").number(static_cast<std::int64_t>(world_.air.sent.load()));
    json.name("bytes_received").number(static_cast<std::int64_t>(world_.air.received.load()));
  });
}

void ScreenThread::feel(Millis now) {
  if (stroked_until_.due(now)) {
    stroked_until_.clear();
    world_.body.head_touch = 0;
  }
  if (motion_dead_ || (next_reading_.is_set() && !next_reading_.due(now))) return;
  next_reading_.set(now, kReadingMs);
  MotionSample sample = lying_;
  if (shaken_until_.is_set() && !shaken_until_.due(now)) {
    // To and fro about five times a second.
    sample.accel_x += readings_ / 5 % 2 == 0 ? 2.5F : -2.5F;
    sample.gyro_y += readings_ / 5 % 2 == 0 ? 200.0F : -200.0F;
  }
  if (knocked_) sample.accel_z += 1.5F;
  knocked_ = false;
  ++readings_;
  world_.link.motion.publish(sense_.update(sample, now));
}

void ScreenThread::tell(const View& view) {
  if (told_ && same(shown_, view)) return;
  const bool all = !std::exchange(told_, true);
  const View before = shown_;
  shown_ = view;
  world_.log.emit("view", [&](json::Writer& json) {
    text_if_changed(json, "state", lobug::name_of(before.state), lobug::name_of(view.state), all);
    text_if_changed(json, "trouble", english()[sentence_of(before.trouble)],
                    english()[sentence_of(view.trouble)], all);
    text_if_changed(json, "emotion", lobug::name_of(before.emotion), lobug::name_of(view.emotion),
                    all);
    text_if_changed(json, "caption", before.caption, view.caption, all);
    text_if_changed(json, "heard", before.heard, view.heard, all);
    text_if_changed(json, "code", before.code, view.code, all);
    text_if_changed(json, "notice", before.notice, view.notice, all);
    text_if_changed(json, "server_name", before.server_name, view.server_name, all);
    text_if_changed(json, "setup_network", before.setup_network, view.setup_network, all);
    text_if_changed(json, "address", before.address, view.address, all);
    text_if_changed(json, "version", before.version, view.version, all);
    flag_if_changed(json, "wifi", before.wifi, view.wifi, all);
    flag_if_changed(json, "server", before.server, view.server, all);
    flag_if_changed(json, "microphone", before.microphone, view.microphone, all);
    number_if_changed(json, "volume", before.volume, view.volume, all);
    number_if_changed(json, "brightness", before.brightness, view.brightness, all);
    flag_if_changed(json, "wake_word", before.wake_word, view.wake_word, all);
    text_if_changed(json, "talk_mode", name_of(before.talk_mode), name_of(view.talk_mode), all);
    text_if_changed(json, "power", lobug::name_of(before.power), lobug::name_of(view.power), all);
    number_if_changed(json, "backlight", before.backlight, view.backlight, all);
    flag_if_changed(json, "radio_sleeps", before.radio_sleeps, view.radio_sleeps, all);
    number_if_changed(json, "minute_of_day", before.minute_of_day, view.minute_of_day, all);
    text_if_changed(json, "date", day_text(english(), before.date), day_text(english(), view.date),
                    all);
    text_if_changed(json, "language", code_of(before.language), code_of(view.language), all);
    number_if_changed(json, "timers", before.timers, view.timers, all);
    flag_if_changed(json, "ringing", before.ringing, view.ringing, all);
    text_if_changed(json, "body", lobug::name_of(before.body.kind), lobug::name_of(view.body.kind),
                    all);
    number_if_changed(json, "yaw", before.body.at.yaw, view.body.at.yaw, all);
    number_if_changed(json, "pitch", before.body.at.pitch, view.body.at.pitch, all);
    flag_if_changed(json, "servos", before.body.powered, view.body.powered, all);
    flag_if_changed(json, "servos_silent", before.body.silent, view.body.silent, all);
    number_if_changed(json, "update_percent", before.update_percent, view.update_percent, all);
  });
}

}  // namespace lobug::sim
