// Renders what the screen shows in named scenes, as PPM files: `lobug_face FOLDER`. Or prints QR
// codes, each with its mask before it: `lobug_face --qr TEXT ...`.
//
// The pictures are those of the device, pixel by pixel: the core draws with integers alone.
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "body_pictures.h"
#include "lobug/base/exchange.h"
#include "lobug/face/emotion.h"
#include "lobug/language/phrases.h"
#include "lobug/protocol/glyph_reader.h"
#include "lobug/protocol/messages.h"
#include "lobug/ui/qr_code.h"
#include "lobug/ui/ui.h"
#include "picture_file.h"
#include "seeded_random.h"

namespace lobug {
namespace {

constexpr Millis kFrameMs = 40;
constexpr Millis kSettledMs = 1600;  ///< by then a face has taken its expression on

// A screen that is held in a hand.
class Scene {
 public:
  explicit Scene(bool buttons_below = true) : ui_(random_, inputs_, buttons_below) {
    view_.state = DeviceState::kIdle;
    view_.wifi = view_.server = true;
    view_.wifi_dbm = -55;
    view_.battery = 76;
    view_.battery_known = true;
    view_.volume = 60;
    view_.brightness = 70;
    view_.version = "2.0.0";
    view_.address = "192.168.1.40";
    view_.server_name = "http://192.168.1.5:8321";
  }

  View& view() { return view_; }
  /// Takes pictures of characters as the server sends them. False when one of them is bad.
  bool take_glyphs(std::string_view json) {
    GlyphReader reader(json);
    PushedGlyph glyph;
    canvas_.lend(&glyphs_);
    for (GlyphReader::Next next = reader.next(glyph); next != GlyphReader::Next::kEnd;
         next = reader.next(glyph)) {
      if (next == GlyphReader::Next::kBad || !glyphs_.push(glyph)) return false;
    }
    glyphs_.take();
    return true;
  }
  void tilt(float x, float y) {
    motion_.gaze_x = x;
    motion_.gaze_y = y;
  }
  void level(std::uint8_t level) { level_ = level; }
  void pass(Millis ms) {
    for (Millis passed = 0; passed < ms; passed += kFrameMs) {
      now_ += kFrameMs;
      ui_.touch(touch_, now_);
      // As the device does it: what has not changed stays from the picture before.
      (void)ui_.draw_changes(canvas_, damage_, view_, motion_, level_, now_);
    }
  }
  void tap(std::int16_t x, std::int16_t y) {
    touch_ = {true, x, y};
    pass(2 * kFrameMs);
    touch_.down = false;
    pass(2 * kFrameMs);
  }
  bool save(const std::string& folder, const std::string& name) {
    return write_picture(canvas_.pixels(), folder + "/" + name + ".ppm");
  }

