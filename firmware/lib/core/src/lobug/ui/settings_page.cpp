#include "lobug/ui/settings_page.h"

#include "lobug/face/fixed.h"
#include "lobug/face/palette.h"
#include "lobug/language/wording.h"
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
constexpr Rect kLanguageButton{8, 174, 132, 30};
constexpr Rect kTestButton{148, 174, 76, 30};
constexpr Rect kCloseButton{232, 174, 80, 30};
constexpr std::int16_t kAboutY = 207;
/// Where there is a body.
constexpr Rect kHeadButton{232, 207, 80, 30};

Phrase label_of(TalkMode mode) {
  switch (mode) {
    case TalkMode::kTap:
      return Phrase::kTalkTap;
    case TalkMode::kConversation:
      return Phrase::kTalkConversation;
    case TalkMode::kWakeWord:
      return Phrase::kTalkWakeWord;
  }
  return Phrase::kNone;
}

void draw_row(Canvas& canvas, const Rect& track, const Phrases& phrases, Phrase name, int percent) {
  const int height = Canvas::line_height(FontSize::kSmall);
  const Text<40> text = filled<40>(phrases[Phrase::kLevelFormat],
                                   {phrases[name], Number(static_cast<std::uint32_t>(percent))});
  canvas.text(8, track.y + (track.height - height) / 2, text, FontSize::kSmall, kText);
  draw_slider(canvas, track, percent);
}

/// Version, address and server, in two lines.
void draw_about(Canvas& canvas, const View& view) {
  constexpr std::int16_t kX = 8;
  const std::int16_t width_left = view.body.kind == BodyKind::kNone ? 304 : 216;
  const Phrases& phrases = phrases_of(view.language);
  const int height = Canvas::line_height(FontSize::kSmall);
  canvas.clip({kX, kAboutY, width_left, static_cast<std::int16_t>(2 * height)});
  canvas.text(kX, kAboutY, filled<80>(phrases[Phrase::kVersionFormat], {view.version}),
              FontSize::kSmall, kFaint);
  const int width = Canvas::text_width(view.address, FontSize::kSmall);
  canvas.text(kX + width_left - width, kAboutY, view.address, FontSize::kSmall, kFaint);
  canvas.text(kX, kAboutY + height, view.server_name, FontSize::kSmall, kFaint);
  canvas.unclip();
}

/// The language that a tap changes to.
Language after(Language language) {
  return static_cast<Language>((static_cast<unsigned>(language) + 1U) % kLanguageCount);
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
  } else if (holds(kLanguageButton, x, y)) {
    put(Input::Kind::kLanguage, static_cast<int>(after(view.language)));
  } else if (holds(kTestButton, x, y)) {
    put(Input::Kind::kSelfTest, 0);
  } else if (view.body.kind != BodyKind::kNone && holds(kHeadButton, x, y)) {
    put(Input::Kind::kCalibrate, 1);
    return Next::kCalibrate;
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
  const Phrases& phrases = phrases_of(view.language);
  draw_row(canvas, kVolumeTrack, phrases, Phrase::kVolumeLabel,
           shown(Row::kVolume, view.volume, now));
  draw_row(canvas, kBrightnessTrack, phrases, Phrase::kBrightnessLabel,
           shown(Row::kBrightness, view.brightness, now));
  draw_button(canvas, kTalkButton, phrases[label_of(view.talk_mode)], kText);
  draw_button(canvas, kCaptionsButton,
              view.captions ? phrases[Phrase::kCaptionsOn] : phrases[Phrase::kCaptionsOff], kText);
  const bool forget = asked_ == Question::kForget;
  const bool reset = asked_ == Question::kReset;
  draw_button(canvas, kForgetButton,
              forget ? phrases[Phrase::kPairAgainSure] : phrases[Phrase::kPairAgain],
              forget ? kNight : kText, forget ? kWarning : kPanel);
  draw_button(canvas, kResetButton, reset ? phrases[Phrase::kResetSure] : phrases[Phrase::kReset],
              kText, reset ? kAlarm : kPanel);
  draw_button(canvas, kCloseButton, phrases[Phrase::kClose], kNight, kAccent);
  draw_button(canvas, kTestButton, phrases[Phrase::kTestButton], kText);
  draw_button(canvas, kLanguageButton,
              filled<40>(phrases[Phrase::kLanguageFormat], {name_of(view.language)}), kText);
  if (view.body.kind != BodyKind::kNone) {
    draw_button(canvas, kHeadButton, phrases[Phrase::kHeadButton], kText);
  }
  draw_about(canvas, view);
}

}  // namespace lobug
