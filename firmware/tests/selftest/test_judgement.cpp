#include <doctest/doctest.h>

#include <string>

#include "lobug/json/reader.h"
#include "lobug/language/phrases.h"
#include "lobug/selftest/judgement.h"
#include "lobug/selftest/result_line.h"

using namespace lobug;

namespace {

/// A device on a desk in a quiet room.
Measurements healthy() {
  Measurements m;
  m.psram = {4U << 20U, 131072, 0};
  m.before = HeardLevel{-58, false, false};
  m.after = HeardLevel{-60, false, false};
  m.to_speaker_ms = 60;
  m.to_microphone_ms = 70;
  m.frames_per_s = 24;
  m.touches = 3;
  m.motion_readings = 250;
  m.gravity_mg = 1004;
  m.battery = std::uint8_t{76};
  m.wifi = true;
  m.wifi_dbm = std::int8_t{-55};
  m.memory = {81234, 40960, 61234};
  (void)m.stacks.add("audio", 1800);
  (void)m.stacks.add("device", 3000);
  return m;
}

Finding finding(const Measurements& m, TestItem item) {
  return judge(m)[static_cast<std::size_t>(item)];
}

Verdict verdict(const Measurements& m, TestItem item) { return finding(m, item).verdict; }

}  // namespace

TEST_CASE("a healthy device is fine in everything") {
  const Findings findings = judge(healthy());
  for (std::uint8_t place = 0; place < kTestItemCount; ++place) {
    CAPTURE(std::string(name_of(static_cast<TestItem>(place))));
    CHECK(findings[place].verdict == Verdict::kFine);
    CHECK(findings[place].sentence != Phrase::kNone);
  }
  CHECK(worst_of(findings) == Verdict::kFine);
}

TEST_CASE("nothing was measured: nothing is called fine") {
  const Findings findings = judge(Measurements());
  for (const Finding& found : findings) {
    CHECK(found.verdict != Verdict::kFine);
    CHECK(found.sentence != Phrase::kNone);
  }
}

TEST_CASE("the worst counts") {
  Measurements m = healthy();
  m.battery = std::uint8_t{10};
  CHECK(worst_of(judge(m)) == Verdict::kDoubtful);
  m.psram.size = 0;
  CHECK(worst_of(judge(m)) == Verdict::kBad);
  m = healthy();
  m.frames_per_s.reset();
  CHECK(worst_of(judge(m)) == Verdict::kFine);
}

TEST_CASE("PSRAM: missing or forgetful is bad, small or full is doubtful") {
  Measurements m = healthy();
  m.psram.wrong = 4;
  CHECK(verdict(m, TestItem::kPsram) == Verdict::kBad);
  m.psram = {1U << 20U, 131072, 0};
  CHECK(verdict(m, TestItem::kPsram) == Verdict::kDoubtful);
  m.psram = {4U << 20U, 0, 0};
  CHECK(verdict(m, TestItem::kPsram) == Verdict::kDoubtful);
  m.psram = {0, 0, 0};
  CHECK(finding(m, TestItem::kPsram).sentence == Phrase::kTestNoPsram);
}

TEST_CASE("the microphone has to hear before the beep and after it") {
  Measurements m = healthy();
  m.before.reset();
  CHECK(finding(m, TestItem::kMicrophone).sentence == Phrase::kMicrophoneFailed);
  m = healthy();
  m.before->dead = true;
  CHECK(finding(m, TestItem::kMicrophone).sentence == Phrase::kTestMicrophoneDead);
  m = healthy();
  m.after->dead = true;
  CHECK(finding(m, TestItem::kMicrophone).sentence == Phrase::kTestMicrophoneLost);
  m.after.reset();
  CHECK(finding(m, TestItem::kMicrophone).sentence == Phrase::kTestMicrophoneLost);
  m = healthy();
  m.after->dbfs = -90;
  CHECK(finding(m, TestItem::kMicrophone).sentence == Phrase::kTestMicrophoneChanged);
  m.before->dbfs = m.after->dbfs = -90;
  CHECK(finding(m, TestItem::kMicrophone).sentence == Phrase::kTestMicrophoneFaint);
  m.before->dbfs = m.after->dbfs = -10;
  CHECK(finding(m, TestItem::kMicrophone).sentence == Phrase::kTestMicrophoneLoud);
  m = healthy();
  m.after->clipped = true;
  CHECK(verdict(m, TestItem::kMicrophone) == Verdict::kDoubtful);
}

