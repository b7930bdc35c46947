// Every sentence that the device shows or prints: screen, setup page, serial console and log.
//
// The device speaks of itself as "I". What snprintf fills in is an array of characters; everything
// else is a std::string_view. The names and descriptions of tools, and errors of the protocol,
// which no person reads, stand where they are written.
#pragma once

#include <string_view>

namespace lobug::sentences {

using Sentence = std::string_view;

// Troubles: on the screen and in `status`. At most 60 characters.
constexpr Sentence kNoWifi = "I can't reach the Wi-Fi.";
constexpr Sentence kWrongPassword = "The Wi-Fi rejects my password.";
constexpr Sentence kNoServer = "I can't find a Lo-Bug server. Is it running?";
constexpr Sentence kServerGone = "I lost my server. I'll keep trying.";
constexpr Sentence kUntrusted = "I don't trust this server's certificate.";
constexpr Sentence kOutdated = "This server's certificate is out of date.";
constexpr Sentence kNoCa = "An https server needs a CA. Please set one.";
constexpr Sentence kRefused = "The server won't let me in.";
constexpr Sentence kServerFull = "The server has no room for me right now.";
constexpr Sentence kReplaced = "Another device is using my name. I'll wait.";
constexpr Sentence kUpdateFailed = "The update is faulty. I'm keeping my old version.";
constexpr Sentence kLowMemory = "I'm low on memory. Please restart me.";
constexpr char kRetryFormat[] = "Next try in %u s. Tap to try now.";

// On the screen while the device finds its server.
constexpr Sentence kJoiningWifi = "Joining the Wi-Fi ...";
constexpr Sentence kFindingServer = "Looking for my server ...";
constexpr Sentence kConnecting = "Saying hello to my server ...";

// In a conversation.
constexpr Sentence kMicrophoneOpen = "Mic on";  // in the status bar, 48 pixels
constexpr Sentence kMicrophoneFailed = "My microphone won't open.";
constexpr Sentence kNotUnderstood = "I didn't catch that.";

// Timers that ring.
constexpr Sentence kTimeIsUp = "Time's up!";
constexpr Sentence kUnnamedTimer = "a timer";  // beside others that have names
constexpr char kLateFormat[] = " (%u min late)";
constexpr char kMissedTimersFormat[] = "While I was off, this timer ended: %s";
constexpr Sentence kTapToStop = "Tap to stop";
constexpr char kMoreTimersFormat[] = "and %u more";

// Power and time.
constexpr Sentence kBatteryLow = "My battery is low. Please plug me in.";
constexpr Sentence kBatteryEmpty = "My battery is empty: I'm switching off. Timers are kept.";
constexpr Sentence kClockWasWrong = "My clock was wrong. I've set it by my server's.";
// The clock's date: weekday (Sunday first), day, month.
constexpr char kDateFormat[] = "%s, %u %s";
constexpr const char* kWeekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                     "Thursday", "Friday", "Saturday"};
constexpr const char* kMonths[] = {"January",   "February", "March",    "April",
                                   "May",       "June",     "July",     "August",
                                   "September", "October",  "November", "December"};

// Why a tool failed, for the chat model to tell.
constexpr Sentence kNoTimer = "No timer is running.";
constexpr Sentence kNoSuchTimer = "There is no timer with that label.";
constexpr Sentence kTimersInUse = "All timers are in use.";
constexpr Sentence kNoLight = "This device has no light.";
constexpr Sentence kNoBody = "This device has no body that moves.";
constexpr Sentence kBodyOff = "My head stays still to save power.";
constexpr Sentence kBodySilent = "The servos of my head don't answer.";
constexpr Sentence kNoSuchTool = "There is no such tool.";

// The screen for setup.
constexpr Sentence kSetupTitle = "Hello! Which Wi-Fi is yours?";
constexpr Sentence kSetupJoin = "1. On a phone or computer, join the network";
constexpr Sentence kSetupScan = "1. Scan this, or join the network";
constexpr char kSetupKeyFormat[] = "key %s";
constexpr Sentence kSetupOpen = "2. A page opens. If it doesn't, go to";
constexpr Sentence kSetupChoose = "3. Choose your Wi-Fi there. That's all.";

