#include "lobug/selftest/judgement.h"

#include <algorithm>

#include "lobug/device/memory_watch.h"

namespace lobug {
namespace {

Finding fine(Phrase sentence) { return {Verdict::kFine, sentence}; }
Finding doubtful(Phrase sentence) { return {Verdict::kDoubtful, sentence}; }
Finding bad(Phrase sentence) { return {Verdict::kBad, sentence}; }
Finding not_measured(Phrase sentence) { return {Verdict::kNotMeasured, sentence}; }

// Both boards have more; sound and pictures take 644 KB of it.
constexpr std::uint32_t kLeastPsram = 2U * 1024U * 1024U;

Finding judge_psram(const PsramCheck& psram) {
  if (psram.size == 0) return bad(Phrase::kTestNoPsram);
  if (psram.wrong > 0) return bad(Phrase::kTestPsramWrong);
  if (psram.size < kLeastPsram) return doubtful(Phrase::kTestPsramSmall);
  if (psram.checked == 0) return doubtful(Phrase::kTestPsramFull);
  return fine(Phrase::kTestPsramFine);
}

// A quiet room with these microphones and M5's gain is at -70 to -50 dBFS.
constexpr std::int16_t kAlmostNothing = -85;
constexpr std::int16_t kVeryLoud = -20;
constexpr int kMostDifference = 20;  // dB: more is no noise of the room

Finding judge_microphone(const Measurements& m) {
  if (!m.before) return bad(Phrase::kMicrophoneFailed);
  if (m.before->dead) return bad(Phrase::kTestMicrophoneDead);
  if (!m.after || m.after->dead) return bad(Phrase::kTestMicrophoneLost);
  if (m.before->clipped || m.after->clipped || m.before->dbfs > kVeryLoud) {
    return doubtful(Phrase::kTestMicrophoneLoud);
  }
  if (m.before->dbfs < kAlmostNothing) return doubtful(Phrase::kTestMicrophoneFaint);
  const int difference = m.before->dbfs - m.after->dbfs;
  if (difference > kMostDifference || difference < -kMostDifference) {
    return doubtful(Phrase::kTestMicrophoneChanged);
  }
  return fine(Phrase::kTestMicrophoneFine);
}

// The microphone's last buffers are waited for (100 ms at most), then I2S is started anew.
constexpr std::uint16_t kSlowSwitch = 300;

Finding judge_speaker(const Measurements& m) {
  if (!m.to_speaker_ms) return bad(Phrase::kTestSpeakerFailed);
  if (*m.to_speaker_ms > kSlowSwitch || m.to_microphone_ms.value_or(0) > kSlowSwitch) {
    return doubtful(Phrase::kTestSwitchSlow);
  }
  return fine(Phrase::kTestSpeakerFine);
}

constexpr std::uint16_t kFewFrames = 15;  // 25 are drawn while the face moves
constexpr std::uint16_t kTooFewFrames = 8;

Finding judge_frames(const Measurements& m) {
  if (!m.frames_per_s) return not_measured(Phrase::kTestNoPictures);
  if (*m.frames_per_s < kTooFewFrames) return bad(Phrase::kTestFramesVeryFew);
  if (*m.frames_per_s < kFewFrames) return doubtful(Phrase::kTestFramesFew);
  return fine(Phrase::kTestFramesFine);
}

Finding judge_touch(const Measurements& m) {
  return m.touches == 0 ? doubtful(Phrase::kTestNoTouch) : fine(Phrase::kTestTouchFine);
}

constexpr std::int32_t kLeastGravity = 850, kMostGravity = 1150;  // thousandths of g, at rest

Finding judge_motion(const Measurements& m) {
  if (m.motion_readings == 0) return bad(Phrase::kTestNoMotion);
  if (m.gravity_mg == 0) return bad(Phrase::kTestMotionZero);
  if (m.gravity_mg < kLeastGravity || m.gravity_mg > kMostGravity) {
    return doubtful(Phrase::kTestMotionOff);
  }
  return fine(Phrase::kTestMotionFine);
}

constexpr std::uint8_t kLowBattery = 15;  // percent

Finding judge_battery(const Measurements& m) {
  if (!m.battery) return doubtful(Phrase::kTestNoBattery);
  if (*m.battery <= kLowBattery && !m.charging) return doubtful(Phrase::kTestBatteryLow);
  return fine(Phrase::kTestBatteryFine);
}

constexpr std::int8_t kWeakSignal = -70;  // dBm: speech begins to stutter in busy networks
constexpr std::int8_t kTooWeakSignal = -80;

Finding judge_signal(const Measurements& m) {
  if (!m.wifi) return doubtful(Phrase::kTestNoWifi);
  if (!m.wifi_dbm) return not_measured(Phrase::kTestNoSignal);
  if (*m.wifi_dbm < kTooWeakSignal) return bad(Phrase::kTestSignalVeryWeak);
  if (*m.wifi_dbm < kWeakSignal) return doubtful(Phrase::kTestSignalWeak);
  return fine(Phrase::kTestSignalFine);
}

// A TLS handshake needs about 40 KB in all, its largest buffer 17 KB in one piece.
constexpr std::uint32_t kRoomForTls = 45U * 1024U;
constexpr std::uint32_t kBlockForTls = 18U * 1024U;
constexpr std::uint32_t kSmallBlock = 8U * 1024U;

Finding judge_memory(const MemoryMarks& memory) {
  if (memory.free == 0) return not_measured(Phrase::kTestNoMemory);
  if (memory.free < MemoryWatch::kLow || memory.largest < kSmallBlock) {
    return bad(Phrase::kTestMemoryLow);
  }
  if (memory.least < MemoryWatch::kLow) return doubtful(Phrase::kTestMemoryWasLow);
  if (memory.free < kRoomForTls || memory.largest < kBlockForTls) {
    return doubtful(Phrase::kTestMemoryTight);
  }
  return fine(Phrase::kTestMemoryFine);
}

constexpr std::uint32_t kLowStack = 1024;  // bytes
constexpr std::uint32_t kTooLowStack = 512;

Finding judge_stacks(const StackMarks& stacks) {
  if (stacks.count == 0) return not_measured(Phrase::kTestNoStacks);
  std::uint32_t least = stacks.marks[0].least;
  for (std::size_t at = 1; at < stacks.count; ++at) {
    least = std::min(least, stacks.marks[at].least);
  }
  if (least < kTooLowStack) return bad(Phrase::kTestStackVeryLow);
  if (least < kLowStack) return doubtful(Phrase::kTestStackLow);
  return fine(Phrase::kTestStacksFine);
}

}  // namespace

Findings judge(const Measurements& measured) {
  return {judge_psram(measured.psram),  judge_microphone(measured), judge_speaker(measured),
          judge_frames(measured),       judge_touch(measured),      judge_motion(measured),
          judge_battery(measured),      judge_signal(measured),     judge_memory(measured.memory),
          judge_stacks(measured.stacks)};
}

Verdict worst_of(const Findings& findings) {
  Verdict worst = Verdict::kFine;
  for (const Finding& finding : findings) {
    worst = std::max(worst, finding.verdict);
  }
  return worst;
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNotMeasured:
      return "not_measured";
    case Verdict::kFine:
      return "fine";
    case Verdict::kDoubtful:
      return "doubtful";
    case Verdict::kBad:
      return "bad";
  }
  return "";
}

