// A Lo-Bug device without the device: the real core between files, sockets and a clock.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "commands.h"
#include "event_log.h"
#include "file_store.h"
#include "firmware_folder.h"
#include "host_body.h"
#include "host_clock.h"
#include "host_screen.h"
#include "host_system.h"
#include "host_vitals.h"
#include "lobug/audio/audio_pump.h"
#include "lobug/device/device.h"
#include "lobug_sockets/mbed_crypto.h"
#include "lobug_sockets/net_connection.h"
#include "options.h"
#include "poor_network.h"
#include "probe.h"
#include "room_microphone.h"
#include "screen_thread.h"
#include "wav_speaker.h"

namespace lobug::sim {
namespace {

// As often as the tasks of the device come round (src/tasks.h there).
constexpr int kDeviceRoundMs = 10;
constexpr int kAudioRoundMs = 5;
constexpr int kScreenRoundMs = 5;

constexpr int kMostDescriptors = 1024;

void pause_ms(int milliseconds) { (void)::poll(nullptr, 0, milliseconds); }

/// A reset: the same program starts again, with nothing but its folder. The
/// standard input and output stay, so that the test that started the device goes on with it.
[[noreturn]] void start_anew(EventLog& log, char** arguments) {
  log.emit("restart");
  for (int descriptor = 3; descriptor < kMostDescriptors; ++descriptor) {
    (void)::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  (void)::execv("/proc/self/exe", arguments);
  std::perror("lobug_sim: cannot start anew");
  std::_Exit(1);
}

/// What the command line says about the settings, as if the owner had set it.
bool apply(const Options& options, Store& store, std::string& error) {
  Settings settings = load_settings(store);
  settings.wifi_name.assign(options.wifi);
  const auto set = [&](std::string_view name, std::string_view value) {
    const SettingResult result = set_setting(settings, name, value);
    if (!result.ok) error = std::string(english()[result.error]);
    return result.ok;
  };
  if (!options.ca.empty()) {
    std::ifstream in(options.ca);
    const std::string pem((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (!set("ca", pem)) return false;
  }
  // Not by set_setting, which refuses https without a CA: what the device does then is to be seen.
  if (options.server) settings.server.assign(*options.server);
  if (!options.talk_mode.empty() && !set("talk_mode", options.talk_mode)) return false;
  if (!options.language.empty() && !set("language", options.language)) return false;
  return save_settings(store, settings);
}

/// Reads commands until the input ends, `quit` was asked for, or the device stopped.
void read_commands(EventLog& log, CommandQueue& commands, const std::atomic<bool>& running) {
  std::string line;
  std::array<char, 4096> piece{};
  while (running) {
    pollfd watched{STDIN_FILENO, POLLIN, 0};
    if (::poll(&watched, 1, 50) != 1) continue;
    const ssize_t size = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (size <= 0) {
      commands.push(Command());
      return;
    }
    for (const char character : std::string_view(piece.data(), static_cast<std::size_t>(size))) {
      if (character != '\n') {
        line += character;
        continue;
      }
      Command command;
      std::string error;
      if (read_command(line, command, error)) {
        commands.push(std::move(command));
      } else {
        log.emit("error", [&](json::Writer& json) { json.name("message").text(error); });
      }
      line.clear();
    }
  }
}

/// Tells of state and time as the device's own threads see them.
class Watch {
 public:
  Watch(EventLog& log, const ScreenThread& screen) : log_(log), screen_(screen) {}

  void device(DeviceState state) {
    if (state == state_) return;
    log_.emit("state", [&](json::Writer& json) {
      json.name("state").text(name_of(state)).name("from").text(name_of(state_));
    });
    state_ = state;
  }

  void audio(const AudioLink& link) {
    const AudioMode mode = link.actual.load();
    if ((mode == AudioMode::kListen) != open_) {
      open_ = mode == AudioMode::kListen;
      log_.emit("microphone", [&](json::Writer& json) {
        json.name("open").boolean(open_).name("after_tap_ms");
        json.number(elapsed(screen_.last_tap(), now_ms()));
      });
    }
    const std::uint32_t first = link.first_sound.load();
    if (first != first_sound_) {
      first_sound_ = first;
      log_.emit("first_sound", [&](json::Writer& json) {
        json.name("at").number(first_sound_at(first, now_ms() - 0xFFFF));
      });
    }
  }

 private:
  EventLog& log_;
  const ScreenThread& screen_;
  DeviceState state_ = DeviceState::kStarting;
  bool open_ = false;
  std::uint32_t first_sound_ = 0;
};

int run(const Options& options, char** arguments) {
  EventLog log(stdout);
  const std::filesystem::path dir(options.dir);
  std::filesystem::create_directories(dir);
  hurry_clock(options.hurry);
  start_clock_at(options.clock_start);
  const auto restart = [&] { start_anew(log, arguments); };

  FileStore store(dir / "nvs.txt");
  std::string error;
  if (!apply(options, store, error)) {
    (void)std::fprintf(stderr, "lobug_sim: %s\n", error.c_str());
    return 2;
  }
  FirmwareFolder firmware(dir / "firmware", options.version, options.slot_size, restart);
  Air air;
  air.options = options.network;
  air.no_server = firmware.finds_no_server();
  StoredCa ca(store);
  NetConnection session(host_clocks(), ca);
  NetConnection http(host_clocks(), ca);
  PoorConnection poor_session(session, air, options.seed + 1);
  PoorConnection poor_http(http, air, options.seed + 2);
  MbedCrypto crypto;
  HostRandom random(options.seed);
  ClockChip clock_chip(dir / "clock.txt");
  HostSystem system(options, log, clock_chip, restart);
  ScriptedFinder finder(options.finder);
  HostEffects effects(options.led, options.base, log);
  BodyWorld body_world;
  HostBody body(options.base, body_world, log);
  ScriptedVitals scripted_vitals;
  HostVitals vitals(options, scripted_vitals);
  WavSpeaker speaker(dir / "speaker.wav", log);
  RoomMicrophone microphone(log, speaker);

  std::vector<std::int16_t> uplink(samples_of(2000));
  std::vector<std::int16_t> downlink(samples_of(8000));
  AudioLink audio({uplink.data(), uplink.size()}, {downlink.data(), downlink.size()});
  PushedGlyphs glyphs;
  ScreenLink link;
  if (options.glyphs) link.glyphs = &glyphs;
  AudioPump pump(audio, microphone, speaker);
  Device device(Platform{poor_session, poor_http, store, crypto, random, firmware, system, finder,
                         effects, vitals, body},
                audio, link);

  log.emit("boot", [&](json::Writer& json) {
    json.name("version").text(firmware.running_version());
    json.name("slot").text(std::string(1, firmware.running_slot()));
    json.name("on_trial").boolean(firmware.on_trial());
    json.name("rolled_back").boolean(firmware.rolled_back());
  });

  std::atomic<bool> running{true};
  std::atomic<std::int64_t> audio_pause_us{0};
  CommandQueue commands;
  HostRandom blinking(options.seed);
  HostScreen face(blinking, link.inputs, link.glyphs, options.board == "m5stack-core2");
  ScreenThread screen(
      ScreenWorld{log, link, audio, microphone, speaker, air, store, clock_chip, scripted_vitals,
                  body_world, options.board, options.screen ? &face : nullptr, audio_pause_us,
                  [&] { running = false; }},
      commands);
  Watch watch(log, screen);
  if (!options.wifi.empty()) {
    Command join;
    join.kind = Command::Kind::kWifiUp;
    commands.push(join);
  }

  std::thread device_thread([&] {
    while (running) {
      device.step(now_ms());
      watch.device(device.state());
      pause_ms(kDeviceRoundMs);
    }
  });
  std::thread audio_thread([&] {
    std::int64_t last_us = now_us();
    while (running) {
      const std::int64_t round_us = now_us();
      audio_pause_us = std::max(audio_pause_us.load(), round_us - last_us);
      last_us = round_us;
      pump.step(now_ms());
      watch.audio(audio);
      pause_ms(kAudioRoundMs);
    }
  });
  std::thread screen_thread([&] {
    while (running) {
      screen.step(now_ms());
      pause_ms(kScreenRoundMs);
    }
  });
  read_commands(log, commands, running);
  screen_thread.join();
  audio_thread.join();
  device_thread.join();
  speaker.stop();
  log.emit("end");
  return 0;
}

}  // namespace
}  // namespace lobug::sim

int main(int count, char** arguments) {
  if (count > 1 && std::strcmp(arguments[1], "probe") == 0) {
    return lobug::sim::probe(count, arguments);
  }
  lobug::sim::Options options;
  std::string error;
  if (!lobug::sim::read_options(count, arguments, options, error)) {
    (void)std::fprintf(stderr, "lobug_sim: %s\n%s", error.c_str(), lobug::sim::kUsage);
    return 2;
  }
  return lobug::sim::run(options, arguments);
}
