// What the device says to a person on its screen and its setup page. The words stand in one table
// for each language: english.h, german.h, spanish.h.
//
// Where a phrase's name ends with "Format", its "{}" are filled in (wording.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lobug {

enum class Phrase : std::uint8_t {
  kNone,  // nothing to say: empty in every language

  // Troubles: on the screen and in `status`.
  kNoWifi,
  kWrongPassword,
  kNoServer,
  kServerGone,
  kUntrusted,
  kOutdated,
  kNoCa,
  kRefused,
  kServerFull,
  kReplaced,
  kUpdateFailed,
  kLowMemory,
  kRetryFormat,

  // On the screen while the device finds its server.
  kJoiningWifi,
  kFindingServer,
  kConnecting,

  // In a conversation.
  kMicrophoneOpen,  // in the status bar, 48 pixels
  kMicrophoneFailed,
  kNotUnderstood,

  // Timers that ring.
  kTimeIsUp,
  kUnnamedTimer,  // beside others that have names
  kLateFormat,
  kMissedTimersFormat,
  kTapToStop,
  kMoreTimersFormat,

  // Power and time.
  kBatteryLow,
  kBatteryEmpty,
  kClockWasWrong,
  kDateFormat,
  kSunday,
  kMonday,
  kTuesday,
  kWednesday,
  kThursday,
  kFriday,
  kSaturday,
  kJanuary,
  kFebruary,
  kMarch,
  kApril,
  kMay,
  kJune,
  kJuly,
  kAugust,
  kSeptember,
  kOctober,
  kNovember,
  kDecember,

  // Updates that are refused.
  kUpdateUnsigned,
  kUpdateWrongSignature,

  // The screen for setup.
  kSetupTitle,
  kSetupJoin,
  kSetupScan,
  kSetupKeyFormat,
  kSetupOpen,
  kSetupChoose,

  // The screen for pairing.
  kPairingTitle,
  kPairingWhere,

  // The screen of an update.
  kUpdateTitle,
  kUpdateWait,
  kUpdatePercentFormat,

  // The screen for settings.
  kVolumeFormat,
  kLevelFormat,
  kVolumeLabel,
  kBrightnessLabel,  // no room for "Brightness"
  kTalkTap,
  kTalkConversation,
  kTalkWakeWord,
  kCaptionsOn,
  kCaptionsOff,
  kPairAgain,
  kPairAgainSure,
  kReset,
  kResetSure,
  kLanguageFormat,  // name of the language, by itself
  kClose,
  kVersionFormat,

  // The self-test: the screen.
  kTestButton,
  kTestTitle,
  kTestRunning,
  kTestClose,
  kTestAllFine,
  kTestStopped,
  kTestRefused,
  kTestPsram,
  kTestMicrophone,
  kTestSpeaker,
  kTestFrames,
  kTestTouch,
  kTestMotion,
  kTestBattery,
  kTestSignal,
  kTestMemory,
  kTestStacks,

  // The self-test: what was found.
  kTestNoPsram,
  kTestPsramWrong,
  kTestPsramSmall,
  kTestPsramFull,
  kTestPsramFine,
  kTestMicrophoneDead,
  kTestMicrophoneLost,
  kTestMicrophoneLoud,
  kTestMicrophoneFaint,
  kTestMicrophoneChanged,
  kTestMicrophoneFine,
  kTestSpeakerFailed,
  kTestSwitchSlow,
  kTestSpeakerFine,
  kTestNoPictures,
  kTestFramesVeryFew,
  kTestFramesFew,
  kTestFramesFine,
  kTestNoTouch,
  kTestTouchFine,
  kTestNoMotion,
  kTestMotionZero,
  kTestMotionOff,
  kTestMotionFine,
  kTestNoBattery,
  kTestBatteryLow,
  kTestBatteryFine,
  kTestNoWifi,
  kTestNoSignal,
  kTestSignalVeryWeak,
  kTestSignalWeak,
  kTestSignalFine,
  kTestNoMemory,
  kTestMemoryLow,
  kTestMemoryWasLow,
  kTestMemoryTight,
  kTestMemoryFine,
  kTestNoStacks,
  kTestStackVeryLow,
  kTestStackLow,
  kTestStacksFine,

  // The setup page.
  kPageTitle,
  kPageHello,
  kPageLanguage,
  kPageWifi,
  kPageWifiHelp,
  kPagePassword,
  kPagePasswordNone,
  kPagePasswordSet,
  kPageServer,
  kPageServerHelp,
  kPageHttps,
  kPageCa,
  kPageCaNone,
  kPageCaSet,
  kPageCaForget,
  kPageTalk,
  kPageTalkTap,
  kPageTalkConversation,
  kPageTalkWakeWord,
  kPageCaptions,
  kPageCaptionsOn,
  kPageCaptionsOff,
  kPageClock,
  kPageDim,
  kPageOff,
  kPageOffUsb,
  kPageSeconds,
  kPageLight,
  kPageLightNone,
  kPageLightM5go,
  kPageVolume,
  kPageBrightness,
  kPageSave,
  kPageSavedTitle,
  kPageSaved,

  // Why a setting was refused: on the setup page and the serial console.
  kWifiNameMissing,
  kWifiNameTooLong,
  kWifiNameControl,
  kPasswordTooShort,
  kPasswordTooLong,
  kPasswordControl,
  kServerInvalid,
  kTalkModeInvalid,
  kVolumeInvalid,
  kBrightnessInvalid,
  kCaptionsInvalid,
  kClockInvalid,
  kDurationInvalid,
  kLightInvalid,
  kLanguageInvalid,
  kNoSuchSetting,
  kHttpsNeedsCa,
  kCaIsNeeded,
  kCaPrivateKey,
  kCaTooLong,
  kCaNotPem,
  kValueTooLong,
  kFormTooLong,
  kSettingsNotWritten,
  kCount
};
constexpr std::size_t kPhraseCount = static_cast<std::size_t>(Phrase::kCount);

}  // namespace lobug
