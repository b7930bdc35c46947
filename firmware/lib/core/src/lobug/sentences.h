// What the device says in English alone: to whoever types on the serial console, in the log, to the
// chat model, and in the documentation of its settings.
//
// What the screen and the setup page show is in the tables of language/, one for each language. The
// device speaks of itself as "I". What snprintf fills in is an array of characters; everything else
// is a std::string_view. The names and descriptions of tools, and errors of the protocol, which no
// person reads, stand where they are written.
#pragma once

#include <string_view>

namespace lobug::sentences {

using Sentence = std::string_view;

// The command that approves a device, on the screen for pairing.
constexpr char kPairingCommandFormat[] = "lobug devices approve %s";

// Why a tool failed, for the chat model to tell.
constexpr Sentence kNoTimer = "No timer is running.";
constexpr Sentence kNoSuchTimer = "There is no timer with that label.";
constexpr Sentence kTimersInUse = "All timers are in use.";
constexpr Sentence kNoLight = "This device has no light.";
constexpr Sentence kNoBody = "This device has no body that moves.";
constexpr Sentence kBodyOff = "My head stays still to save power.";
constexpr Sentence kBodySilent = "The servos of my head don't answer.";
constexpr Sentence kNoSuchTool = "There is no such tool.";

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
constexpr Sentence kLanguageValues = "en, de or es";
constexpr Sentence kLanguageMeaning = "what the screen and the setup page speak";

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
constexpr Sentence kUpdateKey = "update_key";
constexpr Sentence kStorage = "nvs";
constexpr Sentence kStoragePlain = "plain";
constexpr Sentence kStorageEncrypted = "encrypted";
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
constexpr Sentence kUpdateKeyNotSaved = "key of updates not saved";
constexpr Sentence kSettingsNotSaved = "settings not saved";
constexpr Sentence kTimersNotSaved = "timers not saved";
constexpr Sentence kServosSilent = "the body's servos do not answer";
constexpr Sentence kUpdateWaits = "update waits for a timer";
constexpr Sentence kSwitchingOff = "battery empty: switching off";
constexpr Sentence kClockMoved = "clock set by a server whose dates could not be checked";
constexpr Sentence kRestartForMemory = "restart: out of memory";
constexpr Sentence kUpdateForeign = "update refused: not from my server";
constexpr Sentence kUpdateNotSigned = "update refused: not signed; USB takes it";
constexpr Sentence kUpdateWronglySigned = "update refused: not signed with the key that I keep";
constexpr Sentence kUpdateDone = "updated";
constexpr Sentence kUpdateCutOff = "update cut off";
constexpr Sentence kUpdateFaulty = "update failed";

// Why the device cannot start: on the screen, before it knows its language.
constexpr char kNoMemory[] = "Not enough memory.";
constexpr char kNoPsram[] = "No PSRAM: wrong board settings?";
constexpr char kNoStore[] = "I can't open my settings storage.";
constexpr char kNoTaskMemory[] = "Not enough memory for the tasks.";

}  // namespace lobug::sentences