// The screen for pairing.
constexpr Sentence kPairingTitle = "May I come in?";
constexpr Sentence kPairingWhere = "On my server, type";
constexpr char kPairingCommandFormat[] = "lobug devices approve %s";

// The screen of an update.
constexpr Sentence kUpdateTitle = "I'm learning something new";
constexpr Sentence kUpdateWait = "Please leave me switched on.";
constexpr char kUpdatePercentFormat[] = "%d%%";

// The screen for settings.
constexpr char kVolumeFormat[] = "Volume %d%%";
constexpr char kLevelFormat[] = "%.*s %d%%";
constexpr Sentence kVolumeLabel = "Volume";
constexpr Sentence kBrightnessLabel = "Screen";  // no room for "Brightness"
constexpr Sentence kTalkTap = "Talk: tap";
constexpr Sentence kTalkConversation = "Talk: conversation";
constexpr Sentence kTalkWakeWord = "Talk: wake word";
constexpr Sentence kCaptionsOn = "Captions: on";
constexpr Sentence kCaptionsOff = "Captions: off";
constexpr Sentence kPairAgain = "Pair again";
constexpr Sentence kPairAgainSure = "Sure? Tap again";
constexpr Sentence kReset = "Reset";
constexpr Sentence kResetSure = "Erase all? Tap again";
constexpr Sentence kClose = "Close";
constexpr Sentence kHeadButton = "Head";
constexpr char kVersionFormat[] = "Version %s";

// The screen for calibrating the head.
constexpr Sentence kHeadTitle = "Am I looking straight ahead?";
constexpr Sentence kHeadHelp = "Tap an arrow until I do.";
constexpr char kHeadYawFormat[] = "turn %+d";
constexpr char kHeadPitchFormat[] = "tilt %+d";

// The self-test: the screen.
constexpr Sentence kTestButton = "Self-test";
constexpr Sentence kTestTitle = "How I'm doing";
constexpr Sentence kTestRunning = "I'm testing myself. You'll hear a beep.";
constexpr Sentence kTestClose = "Tap to close";
constexpr Sentence kTestAllFine = "All is well.";
constexpr Sentence kTestStopped = "I was interrupted. Please test me again.";
constexpr Sentence kTestRefused = "I can't test myself while we talk.";
constexpr Sentence kTestPsram = "PSRAM";
constexpr Sentence kTestMicrophone = "Microphone";
constexpr Sentence kTestSpeaker = "Speaker";
constexpr Sentence kTestFrames = "Pictures";
constexpr Sentence kTestTouch = "Touch";
constexpr Sentence kTestMotion = "Motion";
constexpr Sentence kTestBattery = "Battery";
constexpr Sentence kTestSignal = "Wi-Fi";
constexpr Sentence kTestMemory = "Memory";
constexpr Sentence kTestStacks = "Stacks";

