#include "lobug/ui/settings_page.h"

#include <array>
#include <cstdio>

#include "lobug/face/fixed.h"
#include "lobug/face/palette.h"
#include "lobug/sentences.h"
#include "lobug/ui/captions.h"
#include "lobug/ui/pages.h"

namespace lobug {
namespace {

// Rows of the page, one finger high.
constexpr std::int16_t kTrackX = 112;
constexpr std::int16_t kTrackWidth = 180;
constexpr Rect kVolumeTrack{kTrackX, 24, kTrackWidth, 34};
constexpr Rect kBrightnessTrack{kTrackX, 60, kTrackWidth, 34};
constexpr Rect kTalkButton{8, 98, 192, 32};
constexpr Rect kCaptionsButton{208, 98, 104, 32};
constexpr Rect kForgetButton{8, 136, 148, 32};
constexpr Rect kResetButton{164, 136, 148, 32};
constexpr std::int16_t kAboutY = 174;
constexpr Rect kCloseButton{232, 174, 80, 30};
/// Where there is a body.
constexpr Rect kHeadButton{144, 174, 80, 30};
constexpr Rect kTestButton{232, 208, 80, 28};

std::string_view name_of(TalkMode mode) {
  switch (mode) {
    case TalkMode::kTap:
      return sentences::kTalkTap;
    case TalkMode::kConversation:
      return sentences::kTalkConversation;
    case TalkMode::kWakeWord:
      return sentences::kTalkWakeWord;
  }
  return "";
}

void draw_row(Canvas& canvas, const Rect& track, std::string_view name, int percent) {
  const int height = Canvas::line_height(FontSize::kSmall);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), sentences::kLevelFormat, static_cast<int>(name.size()),
                name.data(), percent);
  canvas.text(8, track.y + (track.height - height) / 2, text.data(), FontSize::kSmall, kText);
  draw_slider(canvas, track, percent);
}

/// The mode that a tap changes to. Waiting for a wake word is offered where the server finds it.
TalkMode after(TalkMode mode, bool wake_word) {
  switch (mode) {
    case TalkMode::kTap:
      return TalkMode::kConversation;
    case TalkMode::kConversation:
      return wake_word ? TalkMode::kWakeWord : TalkMode::kTap;
    case TalkMode::kWakeWord:
      break;
  }
  return TalkMode::kTap;
}

std::uint8_t percent_at(std::int16_t x) {
  return static_cast<std::uint8_t>(clamped((x - kTrackX) * 100 / kTrackWidth, 0, 100));
}

}  // namespace

void SettingsPage::open() {
  sliding_ = slid_ = Row::kNone;
  asked_ = Question::kNone;
}

void SettingsPage::put(Input::Kind kind, std::int32_t value) {
  Input input;
  input.kind = kind;
  input.value = value;
  inputs_.push(input);
}

SettingsPage::Next SettingsPage::touch(const Gesture& gesture, const View& view, Millis now) {
  using Kind = Gesture::Kind;
  switch (gesture.kind) {
    case Kind::kPress:
      sliding_ = holds(kVolumeTrack, gesture.x, gesture.y)       ? Row::kVolume
                 : holds(kBrightnessTrack, gesture.x, gesture.y) ? Row::kBrightness
                                                                 : Row::kNone;
      slide(gesture, now);
      break;
    case Kind::kSlide:
      slide(gesture, now);
      break;
    case Kind::kTap:
    case Kind::kHoldEnd: {
      const bool slid = sliding_ != Row::kNone;
      sliding_ = Row::kNone;
      return slid ? Next::kSettings : tap(gesture, view, now);
    }
    case Kind::kSlideEnd:
      sliding_ = Row::kNone;
      break;
    default:
      break;
  }
  return Next::kSettings;
}

// Each step of a slider is heard and seen at once; the device writes it down when it rests.
void SettingsPage::slide(const Gesture& gesture, Millis now) {
  if (sliding_ == Row::kNone) return;
  std::uint8_t percent = percent_at(gesture.x);
  if (sliding_ == Row::kBrightness && percent < 5) percent = 5;  // a dark screen cannot be undone
  if (slid_ != sliding_ || slid_to_ != percent || !settle_.is_set()) {
    put(sliding_ == Row::kVolume ? Input::Kind::kVolume : Input::Kind::kBrightness, percent);
  }
  slid_ = sliding_;
  slid_to_ = percent;
  settle_.set(now, kSettleMs);
}