 private:
  SeededRandom random_;
  Queue<Input, 16> inputs_;
  std::vector<Colour> pixels_ =
      std::vector<Colour>(static_cast<std::size_t>(kScreenWidth) * kScreenHeight);
  Canvas canvas_{{pixels_.data(), pixels_.size()}, kScreenWidth, kScreenHeight};
  PushedGlyphs glyphs_;
  Damage damage_;
  View view_;
  Motion motion_;
  Touch touch_;
  std::uint8_t level_ = 0;
  Millis now_ = 1000;
  Ui ui_;
};

bool render_emotions(const std::string& folder) {
  for (std::uint8_t number = 0; number < kEmotionCount; ++number) {
    Scene scene;
    scene.view().emotion = static_cast<Emotion>(number);
    scene.pass(kSettledMs);
    if (!scene.save(folder, "emotion-" + std::string(name_of(scene.view().emotion)))) return false;
  }
  return true;
}

/// A self-test in which all was fine.
SelfTestState tested() {
  SelfTestState test;
  test.run = 1;
  test.phase = SelfTestState::Phase::kDone;
  Measurements& m = test.measured;
  m.psram = {4U << 20U, 131072, 0};
  m.before = m.after = HeardLevel{-58, false, false};
  m.to_speaker_ms = m.to_microphone_ms = std::uint16_t{60};
  m.frames_per_s = std::uint16_t{24};
  m.touches = 3;
  m.motion_readings = 250;
  m.gravity_mg = 1004;
  m.battery = std::uint8_t{76};
  m.wifi = true;
  m.wifi_dbm = std::int8_t{-55};
  m.memory = {81234, 40960, 61234};
  (void)m.stacks.add("device", 3000);
  return test;
}

struct Named {
  const char* name;
  void (*make)(Scene& scene);
  bool buttons_below = true;
};

void speak(Scene& scene, std::string_view caption) {
  scene.view().state = DeviceState::kSpeaking;
  scene.view().caption.assign(caption);
  scene.level(60);
  scene.pass(kSettledMs);
}

const Named kScenes[] = {
    {"starting",
     [](Scene& s) {
       s.view() = View();
       s.pass(kSettledMs);
     }},
    {"setup",
     [](Scene& s) {
       s.view().state = DeviceState::kSetup;
       s.view().wifi = s.view().server = false;
       s.view().setup_network = "Lo-Bug-eeff";
       s.view().setup_key = "40718253";
       s.view().setup_address = "http://192.168.4.1";
       s.pass(kFrameMs);
     }},
    {"setup-refused",
     [](Scene& s) {
       s.view().state = DeviceState::kSetup;
       s.view().trouble = Trouble::kWrongPassword;
       s.view().wifi = s.view().server = false;
       s.view().setup_network = "Lo-Bug-eeff";
       s.view().setup_key = "40718253";
       s.view().setup_address = "http://192.168.4.1";
       s.pass(kFrameMs);
     }},
    {"finding",
     [](Scene& s) {
       s.view().state = DeviceState::kFinding;
       s.view().server = false;
       s.pass(kSettledMs);
     }},
    {"pairing",
     [](Scene& s) {
       s.view().state = DeviceState::kPairing;
       s.view().server = false;
       s.view().code = "123456";
       s.pass(kFrameMs);
     }},
    {"listening",
     [](Scene& s) {
       s.view().state = DeviceState::kListening;
       s.view().microphone = true;
       s.pass(kSettledMs);
     }},
    {"thinking",
     [](Scene& s) {
       s.view().state = DeviceState::kThinking;
       s.view().heard = "What is the weather like?";
       s.pass(kSettledMs);
     }},
    {"speaking",
     [](Scene& s) {
       s.view().state = DeviceState::kSpeaking;
       s.view().emotion = Emotion::kHappy;
       s.view().caption = "It is sunny, and it stays so.";
       s.level(170);
       s.pass(kSettledMs);
     }},
    {"caption-long",
     [](Scene& s) {
       s.view().state = DeviceState::kSpeaking;
       s.view().caption =
           "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich, während "
           "Donaudampfschifffahrtsgesellschaftskapitäne zusehen und Café crème trinken.";
       s.level(60);
       s.pass(6000);
     }},
    {"caption-polish", [](Scene& s) { speak(s, "Zażółć gęślą jaźń, rzekł łoś."); }},
    {"caption-turkish", [](Scene& s) { speak(s, "Pijamalı hasta yağız şoföre çabucak güvendi."); }},
    {"caption-russian",
     [](Scene& s) { speak(s, "Съешь ещё этих мягких французских булок, да выпей чаю."); }},
    {"caption-japanese",
     [](Scene& s) {
       speak(s, "今日はいい天気ですね。「散歩」に行きましょうか、それとも家で本を読みますか？");
     }},
    {"caption-chinese",
     [](Scene& s) { speak(s, "你好！我听见了，我们去公园散步吧，外面的空气很新鲜。"); }},
    {"caption-korean", [](Scene& s) { speak(s, "안녕하세요! 차를 한 잔 마실까요?"); }},
    {"caption-boxes", [](Scene& s) { speak(s, "ชาพร้อมแล้ว"); }},
    {"caption-greek", [](Scene& s) { speak(s, "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία."); }},
    {"notice",
     [](Scene& s) {
       s.view().notice = "Tea is ready";
       s.pass(kSettledMs);
     }},
    {"corner-buttons", [](Scene& s) { s.pass(kSettledMs); }, false},
    {"tilted",
     [](Scene& s) {
       s.tilt(0.9F, 0.6F);
       s.pass(kSettledMs);
     }},
    {"asleep",
     [](Scene& s) {
       s.pass(kFrameMs);
       s.pass(Ui::kAsleepMs + 2 * kSettledMs);
     }},
    {"offline-server",
     [](Scene& s) {
       s.view().state = DeviceState::kOffline;
       s.view().trouble = Trouble::kServerGone;
       s.view().server = false;
       s.view().retry_s = 12;
       s.pass(kSettledMs);
     }},
    {"offline-wifi",
     [](Scene& s) {
       s.view().state = DeviceState::kOffline;
       s.view().trouble = Trouble::kNoWifi;
       s.view().wifi = s.view().server = false;
       s.pass(kSettledMs);
     }},
    {"offline-untrusted",
     [](Scene& s) {
       s.view().state = DeviceState::kOffline;
       s.view().trouble = Trouble::kUntrusted;
       s.view().server = false;
       s.view().retry_s = 60;
       s.pass(kSettledMs);
     }},
    {"updating",
     [](Scene& s) {
       s.view().state = DeviceState::kUpdating;
       s.view().update_percent = 42;
       s.pass(kFrameMs);
     }},
    {"settings",
     [](Scene& s) {
       s.pass(kFrameMs);
       s.tap(40, 260);
       s.pass(kFrameMs);
     }},
    {"settings-reset",
     [](Scene& s) {
       s.view().microphone = true;
       s.view().charging = true;
       s.pass(kFrameMs);
       s.tap(40, 260);
       s.tap(240, 150);
       s.pass(kFrameMs);
     }},
    {"settings-head",
     [](Scene& s) {
       s.view().body.kind = BodyKind::kStackChan;
       s.pass(kFrameMs);
       s.tap(40, 260);
       s.pass(kFrameMs);
     }},
    {"head",
     [](Scene& s) {
       s.view().body.kind = BodyKind::kStackChan;
       s.view().body.calibration.offset = {-30, 40};
       s.pass(kFrameMs);
       s.tap(40, 260);
       s.tap(272, 220);
       s.pass(kFrameMs);
     }},
    {"clock",
     [](Scene& s) {
       s.view().clock = true;
       s.view().minute_of_day = 14 * 60 + 5;
       s.view().date = {4, 26, 11};
       s.pass(kFrameMs);
       s.pass(Ui::kQuietMs + kSettledMs);
     }},
    {"clock-digits",
     [](Scene& s) {
       s.view().clock = true;
       s.view().minute_of_day = 23 * 60 + 48;
       s.view().date = {3, 16, 9};
       s.view().battery = 9;
       s.pass(kFrameMs);
       s.pass(Ui::kAsleepMs + kSettledMs);
     }},
    {"timer-badge",
     [](Scene& s) {
       s.view().timers = 1;
       s.view().timer_left_s = 245;
       s.view().timer_total_s = 300;
       s.view().timer_label = "Tea";
       s.pass(kSettledMs);
     }},
    {"timer",
     [](Scene& s) {
       s.view().timers = 2;
       s.view().timer_left_s = 245;
       s.view().timer_total_s = 300;
       s.view().timer_label = "Tea";
       s.pass(kFrameMs);
       s.pass(Ui::kQuietMs + kSettledMs);
     }},
    {"timer-long",
     [](Scene& s) {
       s.view().timers = 1;
       s.view().timer_left_s = 3 * 3600 + 245;
       s.view().timer_total_s = 4 * 3600;
       s.pass(kFrameMs);
       s.pass(Ui::kQuietMs + kSettledMs);
     }},
    {"timer-last-seconds",
     [](Scene& s) {
       s.view().timers = 1;
       s.view().timer_left_s = 8;
       s.view().timer_total_s = 60;
       s.view().timer_label = "Eggs";
       s.pass(kFrameMs);
       s.pass(Ui::kQuietMs + kSettledMs);
     }},
    {"alarm",
     [](Scene& s) {
       s.view().ringing = true;
       s.view().notice = "Tea, Eggs (5 min late)";
       s.pass(600);
     }},
    {"battery-low",
     [](Scene& s) {
       s.view().battery = 15;
       s.view().notice = english()[Phrase::kBatteryLow];
       s.pass(kSettledMs);
     }},
    {"battery-empty",
     [](Scene& s) {
       s.view().battery = 5;
       s.view().power = PowerState::kFarewell;
       s.view().notice = english()[Phrase::kBatteryEmpty];
       s.pass(kSettledMs);
     }},
    {"offline-outdated",
     [](Scene& s) {
       s.view().state = DeviceState::kOffline;
       s.view().trouble = Trouble::kOutdated;
       s.view().server = false;
       s.view().retry_s = 60;
       s.pass(kSettledMs);
     }},
    {"selftest-running",
     [](Scene& s) {
       s.pass(kFrameMs);
       s.view().microphone = true;
       s.view().self_test.run = 1;
       s.view().self_test.phase = SelfTestState::Phase::kRunning;
       s.pass(kFrameMs);
     }},
    {"selftest-fine",
     [](Scene& s) {
       s.pass(kFrameMs);
       s.view().self_test = tested();
       s.pass(kFrameMs);
     }},
    {"selftest-faults",
     [](Scene& s) {
       s.pass(kFrameMs);
       s.view().self_test = tested();
       Measurements& m = s.view().self_test.measured;
       m.after.reset();
       m.touches = 0;
       m.battery = std::uint8_t{9};
       m.wifi_dbm.reset();
       m.stacks.marks[0].least = 400;
       s.pass(kFrameMs);
     }},
    {"volume",
     [](Scene& s) {
       s.pass(kFrameMs);
       s.tap(280, 260);
       s.pass(600);
     }},
};

/// Scenes that are also drawn in another language, as "NAME-CODE".
struct Translated {
  std::string_view name;
  Language language;
};
constexpr Translated kTranslated[] = {
    {"setup", Language::kGerman},
    {"settings", Language::kGerman},
    {"settings-reset", Language::kGerman},
    {"offline-server", Language::kGerman},
    {"selftest-faults", Language::kGerman},
    {"clock", Language::kGerman},
    {"setup", Language::kSpanish},
    {"settings", Language::kSpanish},
    {"settings-reset", Language::kSpanish},
    {"offline-server", Language::kSpanish},
    {"selftest-faults", Language::kSpanish},
    {"clock", Language::kSpanish},
};

bool render(const Named& named, Language language, const std::string& folder,
            const std::string& name) {
  const auto scene = std::make_unique<Scene>(named.buttons_below);
  // Messages of the server, one on each line, beside the pictures.
  std::ifstream messages(folder + "/glyphs.jsonl");
  for (std::string line; std::getline(messages, line);) {
    if (!scene->take_glyphs(read_server_message(line).payload)) return false;
  }
  scene->view().language = language;
  named.make(*scene);
  return scene->save(folder, name);
}

bool render_scenes(const std::string& folder) {
  for (const Named& named : kScenes) {
    if (!render(named, Language::kEnglish, folder, named.name)) return false;
    for (const Translated& also : kTranslated) {
      if (also.name != named.name) continue;
      const std::string name = std::string(also.name) + "-" + std::string(code_of(also.language));
      if (!render(named, also.language, folder, name)) return false;
    }
  }
  return true;
}

bool print_codes(int count, char** texts) {
  for (int index = 0; index < count; ++index) {
    QrCode code;
    if (!code.encode(texts[index])) return false;
    std::printf("%d\n", code.mask());
    for (int y = 0; y < code.size(); ++y) {
      for (int x = 0; x < code.size(); ++x) std::putchar(code.is_dark(x, y) ? '1' : '0');
      std::putchar('\n');
    }
  }
  return true;
}

}  // namespace
}  // namespace lobug

int main(int argc, char** argv) {
  if (argc > 2 && std::string_view(argv[1]) == "--qr") {
    return lobug::print_codes(argc - 2, argv + 2) ? 0 : 1;
  }
  if (argc != 2) {
    std::fputs("usage: lobug_face FOLDER | --qr TEXT ...\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  const bool written = lobug::render_emotions(folder) && lobug::render_scenes(folder) &&
                       lobug::render_bodies(folder);
  if (!written) std::fprintf(stderr, "%s cannot be written to\n", argv[1]);
  return written ? 0 : 1;
}