// The self-test: what was found. At most 60 characters.
constexpr Sentence kTestNoPsram = "I find no PSRAM: wrong board settings?";
constexpr Sentence kTestPsramWrong = "My PSRAM forgets what I write to it.";
constexpr Sentence kTestPsramSmall = "My PSRAM is smaller than my board's should be.";
constexpr Sentence kTestPsramFull = "My PSRAM is full, so I couldn't test it.";
constexpr Sentence kTestPsramFine = "My PSRAM keeps what I write to it.";
constexpr Sentence kTestMicrophoneDead = "My microphone hears nothing, not even noise.";
constexpr Sentence kTestMicrophoneLost = "After the beep my microphone hears nothing.";
constexpr Sentence kTestMicrophoneLoud = "It's very loud. Please test me in a quiet room.";
constexpr Sentence kTestMicrophoneFaint = "My microphone hears almost nothing.";
constexpr Sentence kTestMicrophoneChanged = "After the beep my microphone hears differently.";
constexpr Sentence kTestMicrophoneFine = "My microphone hears, before and after the beep.";
constexpr Sentence kTestSpeakerFailed = "My speaker won't open.";
constexpr Sentence kTestSwitchSlow = "I'm slow to switch between microphone and speaker.";
constexpr Sentence kTestSpeakerFine = "I switch quickly between microphone and speaker.";
constexpr Sentence kTestNoPictures = "I have no screen to draw on.";
constexpr Sentence kTestFramesVeryFew = "I draw far too slowly.";
constexpr Sentence kTestFramesFew = "I draw slowly.";
constexpr Sentence kTestFramesFine = "I draw fast enough.";
constexpr Sentence kTestNoTouch = "I've felt no finger yet. Touch me and test again.";
constexpr Sentence kTestTouchFine = "I feel fingers on my screen.";
constexpr Sentence kTestNoMotion = "My motion sensor doesn't answer.";
constexpr Sentence kTestMotionZero = "My motion sensor feels no gravity.";
constexpr Sentence kTestMotionOff = "I'm being moved, or my motion sensor is off.";
constexpr Sentence kTestMotionFine = "I feel which way is down.";
constexpr Sentence kTestNoBattery = "My board doesn't tell me about its battery.";
constexpr Sentence kTestBatteryLow = "My battery is low. Please charge me.";
constexpr Sentence kTestBatteryFine = "My battery is fine.";
constexpr Sentence kTestNoWifi = "I'm not in a Wi-Fi.";
constexpr Sentence kTestNoSignal = "I haven't measured the Wi-Fi yet.";
constexpr Sentence kTestSignalVeryWeak = "The Wi-Fi is too weak here.";
constexpr Sentence kTestSignalWeak = "The Wi-Fi is weak here.";
constexpr Sentence kTestSignalFine = "The Wi-Fi is strong enough here.";
constexpr Sentence kTestNoMemory = "I can't measure my memory here.";
constexpr Sentence kTestMemoryLow = "I'm low on memory. Please restart me.";
constexpr Sentence kTestMemoryWasLow = "I was low on memory for a moment.";
constexpr Sentence kTestMemoryTight = "My memory is tight for an https server.";
constexpr Sentence kTestMemoryFine = "I have enough memory.";
constexpr Sentence kTestNoStacks = "I can't measure my stacks here.";
constexpr Sentence kTestStackVeryLow = "A stack is almost full, so I may crash.";
constexpr Sentence kTestStackLow = "A stack is rather full. Please tell my makers.";
constexpr Sentence kTestStacksFine = "My stacks have room.";

// The setup page.
constexpr Sentence kPageTitle = "Lo-Bug setup";
constexpr Sentence kPageHello = "Hello, I'm Lo-Bug";
constexpr Sentence kPageWifi = "Wi-Fi";
constexpr Sentence kPageWifiHelp =
    "2.4 GHz only. Choose a network, or type the name of a hidden one.";
constexpr Sentence kPagePassword = "Password";
constexpr Sentence kPagePasswordNone = "Leave it empty if the network has none.";
constexpr Sentence kPagePasswordSet =
    "A password is set. Leave this empty to keep it for the same Wi-Fi.";
constexpr Sentence kPageServer = "Lo-Bug server";
constexpr Sentence kPageServerHelp =
    "Leave it empty and I'll find the server, or type an address like http://192.168.1.5:8321.";
