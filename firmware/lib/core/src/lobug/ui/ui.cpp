#include "lobug/ui/ui.h"

#include "lobug/face/fixed.h"
#include "lobug/face/palette.h"
#include "lobug/language/wording.h"
#include "lobug/ui/clock_pages.h"
#include "lobug/ui/head_page.h"
#include "lobug/ui/pages.h"
#include "lobug/ui/self_test_page.h"

namespace lobug {
namespace {

constexpr std::int16_t kCornerHeight = 36;
constexpr std::int16_t kCornerWidth = 72;
constexpr Rect kVolumeSlider{40, 192, 240, 40};
constexpr std::int16_t kCaptionX = 8, kCaptionY = 188, kCaptionWidth = 304;
constexpr int kCaptionRows = 2;
constexpr int kRaiseMs = 140;

// Place and size of the face alone, and above text.
constexpr int kFaceY = px(136), kFaceScale = 232;
constexpr int kRaisedY = px(104), kRaisedScale = 176;
// Below a page of text only the upper part of the face is seen.
constexpr int kPeepingY = px(231), kPeepingScale = 124;

int between(int from, int to, int progress) { return from + (to - from) * progress / 256; }

bool is_on_its_way(DeviceState state) {
  return state == DeviceState::kStarting || state == DeviceState::kJoining ||
         state == DeviceState::kFinding || state == DeviceState::kConnecting;
}

bool is_offline(const View& view) {
  return view.state == DeviceState::kOffline && view.trouble != Trouble::kNone;
}

int gaze_of(float tilt) { return clamped(static_cast<int>(tilt * 256.0F), -256, 256); }

}  // namespace

Ui::Ui(Random& random, Queue<Input, 16>& inputs, bool buttons_below)
    : inputs_(inputs), buttons_below_(buttons_below), face_(random), settings_(inputs) {}

bool Ui::put(Input::Kind kind, std::int32_t value) {
  Input input;
  input.kind = kind;
  input.value = value;
  return inputs_.push(input);
}

Ui::Button Ui::button_at(std::int16_t x, std::int16_t y) const {
  if (buttons_below_) {
    if (y < kScreenHeight) return Button::kMiddle;
    return x < kScreenWidth / 3       ? Button::kLeft
           : x < 2 * kScreenWidth / 3 ? Button::kMiddle
                                      : Button::kRight;
  }
  if (y < kScreenHeight - kCornerHeight) return Button::kMiddle;
  if (x < kCornerWidth) return Button::kLeft;
  return x >= kScreenWidth - kCornerWidth ? Button::kRight : Button::kMiddle;
}

void Ui::touch(const Touch& touch, Millis now) {
  touched(gestures_.update(touch, now), now);
  // Tried until the queue has room: a full queue must not leave the microphone open.
  if (release_due_ && put(Input::Kind::kHoldEnd)) release_due_ = false;
}

void Ui::touched(const Gesture& gesture, Millis now) {
  if (gesture.kind == Gesture::Kind::kNone) return;
  busy_at_ = now;
  touched_ = true;
  if (gesture.kind == Gesture::Kind::kPress && power_ == PowerState::kDark) {
    waking_ = put(Input::Kind::kWake);
    return;
  }
  if (waking_) {
    using Kind = Gesture::Kind;
    waking_ = gesture.kind != Kind::kTap && gesture.kind != Kind::kHoldEnd &&
              gesture.kind != Kind::kSlideEnd;
    return;
  }
  const Button button = button_at(gesture.from_x, gesture.from_y);
  const bool on_button = buttons_below_ ? gesture.from_y >= kScreenHeight : false;
  if (gesture.kind == Gesture::Kind::kTap && button == Button::kLeft &&
      (page_ == Page::kFace || on_button)) {
    page_ = page_ == Page::kFace ? Page::kSettings : Page::kFace;
    settings_.open();
  } else if (page_ == Page::kSettings && !on_button) {
    touch_settings(gesture, now);
  } else if (page_ == Page::kCalibrate && !on_button) {
    touch_head(gesture);
  } else if (page_ == Page::kSelfTest && !on_button) {
    const bool running = seen_.self_test.phase == SelfTestState::Phase::kRunning;
    if (gesture.kind == Gesture::Kind::kTap && !running) page_ = Page::kFace;
  } else {
    touch_face(gesture, now);
  }
}

void Ui::touch_settings(const Gesture& gesture, Millis now) {
  switch (settings_.touch(gesture, seen_, now)) {
    case SettingsPage::Next::kFace:
      page_ = Page::kFace;
      break;
    case SettingsPage::Next::kCalibrate:
      page_ = Page::kCalibrate;
      break;
    case SettingsPage::Next::kSettings:
      break;
  }
}

void Ui::touch_head(const Gesture& gesture) {
  Input input;
  if (gesture.kind != Gesture::Kind::kTap) return;
  if (!head_page_input(gesture.from_x, gesture.from_y, input)) return;
  (void)inputs_.push(input);
  if (input.kind == Input::Kind::kCalibrate) page_ = Page::kFace;
}

void Ui::touch_face(const Gesture& gesture, Millis now) {
  using Kind = Gesture::Kind;
  if (volume_until_.is_set() && gesture.from_y < kScreenHeight &&
      gesture.from_y >= kVolumeSlider.y - 8) {
    touch_volume(gesture, now);
    return;
  }
  switch (gesture.kind) {
    case Kind::kPress:
      pressed_ = button_at(gesture.from_x, gesture.from_y) == Button::kMiddle;
      if (pressed_) put(Input::Kind::kPress);
      break;
    case Kind::kSlide:
      if (pressed_) put(Input::Kind::kPressEnd);
      pressed_ = false;
      break;
    case Kind::kTap:
      pressed_ = false;
      if (button_at(gesture.from_x, gesture.from_y) == Button::kRight) {
        volume_ = seen_.volume;
        volume_until_.set(now, kVolumeMs);
      } else {
        page_ = Page::kFace;
        put(Input::Kind::kTap);
      }
      break;
    case Kind::kHold:
      pressed_ = false;
      if (button_at(gesture.from_x, gesture.from_y) == Button::kMiddle) {
        page_ = Page::kFace;
        holding_ = put(Input::Kind::kHoldBegin);
      }
      break;
    case Kind::kHoldEnd:
      release_due_ = holding_;
      holding_ = false;
      break;
    default:
      break;
  }
}

void Ui::touch_volume(const Gesture& gesture, Millis now) {
  const int percent = clamped((gesture.x - kVolumeSlider.x) * 100 / kVolumeSlider.width, 0, 100);
  if (percent != volume_) put(Input::Kind::kVolume, percent);
  volume_ = static_cast<std::uint8_t>(percent);
  volume_until_.set(now, kVolumeMs);
}

std::string_view Ui::shown_text(const View& view) const {
  if (!view.notice.empty()) return view.notice;
  // An alert is shown even with captions off, because it is not spoken.
  if (!view.caption.empty() && (view.captions || !caption_spoken_)) return view.caption;
  if (!view.captions) return {};
  return view.state == DeviceState::kThinking ? view.heard.view() : std::string_view();
}

bool Ui::asleep(const View& view, Millis now) const {
  return view.state == DeviceState::kIdle && shown_text(view).empty() &&
         elapsed(busy_at_, now) >= kAsleepMs;
}

bool Ui::quiet(const View& view, Millis now) const {
  return view.state == DeviceState::kIdle && shown_text(view).empty() &&
         elapsed(busy_at_, now) >= kQuietMs;
}

Millis Ui::frame_ms(const View& view, Millis now) const {
  // A self-test measures how often the screen draws.
  const bool tested = view.self_test.phase == SelfTestState::Phase::kRunning;
  if (view.ringing || tested || page_ != Page::kFace) return kFrameMs;
  if (quiet(view, now) && (view.timers > 0 || (view.clock && view.minute_of_day >= 0))) {
    return kClockFrameMs;
  }
  if (asleep(view, now)) return kAsleepFrameMs;
  const bool resting = view.state == DeviceState::kIdle || view.state == DeviceState::kOffline;
  return view.power == PowerState::kDim && resting ? kDimFrameMs : kFrameMs;
}

bool Ui::frame_due(const View& view, Millis now) {
  power_ = view.power;
  if (view.power == PowerState::kDark || view.power == PowerState::kSwitchedOff) return false;
  if (!begun_ || touched_ || view.state != seen_.state || view.power != seen_.power ||
      view.ringing != seen_.ringing || view.notice != seen_.notice ||
      view.self_test.run != seen_.self_test.run) {
    return true;
  }
  return elapsed(drawn_at_, now) >= frame_ms(view, now);
}

void Ui::move_face(const View& view, const Motion& motion, std::uint8_t level, Millis now) {
  FaceInput input;
  input.expression = &expression_of(view.emotion);
  input.glow = kGlowIdle;
  switch (view.state) {
    case DeviceState::kListening:
      input.expression = &expression_of(Look::kAttentive);
      // Not yet green: the microphone is still being opened.
      input.glow = view.microphone ? kGlowListening : kGlowIdle;
      break;
    case DeviceState::kThinking:
      if (!view.posing) input.expression = &expression_of(Emotion::kThinking);
      input.glow = kGlowThinking;
      input.pulse = true;
      break;
    case DeviceState::kSpeaking:
      input.glow = kGlowSpeaking;
      input.talking = true;
      break;
    case DeviceState::kOffline:
      input.expression = &expression_of(
          view.trouble == Trouble::kNone || view.trouble == Trouble::kNoWifi ? Look::kLost
                                                                             : Look::kTrouble);
      input.glow = kGlowOff;
      break;
    case DeviceState::kStarting:
    case DeviceState::kJoining:
    case DeviceState::kFinding:
    case DeviceState::kConnecting:
      input.expression = &expression_of(Look::kWaking);
      input.glow = kGlowOff;
      input.pulse = true;
      break;
    case DeviceState::kPairing:
    case DeviceState::kUpdating:
      input.expression = &expression_of(Look::kBusy);
      input.pulse = true;
      break;
    default:
      break;
  }
  if (asleep(view, now)) {
    input.expression = &expression_of(Look::kAsleep);
    input.glow = kGlowOff;
    input.still = true;
  }
  input.level = level;
  input.gaze_x = gaze_of(motion.gaze_x);
  input.gaze_y = gaze_of(motion.gaze_y);
  face_.update(input, now);
}

void Ui::draw(Canvas& canvas, const View& view, const Motion& motion, std::uint8_t level,
              Millis now) {
  advance(view, motion, level, now);
  canvas.draw_all();
  paint(canvas);
}

bool Ui::draw_changes(Canvas& canvas, Damage& damage, const View& view, const Motion& motion,
                      std::uint8_t level, Millis now) {
  advance(view, motion, level, now);
  canvas.describe(damage);
  paint(canvas);
  const bool changed = damage.finish();
  if (changed) {
    canvas.repair(damage);
    paint(canvas);
  }
  canvas.draw_all();
  return changed;
}

void Ui::advance(const View& view, const Motion& motion, std::uint8_t level, Millis now) {
  if (!begun_) {
    begun_ = true;
    busy_at_ = drawn_at_ = now;
  }
  if (view.state != seen_.state || (motion.moving && !view.body.moves) ||
      view.emotion != seen_.emotion) {
    busy_at_ = now;
  }
  touched_ = false;
  power_ = view.power;
  if (view.notice != seen_.notice || view.ringing != seen_.ringing) busy_at_ = now;
  if (view.caption != seen_.caption) caption_spoken_ = view.state == DeviceState::kSpeaking;
  if (view.self_test.run != seen_.self_test.run) page_ = Page::kSelfTest;
  seen_ = view;
  if (volume_until_.due(now)) volume_until_.clear();
  move_face(view, motion, level, now);
  front_ = on_face_page() ? front(view, now) : Front::kFace;
  if (on_face_page() && front_ == Front::kFace) move_words(view, now);
  if (view.state == DeviceState::kSetup) renew_join_code(view);
  drawn_at_ = now;
}

bool Ui::on_face_page() const {
  return page_ == Page::kFace && seen_.state != DeviceState::kSetup &&
         seen_.state != DeviceState::kPairing && seen_.state != DeviceState::kUpdating;
}

void Ui::paint(Canvas& canvas) {
  canvas.unclip();
  canvas.clear(kNight);
  if (page_ == Page::kSettings) {
    settings_.draw(canvas, seen_, drawn_at_);
  } else if (page_ == Page::kCalibrate) {
    draw_head_page(canvas, seen_);
  } else if (page_ == Page::kSelfTest) {
    draw_self_test_page(canvas, seen_.self_test, phrases_of(seen_.language));
  } else if (seen_.state == DeviceState::kSetup) {
    draw_setup_page(canvas, seen_, join_);
  } else if (seen_.state == DeviceState::kPairing) {
    draw_face(canvas, face_.state(), px(kScreenWidth / 2), kPeepingY, kPeepingScale);
    draw_pairing_page(canvas, seen_);
  } else if (seen_.state == DeviceState::kUpdating) {
    draw_face(canvas, face_.state(), px(kScreenWidth / 2), kPeepingY, kPeepingScale);
    draw_update_page(canvas, seen_);
  } else {
    paint_face_page(canvas);
  }
  draw_status_bar(canvas, seen_);
}

Ui::Front Ui::front(const View& view, Millis now) const {
  const bool talking = view.state == DeviceState::kListening ||
                       view.state == DeviceState::kThinking || view.state == DeviceState::kSpeaking;
  if (view.ringing && !talking) return Front::kRinging;
  if (!quiet(view, now) || volume_until_.is_set()) return Front::kFace;
  if (view.timers > 0) return Front::kCountdown;
  return view.clock && view.minute_of_day >= 0 ? Front::kClock : Front::kFace;
}

// The words below the face, for which it makes room.
void Ui::move_words(const View& view, Millis now) {
  const std::string_view text = shown_text(view);
  captions_.show(text, now);
  below_ = volume_until_.is_set()      ? Below::kVolume
           : is_offline(view)          ? Below::kTrouble
           : !text.empty()             ? Below::kCaption
           : is_on_its_way(view.state) ? Below::kProgress
                                       : Below::kNothing;
  const Millis passed = elapsed(drawn_at_, now);
  raised_ = approached(raised_, below_ != Below::kNothing ? 256 : 0,
                       passed < 100 ? static_cast<int>(passed) : 100, kRaiseMs);
}

void Ui::paint_face_page(Canvas& canvas) {
  switch (front_) {
    case Front::kFace:
      paint_face_and_words(canvas);
      break;
    case Front::kRinging:
      draw_alarm(canvas, seen_, drawn_at_);
      break;
    case Front::kCountdown:
      draw_countdown(canvas, seen_);
      break;
    case Front::kClock:
      draw_face(canvas, face_.state(), px(kScreenWidth / 2), kPeepingY, kPeepingScale);
      draw_clock(canvas, seen_);
      break;
  }
}

void Ui::paint_face_and_words(Canvas& canvas) {
  draw_face(canvas, face_.state(), px(kScreenWidth / 2), between(kFaceY, kRaisedY, raised_),
            between(kFaceScale, kRaisedScale, raised_));
  if (seen_.timers > 0) draw_countdown_badge(canvas, seen_);
  const auto height =
      static_cast<std::int16_t>(kCaptionRows * Canvas::line_height(FontSize::kLarge));
  switch (below_) {
    case Below::kNothing:
      if (!buttons_below_) draw_corners(canvas);
      break;
    case Below::kVolume:
      paint_volume(canvas);
      break;
    case Below::kTrouble:
      draw_trouble(canvas, seen_);
      break;
    case Below::kCaption:
      captions_.draw(canvas, {kCaptionX, kCaptionY, kCaptionWidth, height}, kCaptionRows, kText,
                     drawn_at_);
      break;
    case Below::kProgress:
      draw_progress(canvas, seen_);
      break;
  }
}

void Ui::renew_join_code(const View& view) {
  if (join_network_ == view.setup_network.view() && join_key_ == view.setup_key.view()) return;
  join_network_ = view.setup_network;
  join_key_ = view.setup_key;
  // The device's own network always has a key. Without one it is not open yet.
  join_ = QrCode();
  if (!join_key_.empty()) (void)join_.encode(wifi_code_text(join_network_, join_key_));
}

void Ui::paint_volume(Canvas& canvas) const {
  const Phrases& phrases = phrases_of(seen_.language);
  const Text<40> text = filled<40>(phrases[Phrase::kVolumeFormat], {Number(volume_)});
  draw_centred(canvas, kScreenWidth / 2, kVolumeSlider.y - 8, text, FontSize::kSmall, kText);
  draw_slider(canvas, kVolumeSlider, volume_);
}

}  // namespace lobug