TEST_CASE("the switch to the speaker") {
  Measurements m = healthy();
  m.to_speaker_ms = 301;
  CHECK(verdict(m, TestItem::kSpeaker) == Verdict::kDoubtful);
  m.to_speaker_ms = 300;
  CHECK(verdict(m, TestItem::kSpeaker) == Verdict::kFine);
  m.to_microphone_ms = 301;
  CHECK(verdict(m, TestItem::kSpeaker) == Verdict::kDoubtful);
  m.to_speaker_ms.reset();
  CHECK(verdict(m, TestItem::kSpeaker) == Verdict::kBad);
}

TEST_CASE("limits of the rest") {
  Measurements m = healthy();
  m.frames_per_s = 14;
  CHECK(verdict(m, TestItem::kFrames) == Verdict::kDoubtful);
  m.frames_per_s = 7;
  CHECK(verdict(m, TestItem::kFrames) == Verdict::kBad);
  m.touches = 0;
  CHECK(verdict(m, TestItem::kTouch) == Verdict::kDoubtful);
  m.gravity_mg = 1200;
  CHECK(verdict(m, TestItem::kMotion) == Verdict::kDoubtful);
  m.gravity_mg = 0;
  CHECK(verdict(m, TestItem::kMotion) == Verdict::kBad);
  m.motion_readings = 0;
  CHECK(finding(m, TestItem::kMotion).sentence == Phrase::kTestNoMotion);
  m.battery = std::uint8_t{15};
  CHECK(verdict(m, TestItem::kBattery) == Verdict::kDoubtful);
  m.charging = true;
  CHECK(verdict(m, TestItem::kBattery) == Verdict::kFine);
  m.wifi_dbm = std::int8_t{-71};
  CHECK(verdict(m, TestItem::kSignal) == Verdict::kDoubtful);
  m.wifi_dbm = std::int8_t{-81};
  CHECK(verdict(m, TestItem::kSignal) == Verdict::kBad);
  m.wifi_dbm.reset();
  CHECK(verdict(m, TestItem::kSignal) == Verdict::kNotMeasured);
  m.wifi = false;
  CHECK(verdict(m, TestItem::kSignal) == Verdict::kDoubtful);
  m.memory = {44000, 40960, 40000};
  CHECK(finding(m, TestItem::kMemory).sentence == Phrase::kTestMemoryTight);
  m.memory = {81234, 40960, 16000};
  CHECK(finding(m, TestItem::kMemory).sentence == Phrase::kTestMemoryWasLow);
  m.memory = {81234, 8000, 61234};
  CHECK(verdict(m, TestItem::kMemory) == Verdict::kBad);
  m.stacks.marks[1].least = 1023;
  CHECK(verdict(m, TestItem::kStacks) == Verdict::kDoubtful);
  m.stacks.marks[0].least = 511;
  CHECK(verdict(m, TestItem::kStacks) == Verdict::kBad);
}

TEST_CASE("the result is one line of JSON with all that was measured") {
  std::string buffer(1000, '#');
  const auto line = [&buffer](const Measurements& m) {
    return std::string(buffer.data(),
                       write_result_line({buffer.data(), buffer.size()}, m, "2.1.0"));
  };
  CHECK(line(healthy()) == R"({"selftest":"fine","version":"2.1.0","nvs":"plain",)"
                           R"("psram":{"is":"fine","bytes":4194304,"wrong":0},)"
                           R"("microphone":{"is":"fine","before_dbfs":-58,"after_dbfs":-60},)"
                           R"("speaker":{"is":"fine","to_speaker_ms":60,"to_microphone_ms":70},)"
                           R"("frames":{"is":"fine","per_s":24},"touch":{"is":"fine","touches":3},)"
                           R"("motion":{"is":"fine","readings":250,"mg":1004},)"
                           R"("battery":{"is":"fine","percent":76,"charging":false},)"
                           R"("signal":{"is":"fine","dbm":-55},)"
                           R"("memory":{"is":"fine","free":81234,"largest":40960,"least":61234},)"
                           R"("stacks":{"is":"fine","audio":1800,"device":3000}})");
  const std::string nothing = line(Measurements());
  CHECK(json::parse(nothing).member("selftest").is("bad"));
  CHECK(json::parse(nothing).member("microphone").member("is").is("bad"));
  // The longest there can be, in the room that the serial console has for it.
  Measurements most = healthy();
  most.psram = {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF};
  most.to_speaker_ms = most.to_microphone_ms = most.frames_per_s = 0xFFFF;
  most.touches = most.motion_readings = 0xFFFFFFFF;
  most.gravity_mg = 2147483647;
  most.memory = {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF};
  most.stacks = StackMarks();
  while (most.stacks.add("abcdefghijkl", 0xFFFFFFFF)) continue;
  most.store_encrypted = true;
  CHECK(json::parse(line(most)).member("nvs").is("encrypted"));
}