constexpr Sentence kPageHttps = "For an https server";
constexpr Sentence kPageCa = "CA certificate (PEM)";
constexpr Sentence kPageCaNone = "None is set. I refuse https without one.";
constexpr Sentence kPageCaSet = "One is set. Paste another to replace it.";
constexpr Sentence kPageCaForget = "Remove it";
constexpr Sentence kPageTalk = "Talk mode";
constexpr Sentence kPageTalkTap = "Tap, then say one thing";
constexpr Sentence kPageTalkConversation = "Conversation: I listen again after each answer";
constexpr Sentence kPageTalkWakeWord = "Wake word (needs a server that listens for it)";
constexpr Sentence kPageCaptions = "Captions on the screen";
constexpr Sentence kPageCaptionsOn = "Shown";
constexpr Sentence kPageCaptionsOff = "Not shown";
constexpr Sentence kPageClock = "Clock on the screen when I'm idle";
constexpr Sentence kPageDim = "Screen: darker after";
constexpr Sentence kPageOff = "Screen: off after, on battery";
constexpr Sentence kPageOffUsb = "Screen: off after, on USB power";
constexpr Sentence kPageSeconds = "Seconds from 10 to 86400, or never.";
constexpr Sentence kPageLight = "Lights";
constexpr Sentence kPageLightAuto = "Those that I find (StackChan)";
constexpr Sentence kPageLightNone = "None";
constexpr Sentence kPageLightM5go = "M5GO bottom";
constexpr Sentence kPageBody = "Body";
constexpr Sentence kPageBodyAuto = "StackChan's base, if I find it";
constexpr Sentence kPageBodyNone = "None";
constexpr Sentence kPageBodyPortA = "Hobby servos on port A";
constexpr Sentence kPageBodyPortC = "Hobby servos on port C";
constexpr Sentence kPageBodyM5Bus = "Hobby servos on the M5-Bus";
constexpr Sentence kPageBodyStackChan = "StackChan's base";
constexpr Sentence kPageYawOffset = "Head: degrees to the right";
constexpr Sentence kPagePitchOffset = "Head: degrees up";
constexpr Sentence kPageYawReversed = "Head: it turns the wrong way";
constexpr Sentence kPageNo = "No";
constexpr Sentence kPageYes = "Yes";
constexpr Sentence kPageVolume = "Volume";
constexpr Sentence kPageBrightness = "Brightness";
constexpr Sentence kPageSave = "Save";
constexpr Sentence kPageSavedTitle = "Saved";
constexpr Sentence kPageSaved =
    "I'm joining your Wi-Fi now, so this network will disappear. My screen shows how it goes.";

// Why a setting was refused: on the setup page and the serial console. At most 96 characters.
constexpr Sentence kWifiNameMissing = "The Wi-Fi needs a name.";
constexpr Sentence kWifiNameTooLong = "The Wi-Fi's name is too long: at most 32 characters.";
constexpr Sentence kWifiNameControl = "The Wi-Fi's name contains a control character.";
constexpr Sentence kPasswordTooShort = "A Wi-Fi password has at least 8 characters.";
constexpr Sentence kPasswordTooLong = "A Wi-Fi password has at most 63 characters.";
constexpr Sentence kPasswordControl = "The password contains a control character.";
constexpr Sentence kServerInvalid =
    "The server must be auto or an address like http://192.168.1.5:8321.";
constexpr Sentence kTalkModeInvalid = "talk_mode must be tap, conversation or wake_word.";
constexpr Sentence kVolumeInvalid = "The volume must be a number from 0 to 100.";
constexpr Sentence kBrightnessInvalid = "The brightness must be a number from 1 to 100.";
constexpr Sentence kCaptionsInvalid = "captions must be on or off.";
constexpr Sentence kClockInvalid = "clock must be on or off.";
constexpr Sentence kDurationInvalid = "A screen's time must be never or 10 to 86400 seconds.";
constexpr Sentence kLightInvalid = "light must be auto, none or m5go.";
constexpr Sentence kBodyInvalid = "body must be auto, none, port_a, port_c, m5bus or stackchan.";
constexpr Sentence kOffsetInvalid = "A head's offset must be a number from -30 to 30.";
constexpr Sentence kYawReversedInvalid = "yaw_reversed must be on or off.";
constexpr Sentence kNoSuchSetting = "There is no such setting.";
constexpr Sentence kHttpsNeedsCa = "An https server needs its CA: set the CA first.";
constexpr Sentence kCaIsNeeded = "The https server needs this CA: change the server first.";
constexpr Sentence kCaPrivateKey =
    "That contains a private key. Keep it secret: only the CA's certificate belongs here.";
constexpr Sentence kCaTooLong = "The CA is too long: at most 2,048 characters.";
constexpr Sentence kCaNotPem =
    "The CA must be PEM, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----.";