SettingsPage::Next SettingsPage::tap(const Gesture& gesture, const View& view, Millis now) {
  const std::int16_t x = gesture.from_x;
  const std::int16_t y = gesture.from_y;
  if (holds(kTalkButton, x, y)) {
    put(Input::Kind::kTalkMode, static_cast<int>(after(view.talk_mode, view.wake_word)));
  } else if (holds(kCaptionsButton, x, y)) {
    put(Input::Kind::kCaptions, view.captions ? 0 : 1);
  } else if (holds(kForgetButton, x, y)) {
    if (confirmed(Question::kForget, now)) put(Input::Kind::kForgetPairing, 0);
  } else if (holds(kResetButton, x, y)) {
    if (confirmed(Question::kReset, now)) put(Input::Kind::kReset, 0);
  } else if (holds(kTestButton, x, y)) {
    put(Input::Kind::kSelfTest, 0);
  } else if (view.body.kind != BodyKind::kNone && holds(kHeadButton, x, y)) {
    put(Input::Kind::kCalibrate, 1);
    return Next::kHead;
  } else if (holds(kCloseButton, x, y)) {
    return Next::kFace;
  } else {
    asked_ = Question::kNone;
  }
  return Next::kSettings;
}

bool SettingsPage::confirmed(Question question, Millis now) {
  const bool sure = asked_ == question && !confirm_until_.due(now);
  asked_ = sure ? Question::kNone : question;
  confirm_until_.set(now, kConfirmMs);
  return sure;
}

// The finger's own value while it is on its way to the device and back.
int SettingsPage::shown(Row row, std::uint8_t stored, Millis now) const {
  return slid_ == row && settle_.is_set() && !settle_.due(now) ? slid_to_ : stored;
}

void SettingsPage::draw(Canvas& canvas, const View& view, Millis now) {
  // Cleared, since a moment that is long past is in the future again after 25 days.
  if (settle_.due(now)) settle_.clear();
  if (confirm_until_.due(now)) asked_ = Question::kNone;
  draw_row(canvas, kVolumeTrack, sentences::kVolumeLabel, shown(Row::kVolume, view.volume, now));
  draw_row(canvas, kBrightnessTrack, sentences::kBrightnessLabel,
           shown(Row::kBrightness, view.brightness, now));
  draw_button(canvas, kTalkButton, name_of(view.talk_mode), kText);
  draw_button(canvas, kCaptionsButton,
              view.captions ? sentences::kCaptionsOn : sentences::kCaptionsOff, kText);
  const bool forget = asked_ == Question::kForget;
  const bool reset = asked_ == Question::kReset;
  draw_button(canvas, kForgetButton, forget ? sentences::kPairAgainSure : sentences::kPairAgain,
              forget ? kNight : kText, forget ? kWarning : kPanel);
  draw_button(canvas, kResetButton, reset ? sentences::kResetSure : sentences::kReset, kText,
              reset ? kAlarm : kPanel);
  draw_button(canvas, kCloseButton, sentences::kClose, kNight, kAccent);
  draw_button(canvas, kTestButton, sentences::kTestButton, kText);
  if (view.body.kind != BodyKind::kNone) {
    draw_button(canvas, kHeadButton, sentences::kHeadButton, kText);
  }
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), sentences::kVersionFormat, view.version.c_str());
  int y = kAboutY;
  const int height = Canvas::line_height(FontSize::kSmall);
  canvas.clip({8, kAboutY, 218, static_cast<std::int16_t>(3 * height)});
  canvas.text(8, y, text.data(), FontSize::kSmall, kFaint);
  canvas.text(8, y += height, view.address, FontSize::kSmall, kFaint);
  canvas.text(8, y + height, view.server_name, FontSize::kSmall, kFaint);
  canvas.unclip();
}

}  // namespace lobug