std::string_view name_of(TestItem item) {
  switch (item) {
    case TestItem::kPsram:
      return "psram";
    case TestItem::kMicrophone:
      return "microphone";
    case TestItem::kSpeaker:
      return "speaker";
    case TestItem::kFrames:
      return "frames";
    case TestItem::kTouch:
      return "touch";
    case TestItem::kMotion:
      return "motion";
    case TestItem::kBattery:
      return "battery";
    case TestItem::kSignal:
      return "signal";
    case TestItem::kMemory:
      return "memory";
    case TestItem::kStacks:
      return "stacks";
  }
  return "";
}

Phrase label_of(TestItem item) {
  switch (item) {
    case TestItem::kPsram:
      return Phrase::kTestPsram;
    case TestItem::kMicrophone:
      return Phrase::kTestMicrophone;
    case TestItem::kSpeaker:
      return Phrase::kTestSpeaker;
    case TestItem::kFrames:
      return Phrase::kTestFrames;
    case TestItem::kTouch:
      return Phrase::kTestTouch;
    case TestItem::kMotion:
      return Phrase::kTestMotion;
    case TestItem::kBattery:
      return Phrase::kTestBattery;
    case TestItem::kSignal:
      return Phrase::kTestSignal;
    case TestItem::kMemory:
      return Phrase::kTestMemory;
    case TestItem::kStacks:
      return Phrase::kTestStacks;
  }
  return Phrase::kNone;
}

}  // namespace lobug
