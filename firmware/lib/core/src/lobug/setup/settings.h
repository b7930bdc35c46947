// What the owner has set, and what the server has given: kept in a Store.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/base/text.h"
#include "lobug/body/attitude.h"
#include "lobug/device/power.h"
#include "lobug/language/phrases.h"
#include "lobug/ports/store.h"

namespace lobug {

/// How the owner starts to talk.
enum class TalkMode : std::uint8_t {
  kTap,           ///< a tap opens the microphone for one utterance; the server finds its end
  kConversation,  ///< as kTap, and it listens again after each reply
  kWakeWord,      ///< the server finds the wake word in a low-rate stream
};
// Holding the screen or the button is push to talk in every mode.

/// The lights that are attached to the device: a board finds StackChan's by itself, an M5GO
/// bottom's it cannot.
enum class LightKind : std::uint8_t {
  kAuto,  ///< those that the board has found
  kNone,
  kM5go,  ///< the ten of an M5GO bottom
};

struct Settings {
  Text<32> wifi_name;
  Text<64> wifi_password;
  /// "http://192.168.1.5:8321" or "https://..."; empty: found by mDNS.
  Text<160> server;
  /// PEM of the CA that the server's certificate must be of; https needs it.
  Text<2048> ca;
  TalkMode talk_mode = TalkMode::kTap;
  std::uint8_t volume = 70;      ///< 0 to 100
  std::uint8_t brightness = 70;  ///< 1 to 100
  bool captions = true;
  bool clock = true;  ///< on the screen, when nobody talks
  PowerSettings power;
  LightKind light = LightKind::kAuto;
  BodyKind body = BodyKind::kAuto;
  Calibration calibration;
  Language language = Language::kEnglish;  ///< of the screen and the setup page
  /// Made once, at the first start: a UUID.
  Text<36> client_id;
  /// The device's own token and the server that gave it; sent to no other.
  Text<128> token;
  Text<160> token_server;
  /// The key that signs updates, 64 hexadecimal digits, and the server that told it.
  Text<64> update_key;
  Text<160> update_key_server;
};

/// Read all that is stored; what is missing or invalid has its default. An https server stays even
/// if its CA is missing, so that nothing falls back to an unprotected one.
Settings load_settings(Store& store);
/// The same into existing settings: a `Settings` is too large for a small stack.
void load_settings(Store& store, Settings& settings);
/// Writes the changed settings; false when something could not be written. Whatever
/// fails or loses power in between: no token is ever stored beside another server's name, and no
/// CA that is half an old one.
bool save_settings(Store& store, const Settings& settings);
/// As `save_settings`, of one setting alone (a name of `describe_settings`), so that nothing that
/// another thread stored meanwhile is overwritten.
bool save_setting(Store& store, const Settings& settings, std::string_view name);
/// The same for client id, token and key of updates, which the owner does not set.
bool save_identity(Store& store, const Settings& settings);

/// What the owner can set, for the pages, the help and the documentation.
struct SettingInfo {
  std::string_view name;      ///< also its key in the store
  std::string_view values;    ///< what it can be
  std::string_view standard;  ///< its value on a new device, as `set_setting` takes it
  std::string_view meaning;
};
Span<const SettingInfo> describe_settings();

/// An error is a sentence for the owner.
struct SettingResult {
  bool ok = false;
  Phrase error = Phrase::kNone;
};
constexpr SettingResult refused(Phrase error) { return {false, error}; }
/// Sets one setting from text, as the portal's form and the serial commands do. Names are those of
/// `describe_settings`. After an error nothing has changed.
SettingResult set_setting(Settings& settings, std::string_view name, std::string_view value);
/// A setting as text; empty for the password and the CA, which are not shown.
Text<160> shown_setting(const Settings& settings, std::string_view name);

// What each setting may be: shared by the store, the form and the serial commands.

/// The longest value of a setting that is not the CA, characters as they are typed.
constexpr std::size_t kLongestValue = 200;

/// Checks the value by itself: kNone when it is valid, else a sentence for the owner.
Phrase check_setting(std::string_view name, std::string_view value);
/// Assigns a value that `check_setting` accepted.
void assign_setting(Settings& settings, std::string_view name, std::string_view value);
/// As it is stored and as `assign_setting` takes it, the password too; not for the CA.
Text<160> setting_text(const Settings& settings, std::string_view name);
/// Whether a value of "server" asks for TLS.
bool asks_for_tls(std::string_view server);

}  // namespace lobug
