#include "lobug/ui/self_test_page.h"

#include "lobug/face/fixed.h"
#include "lobug/face/palette.h"
#include "lobug/selftest/judgement.h"
#include "lobug/ui/captions.h"
#include "lobug/ui/pages.h"

namespace lobug {
namespace {

constexpr int kTextWidth = 304;
constexpr int kRows = 5;  // in each of two columns
constexpr int kFirstRowY = 50, kRowHeight = 21;
constexpr int kSentencesY = 160;
constexpr int kLastSentenceY = 187;
constexpr int kCloseY = 223;

Colour colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFine:
      return kAccent;
    case Verdict::kDoubtful:
      return kWarning;
    case Verdict::kBad:
      return kAlarm;
    case Verdict::kNotMeasured:
      return kFaint;
  }
  return kFaint;
}

/// Not by colour alone: a cross, a question mark's bar, or a full dot.
void draw_verdict(Canvas& canvas, int x, int y, Verdict verdict) {
  const Colour colour = colour_of(verdict);
  if (verdict == Verdict::kBad) {
    canvas.line(px(x - 5), px(y - 5), px(x + 5), px(y + 5), px(3), colour);
    canvas.line(px(x - 5), px(y + 5), px(x + 5), px(y - 5), px(3), colour);
    return;
  }
  canvas.fill_ellipse(px(x), px(y), px(6), px(6), colour);
  if (verdict == Verdict::kDoubtful) {
    canvas.fill_rect({static_cast<std::int16_t>(x - 1), static_cast<std::int16_t>(y - 4), 2, 5},
                     kNight);
    canvas.fill_rect({static_cast<std::int16_t>(x - 1), static_cast<std::int16_t>(y + 2), 2, 2},
                     kNight);
  }
  if (verdict == Verdict::kNotMeasured) canvas.fill_ellipse(px(x), px(y), px(4), px(4), kNight);
}

void draw_items(Canvas& canvas, const Findings& findings, const Phrases& phrases) {
  const int height = Canvas::line_height(FontSize::kSmall);
  for (int item = 0; item < kTestItemCount; ++item) {
    const int x = item < kRows ? 28 : 176;
    const int y = kFirstRowY + item % kRows * kRowHeight;
    const Verdict verdict = findings[static_cast<std::size_t>(item)].verdict;
    draw_verdict(canvas, x, y + height / 2, verdict);
    canvas.text(x + 16, y, phrases[label_of(static_cast<TestItem>(item))], FontSize::kSmall,
                verdict == Verdict::kFine ? kText : colour_of(verdict));
  }
}

/// What is wrong first, then what is doubtful, as far as there is room.
void draw_sentences(Canvas& canvas, const Findings& findings, const Phrases& phrases) {
  int y = kSentencesY;
  for (const Verdict verdict : {Verdict::kBad, Verdict::kDoubtful}) {
    for (const Finding& finding : findings) {
      if (finding.verdict != verdict || y > kLastSentenceY) continue;
      y = draw_paragraph(canvas, kCentre, y, kTextWidth, phrases[finding.sentence],
                         FontSize::kSmall, kFaint) +
          2;
    }
  }
  if (y == kSentencesY) {
    draw_paragraph(canvas, kCentre, y + 8, kTextWidth, phrases[Phrase::kTestAllFine],
                   FontSize::kLarge, kText);
  }
}

}  // namespace

void draw_self_test_page(Canvas& canvas, const SelfTestState& test, const Phrases& phrases) {
  using Phase = SelfTestState::Phase;
  draw_centred(canvas, kCentre, kStatusBarHeight + 2, phrases[Phrase::kTestTitle], FontSize::kLarge,
               kAccent);
  if (test.phase != Phase::kDone) {
    const std::string_view text = test.phase == Phase::kRunning   ? phrases[Phrase::kTestRunning]
                                  : test.phase == Phase::kRefused ? phrases[Phrase::kTestRefused]
                                                                  : phrases[Phrase::kTestStopped];
    draw_paragraph(canvas, kCentre, 110, kTextWidth, text, FontSize::kLarge, kText);
    return;
  }
  const Findings findings = judge(test.measured);
  draw_items(canvas, findings, phrases);
  draw_sentences(canvas, findings, phrases);
  draw_centred(canvas, kCentre, kCloseY, phrases[Phrase::kTestClose], FontSize::kSmall, kFaint);
}

}  // namespace lobug
