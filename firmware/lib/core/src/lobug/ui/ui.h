// The screen: face, captions, status bar, settings and setup pages; fingers in, inputs out.
#pragma once

#include <cstdint>

#include "lobug/base/clock.h"
#include "lobug/base/exchange.h"
#include "lobug/base/random.h"
#include "lobug/device/screen_link.h"
#include "lobug/face/canvas.h"
#include "lobug/face/damage.h"
#include "lobug/face/face.h"
#include "lobug/senses/motion.h"
#include "lobug/ui/captions.h"
#include "lobug/ui/gesture.h"
#include "lobug/ui/qr_code.h"
#include "lobug/ui/settings_page.h"

namespace lobug {

constexpr std::int16_t kScreenWidth = 320;
constexpr std::int16_t kScreenHeight = 240;

class Ui {
 public:
  static constexpr Millis kAsleepMs = 300000;  ///< nothing has happened for so long: it sleeps
  static constexpr Millis kVolumeMs = 3000;    ///< the volume stays on the screen
  static constexpr Millis kQuietMs = 60000;    ///< then the clock or a timer takes the face's place
  // Time from one frame to the next: less often where less moves.
  static constexpr Millis kFrameMs = 40;
  static constexpr Millis kDimFrameMs = 100;
  static constexpr Millis kAsleepFrameMs = 200;  ///< it breathes
  static constexpr Millis kClockFrameMs = 500;   ///< seconds of a timer, minutes of the clock

  /// `buttons_below`: the board has buttons below the picture (Core2); else its lower corners are
  /// left and right button (CoreS3). The left one opens the settings, the middle one talks, the
  /// right one shows the volume.
  Ui(Random& random, Queue<Input, 16>& inputs, bool buttons_below);

  /// Once a round, 20 to 60 times a second.
  void touch(const Touch& touch, Millis now);
  /// Whether a frame is to be drawn: its time has come, or what is to be seen has changed. Never
  /// while the screen is off. To be asked each round.
  bool frame_due(const View& view, Millis now);
  /// Draws what is to be seen now. `level`: loudness of speaker or microphone, 0 to 255.
  void draw(Canvas& canvas, const View& view, const Motion& motion, std::uint8_t level, Millis now);
  /// The same on a canvas that still has the picture before: draws only what has changed, which
  /// `damage` then has for the display. False: nothing has.
  bool draw_changes(Canvas& canvas, Damage& damage, const View& view, const Motion& motion,
                    std::uint8_t level, Millis now);

 private:
  enum class Page : std::uint8_t { kFace, kSettings, kCalibrate, kSelfTest };
  /// What is below the face.
  enum class Below : std::uint8_t { kNothing, kVolume, kTrouble, kCaption, kProgress };
  /// What the face page shows large.
  enum class Front : std::uint8_t { kFace, kRinging, kCountdown, kClock };
  enum class Button : std::uint8_t { kLeft, kMiddle, kRight };

  Button button_at(std::int16_t x, std::int16_t y) const;
  void touch_face(const Gesture& gesture, Millis now);
  void touch_settings(const Gesture& gesture, Millis now);
  void touch_head(const Gesture& gesture);
  void touch_volume(const Gesture& gesture, Millis now);
  void touched(const Gesture& gesture, Millis now);
  /// False when the queue is full.
  bool put(Input::Kind kind, std::int32_t value = 0);
  /// Moves everything on to `now`.
  void advance(const View& view, const Motion& motion, std::uint8_t level, Millis now);
  void move_face(const View& view, const Motion& motion, std::uint8_t level, Millis now);
  void renew_join_code(const View& view);
  void move_words(const View& view, Millis now);
  /// Draws what `advance` has moved; the same picture however often.
  void paint(Canvas& canvas);
  void paint_face_page(Canvas& canvas);
  void paint_face_and_words(Canvas& canvas);
  void paint_volume(Canvas& canvas) const;
  bool on_face_page() const;
  bool asleep(const View& view, Millis now) const;
  bool quiet(const View& view, Millis now) const;
  Millis frame_ms(const View& view, Millis now) const;
  Front front(const View& view, Millis now) const;
  std::string_view shown_text(const View& view) const;

  Queue<Input, 16>& inputs_;
  const bool buttons_below_;
  GestureSense gestures_;
  Face face_;
  Captions captions_;
  SettingsPage settings_;
  Page page_ = Page::kFace;
  View seen_;  ///< of the last frame: what fingers refer to, and what is painted
  PowerState power_ = PowerState::kAwake;  ///< now, also while nothing is drawn
  bool waking_ = false;   ///< the finger on the screen has woken it, and does nothing else
  bool touched_ = false;  ///< since the last frame
  bool pressed_ = false;  ///< a finger came down to talk, and is neither tap nor hold yet
  bool holding_ = false;
  bool release_due_ = false;     ///< the end of a hold is not in the queue yet
  bool caption_spoken_ = false;  ///< the caption is of a reply, not an alert
  Deadline volume_until_;
  std::uint8_t volume_ = 0;
  Millis busy_at_ = 0;  ///< when something happened last
  bool begun_ = false;
  Millis drawn_at_ = 0;
  QrCode join_;  ///< of the setup network
  Text<40> join_network_;
  Text<16> join_key_;
  Front front_ = Front::kFace;
  Below below_ = Below::kNothing;
  int raised_ = 0;  ///< the face has made room for words: 0 to 256
};

}  // namespace lobug
