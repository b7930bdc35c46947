#include <doctest/doctest.h>

#include <array>
#include <string>

#include "lobug/face/canvas.h"
#include "lobug/face/font.h"
#include "lobug/language/phrases.h"
#include "lobug/language/wording.h"
#include "lobug/ui/captions.h"

namespace lobug {
namespace {

using P = Phrase;

/// Where phrases stand on the screen, by ranges of the catalogue: how wide, and in how many lines.
struct Place {
  Phrase first, last;
  FontSize size;
  int width;  ///< pixels; 0: on the setup page, which has room
  std::size_t lines;
  std::string_view value = "";  ///< the longest of the first {}
};
constexpr FontSize kSmall = FontSize::kSmall;
constexpr FontSize kLarge = FontSize::kLarge;
constexpr Place kPlaces[] = {
    {P::kNoWifi, P::kNoWifi, kSmall, 300, 2},
    {P::kWrongPassword, P::kWrongPassword, kSmall, 300, 1},  // above the code of the setup screen
    {P::kNoServer, P::kLowMemory, kSmall, 300, 2},
    {P::kRetryFormat, P::kRetryFormat, kSmall, 300, 1, "3600"},
    {P::kJoiningWifi, P::kConnecting, kSmall, 300, 1},
    {P::kMicrophoneOpen, P::kMicrophoneOpen, kSmall, 48, 1},
    {P::kMicrophoneFailed, P::kNotUnderstood, kLarge, 304, 2},
    {P::kTimeIsUp, P::kUnnamedTimer, kLarge, 304, 1},
    {P::kLateFormat, P::kLateFormat, kLarge, 160, 1, "60"},
    {P::kMissedTimersFormat, P::kMissedTimersFormat, kLarge, 304, 2, "Tea"},
    {P::kTapToStop, P::kTapToStop, kSmall, 304, 1},
    {P::kMoreTimersFormat, P::kMoreTimersFormat, kSmall, 118, 1, "7"},  // inside the ring
    {P::kBatteryLow, P::kClockWasWrong, kLarge, 304, 2},
    {P::kDateFormat, P::kDecember, kLarge, 304, 1},  // see the test of days
    {P::kUpdateUnsigned, P::kUpdateWrongSignature, kLarge, 304, 2},
    {P::kSetupTitle, P::kSetupTitle, kLarge, 300, 1},
    {P::kSetupJoin, P::kSetupJoin, kSmall, 300, 1},
    {P::kSetupScan, P::kSetupScan, kSmall, 152, 2},
    {P::kSetupKeyFormat, P::kSetupKeyFormat, kLarge, 152, 1, "12345678"},
    {P::kSetupOpen, P::kSetupOpen, kSmall, 152, 2},
    {P::kSetupChoose, P::kSetupChoose, kSmall, 300, 1},
    {P::kPairingTitle, P::kPairingTitle, kLarge, 300, 1},
    {P::kPairingWhere, P::kPairingWhere, kSmall, 300, 1},
    {P::kUpdateTitle, P::kUpdateTitle, kLarge, 300, 1},
    {P::kUpdateWait, P::kUpdateWait, kSmall, 300, 1},
    {P::kUpdatePercentFormat, P::kUpdatePercentFormat, kLarge, 300, 1, "100"},
    {P::kVolumeFormat, P::kVolumeFormat, kSmall, 240, 1, "100"},
    {P::kLevelFormat, P::kLevelFormat, kSmall, 94, 1},  // see the test of levels
    {P::kVolumeLabel, P::kBrightnessLabel, kSmall, 60, 1},
    {P::kTalkTap, P::kTalkWakeWord, kSmall, 184, 1},
    {P::kCaptionsOn, P::kCaptionsOff, kSmall, 100, 1},
    {P::kPairAgain, P::kResetSure, kSmall, 142, 1},
    {P::kLanguageFormat, P::kLanguageFormat, kSmall, 126, 1, "English"},
    {P::kClose, P::kClose, kSmall, 74, 1},
    {P::kHeadButton, P::kHeadButton, kSmall, 74, 1},
    {P::kHeadTitle, P::kHeadTitle, kLarge, 304, 1},
    {P::kHeadHelp, P::kHeadSilent, kSmall, 304, 1},
    {P::kHeadTurnFormat, P::kHeadTiltFormat, kSmall, 130, 1, "-30"},  // between the arrows
    {P::kVersionFormat, P::kVersionFormat, kSmall, 180, 1, "12.34.56"},
    {P::kTestButton, P::kTestButton, kSmall, 72, 1},
    {P::kTestTitle, P::kTestTitle, kLarge, 304, 1},
    {P::kTestRunning, P::kTestRunning, kLarge, 304, 3},
    {P::kTestClose, P::kTestClose, kSmall, 304, 1},
    {P::kTestAllFine, P::kTestRefused, kLarge, 304, 3},
    {P::kTestPsram, P::kTestStacks, kSmall, 124, 1},
    {P::kTestNoPsram, P::kTestStacksFine, kSmall, 304, 2},
    {P::kPageTitle, P::kSettingsNotWritten, kSmall, 0, 0},
};

const Place* place_of(Phrase phrase) {
  for (const Place& place : kPlaces) {
    if (phrase >= place.first && phrase <= place.last) return &place;
  }
  return nullptr;
}

bool has_glyph(const Font& font, std::uint32_t character) {
  for (const Glyph& glyph : font.glyphs) {
    if (glyph.code == character) return true;
  }
  return false;
}

template <typename Check>
void each_language(Check check) {
  for (std::uint8_t language = 0; language < kLanguageCount; ++language) {
    CAPTURE(std::string(code_of(static_cast<Language>(language))));
    check(static_cast<Language>(language));
  }
}

template <typename Check>
void each_phrase(Check check) {
  for (std::uint8_t number = 1; number < kPhraseCount; ++number) {
    CAPTURE(static_cast<int>(number));
    check(static_cast<Phrase>(number));
  }
}

TEST_CASE("every phrase fits where it stands") {
  each_language([](Language language) {
    each_phrase([&](Phrase phrase) {
      const Place* const place = place_of(phrase);
      REQUIRE(place != nullptr);
      if (place->width == 0) return;
      const std::string text(filled<200>(phrases_of(language)[phrase], {place->value}).view());
      CAPTURE(text);
      std::array<Line, 8> lines{};
      CHECK(wrap(text, place->size, place->width, {lines.data(), lines.size()}) <= place->lines);
      if (place->lines == 1) CHECK(Canvas::text_width(text, place->size) <= place->width);
    });
  });
}

TEST_CASE("every character of a phrase on the screen has a picture in both fonts") {
  each_language([](Language language) {
    each_phrase([&](Phrase phrase) {
      const std::string_view text = phrases_of(language)[phrase];
      CAPTURE(std::string(text));
      for (std::size_t at = 0; at < text.size();) {
        const std::uint32_t character = decode_utf8(text, at);
        CAPTURE(character);
        CHECK(has_glyph(kSmallFont, character));
        CHECK(has_glyph(kLargeFont, character));
      }
    });
    for (const char character : name_of(language).substr(0, 1)) CHECK(character != ' ');
  });
}

TEST_CASE("a phrase of the setup page means nothing to HTML") {
  each_language([](Language language) {
    each_phrase([&](Phrase phrase) {
      const std::string_view text = phrases_of(language)[phrase];
      CAPTURE(std::string(text));
      CHECK(text.find_first_of("<>&\"") == std::string_view::npos);
    });
  });
}

TEST_CASE("a label and its level fit beside the slider") {
  each_language([](Language language) {
    const Phrases& phrases = phrases_of(language);
    for (const Phrase label : {P::kVolumeLabel, P::kBrightnessLabel}) {
      const Text<40> text = filled<40>(phrases[P::kLevelFormat], {phrases[label], Number(100)});
      CAPTURE(std::string(text.view()));
      CHECK(Canvas::text_width(text, FontSize::kSmall) <= 94);
    }
  });
}

TEST_CASE("every day of the year fits below the clock") {
  each_language([](Language language) {
    for (std::uint8_t weekday = 0; weekday < 7; ++weekday) {
      for (std::uint8_t month = 1; month <= 12; ++month) {
        const Text<40> text = day_text(phrases_of(language), {weekday, 28, month});
        CAPTURE(std::string(text.view()));
        CHECK(Canvas::text_width(text, FontSize::kLarge) <= 304);
        CHECK(text.view().find("28") != std::string_view::npos);
      }
    }
  });
}

TEST_CASE("days as people write them") {
  CHECK(day_text(phrases_of(Language::kEnglish), {4, 26, 11}) == "Thursday, 26 November");
  CHECK(day_text(phrases_of(Language::kGerman), {6, 1, 3}) == "Samstag, 1. März");
  CHECK(day_text(phrases_of(Language::kSpanish), {0, 31, 12}) == "domingo, 31 de diciembre");
  CHECK(day_text(english(), {}).empty());
  CHECK(day_text(english(), {0, 1, 13}).empty());
  CHECK(day_text(english(), {7, 1, 1}).empty());
}

TEST_CASE("values are filled in one after the other, and what does not fit is cut off") {
  CHECK(filled<20>("{} of {}", {Number(3), "ten"}) == "3 of ten");
  CHECK(filled<20>("none", {"x"}) == "none");
  CHECK(filled<20>("{}{}{}", {"a", "b"}) == "ab");
  CHECK(filled<20>("{ }", {"a"}) == "{ }");
  CHECK(filled<4>("{}", {"abcdef"}) == "abcd");
  CHECK(filled<20>("{}", {"{}"}) == "{}");  // what is filled in is no format
  CHECK(Number(0) == std::string_view("0"));
  CHECK(Number(4294967295U) == std::string_view("4294967295"));
}

TEST_CASE("the compiler's checks of a table see what is missing, twice or without its values") {
  constexpr PhraseEntry two[] = {{P::kNoWifi, "a"}, {P::kNoWifi, "b"}};
  CHECK_FALSE(is_complete(two));
  CHECK(values_of("{} {}{") == 2);
  PhraseTexts texts{};
  PhraseTexts others{};
  CHECK(take_the_same(texts, others));
  texts[3] = "{}";
  CHECK_FALSE(take_the_same(texts, others));
}

}  // namespace
}  // namespace lobug