constexpr Sentence kValueTooLong = "A value is too long.";
constexpr Sentence kFormTooLong = "The form is too long.";
constexpr Sentence kSettingsNotWritten = "I couldn't save the settings.";

// What each setting may be and means: in `help` and README.md.
constexpr Sentence kWifiNameValues = "1 to 32 characters";
constexpr Sentence kWifiNameMeaning = "name (SSID) of the Wi-Fi, 2.4 GHz";
constexpr Sentence kWifiPasswordValues = "8 to 63 characters, or empty";
constexpr Sentence kWifiPasswordMeaning = "its password; empty for an open network";
constexpr Sentence kServerValues = "http://HOST:PORT, https://HOST:PORT or auto";
constexpr Sentence kServerMeaning = "the Lo-Bug server; auto: the device finds it (mDNS)";
constexpr Sentence kCaValues = "PEM or none";
constexpr Sentence kCaMeaning = "CA that issued an https server's certificate";
constexpr Sentence kTalkModeValues = "tap, conversation or wake_word";
constexpr Sentence kTalkModeMeaning = "how you talk with it";
constexpr Sentence kVolumeValues = "0 to 100";
constexpr Sentence kVolumeMeaning = "loudness, percent";
constexpr Sentence kBrightnessValues = "1 to 100";
constexpr Sentence kBrightnessMeaning = "of the screen, percent";
constexpr Sentence kCaptionsValues = "on or off";
constexpr Sentence kCaptionsMeaning = "whether the screen shows what is being said";
constexpr Sentence kClockMeaning = "whether the screen shows a clock when nobody talks";
constexpr Sentence kDurationValues = "10 to 86400, or never";
constexpr Sentence kDimMeaning = "seconds until the screen is darker when nobody talks";
constexpr Sentence kOffMeaning = "seconds until the screen is off, on battery";
constexpr Sentence kOffUsbMeaning = "the same while the device is powered";
constexpr Sentence kLightValues = "auto, none or m5go";
constexpr Sentence kLightMeaning =
    "lights that are attached: auto, those of StackChan's base; m5go, an M5GO bottom's ten";
constexpr Sentence kBodyValues = "auto, none, port_a, port_c, m5bus or stackchan";
constexpr Sentence kBodyMeaning =
    "servos that are attached: auto, those of StackChan's base; the others are hobby servos";
constexpr Sentence kOffsetValues = "-30 to 30";
constexpr Sentence kYawOffsetMeaning = "degrees to the right until the head looks straight ahead";
constexpr Sentence kPitchOffsetMeaning = "the same upwards";
constexpr Sentence kYawReversedMeaning = "whether the head turns the wrong way without it";

// The serial console: `help`, before and after the list of settings.
constexpr Sentence kHelp =
    "wifi NAME PASSWORD   join this Wi-Fi; put quotes around spaces: \"My Home\"\n"
    "server URL|auto      like http://192.168.1.5:8321; with auto I find it\n"
    "ca PEM|none          an https server's CA, on one line with \\n for line breaks\n"
    "set NAME VALUE       any setting; names and values:\n";
constexpr Sentence kHelpEnd =
    "show                 the settings, without secrets\n"
    "status               how I'm doing\n"
    "calibrate            look straight ahead for a minute; then set yaw_offset, pitch_offset\n"
    "selftest             measure microphone, speaker, memory ...; one line of JSON\n"
    "pair                 forget the pairing and ask for a new one\n"
    "restart\n"
    "reset yes            forget everything: Wi-Fi, server, pairing\n";

// The serial console: mistakes.
constexpr Sentence kLineTooLong =
    "That line is too long: at most 2,200 characters. Nothing was changed.";
constexpr Sentence kUnknownCommand = "I don't know that command. Type help.";
constexpr Sentence kUnknownArguments = "I don't understand what follows the command. Type help.";
constexpr Sentence kTooManyWords = "Too many words. Put quotes around spaces: \"My Home\"";
constexpr Sentence kQuoteOpen = "A closing quote is missing.";
constexpr Sentence kQuoteNoSpace = "A space is missing after a quote.";
constexpr Sentence kWifiUsage =
    "Type wifi NAME PASSWORD. Put quotes around spaces: wifi \"My Home\" \"pass word\"";
