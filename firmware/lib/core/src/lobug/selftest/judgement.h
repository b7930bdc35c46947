// What the measurements of the self-test mean. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "lobug/language/phrase.h"
#include "lobug/selftest/measurements.h"

namespace lobug {

enum class Verdict : std::uint8_t { kNotMeasured, kFine, kDoubtful, kBad };

enum class TestItem : std::uint8_t {
  kPsram,
  kMicrophone,
  kSpeaker,
  kFrames,
  kTouch,
  kMotion,
  kBattery,
  kSignal,
  kMemory,
  kStacks,
};
constexpr std::uint8_t kTestItemCount = 10;

struct Finding {
  Verdict verdict = Verdict::kNotMeasured;
  Phrase sentence = Phrase::kNone;  ///< for the owner
};

/// By the item's place.
using Findings = std::array<Finding, kTestItemCount>;

Findings judge(const Measurements& measured);
/// The worst of them; kFine when nothing is worse.
Verdict worst_of(const Findings& findings);

/// For programs: "fine", "doubtful", "bad", "not_measured".
std::string_view name_of(Verdict verdict);
/// For programs: "psram", "microphone", ...
std::string_view name_of(TestItem item);
/// For people, short: a label on the screen.
Phrase label_of(TestItem item);

}  // namespace lobug