constexpr Sentence kCaUsage = "Type ca PEM, or ca none.";
constexpr Sentence kServerUsage = "Type server URL, or server auto.";
constexpr Sentence kSetUsage =
    "Type set NAME VALUE. Put quotes around spaces; an empty value is \"\".";

// The serial console: answers.
constexpr Sentence kSaved = "Saved.";
constexpr Sentence kSavedForLater = "Saved. It takes effect after a restart.";
constexpr Sentence kNotSaved = "I couldn't save that.";
constexpr Sentence kCalibrating =
    "I look straight ahead for a minute. Correct it with: set yaw_offset N, set pitch_offset N";
constexpr Sentence kBusy = "I'm busy. Please try again.";
constexpr Sentence kPairingForgotten =
    "I've forgotten my pairing. The screen will show a new code soon.";
constexpr Sentence kRestarting = "I'm restarting.";
constexpr Sentence kResetConfirm =
    "This forgets the Wi-Fi, the server and the pairing. To do it, type: reset yes";
constexpr Sentence kResetting = "I'm forgetting everything and starting over.";

// For programs on the serial line (Improv).
constexpr Sentence kFirmwareName = "Lo-Bug";

// The serial console: `show` and `status`.
constexpr Sentence kNone = "(none)";
constexpr Sentence kSet = "(set)";
constexpr Sentence kNobody = "(nobody)";
constexpr Sentence kPairedWith = "paired_with";
constexpr Sentence kState = "state";
constexpr Sentence kTrouble = "trouble";
constexpr Sentence kWifi = "wifi";
constexpr Sentence kWifiDown = "down";
constexpr Sentence kSetupNetwork = "setup";
constexpr Sentence kSetupPage = "setup page";
constexpr Sentence kServer = "server";
constexpr Sentence kNotConnected = "not connected";
constexpr Sentence kPairingCode = "pairing code";
constexpr Sentence kNextTry = "next try";
constexpr Sentence kBattery = "battery";
constexpr Sentence kPower = "power";
constexpr Sentence kTime = "time";
constexpr Sentence kBody = "body";
constexpr char kBodyFormat[] = "%.*s, yaw %d, pitch %d, %s";
constexpr char kBodyStrong[] = "servos on";
constexpr char kBodyLimp[] = "servos off";
constexpr char kBodyMute[] = "servos don't answer";
constexpr Sentence kPowered = ", powered";
constexpr Sentence kOnBattery = ", on battery";
constexpr Sentence kTimeUnknown = "not known";
constexpr Sentence kCharging = "%, charging";
constexpr Sentence kPercent = "%";
constexpr Sentence kVersion = "version";

// The serial log.
constexpr char kIllegalTransition[] = "illegal transition refused: %.*s to %.*s";
constexpr Sentence kTokenNotSaved = "token not saved";
constexpr Sentence kSettingsNotSaved = "settings not saved";
constexpr Sentence kTimersNotSaved = "timers not saved";
constexpr Sentence kServosSilent = "the body's servos do not answer";
constexpr Sentence kUpdateWaits = "update waits for a timer";
constexpr Sentence kSwitchingOff = "battery empty: switching off";
constexpr Sentence kClockMoved = "clock set by a server whose dates could not be checked";
constexpr Sentence kRestartForMemory = "restart: out of memory";
constexpr Sentence kUpdateForeign = "update refused: not from my server";
constexpr Sentence kUpdateDone = "updated";
constexpr Sentence kUpdateCutOff = "update cut off";
constexpr Sentence kUpdateFaulty = "update failed";

// Why the device cannot start: on the screen.
constexpr char kNoMemory[] = "Not enough memory.";
constexpr char kNoPsram[] = "No PSRAM: wrong board settings?";
constexpr char kNoStore[] = "I can't open my settings storage.";
constexpr char kNoTaskMemory[] = "Not enough memory for the tasks.";

}  // namespace lobug::sentences
