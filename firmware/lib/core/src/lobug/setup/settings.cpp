#include "lobug/setup/settings.h"

#include "lobug/language/wording.h"
#include "lobug/net/url.h"
#include "lobug/sentences.h"
#include "lobug/setup/ca_reader.h"

namespace lobug {
namespace {

constexpr SettingInfo kSettings[] = {
    {"wifi_name", sentences::kWifiNameValues, "", sentences::kWifiNameMeaning},
    {"wifi_password", sentences::kWifiPasswordValues, "", sentences::kWifiPasswordMeaning},
    {"server", sentences::kServerValues, "auto", sentences::kServerMeaning},
    {"ca", sentences::kCaValues, "none", sentences::kCaMeaning},
    {"talk_mode", sentences::kTalkModeValues, "tap", sentences::kTalkModeMeaning},
    {"volume", sentences::kVolumeValues, "70", sentences::kVolumeMeaning},
    {"brightness", sentences::kBrightnessValues, "70", sentences::kBrightnessMeaning},
    {"captions", sentences::kCaptionsValues, "on", sentences::kCaptionsMeaning},
    {"clock", sentences::kCaptionsValues, "on", sentences::kClockMeaning},
    {"dim_after", sentences::kDurationValues, "60", sentences::kDimMeaning},
    {"off_after", sentences::kDurationValues, "300", sentences::kOffMeaning},
    {"off_after_usb", sentences::kDurationValues, "never", sentences::kOffUsbMeaning},
    {"light", sentences::kLightValues, "auto", sentences::kLightMeaning},
    {"body", sentences::kBodyValues, "auto", sentences::kBodyMeaning},
    {"yaw_offset", sentences::kOffsetValues, "0", sentences::kYawOffsetMeaning},
    {"pitch_offset", sentences::kOffsetValues, "0", sentences::kPitchOffsetMeaning},
    {"yaw_reversed", sentences::kCaptionsValues, "off", sentences::kYawReversedMeaning},
    {"language", sentences::kLanguageValues, "en", sentences::kLanguageMeaning},
};

constexpr bool keys_fit() {
  for (const SettingInfo& setting : kSettings) {
    if (setting.name.empty() || setting.name.size() > 15) return false;
  }
  return true;
}
static_assert(keys_fit(), "NVS takes keys of 1 to 15 characters");

constexpr std::string_view kModes[] = {"tap", "conversation", "wake_word"};
constexpr std::string_view kLights[] = {"auto", "none", "m5go"};

bool has_control(std::string_view text) {
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (code < 0x20 || code == 0x7F) return true;
  }
  return false;
}

bool is_hex(std::string_view text) {
  for (const char c : text) {
    const bool good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!good) return false;
  }
  return true;
}

/// Decimal of 1 to 3 digits; -1 for anything else.
int percent_of(std::string_view text) {
  if (text.empty() || text.size() > 3) return -1;
  int number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    number = number * 10 + (c - '0');
  }
  return number <= 100 ? number : -1;
}

/// Seconds; 0 for "never"; -1 for anything else.
std::int32_t duration_of(std::string_view text) {
  constexpr std::int32_t kLeast = 10;
  constexpr std::int32_t kMost = 86400;
  if (text == "never") return 0;
  if (text.empty() || text.size() > 5) return -1;
  std::int32_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    number = number * 10 + (c - '0');
  }
  return number >= kLeast && number <= kMost ? number : -1;
}

constexpr int kNoOffset = 100;

/// Whole degrees of a head's offset; kNoOffset for anything else.
int offset_of(std::string_view text) {
  constexpr int kMost = kMostOffset / 10;
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.size() > 2) return kNoOffset;
  const int degrees = percent_of(text);
  if (degrees < 0 || degrees > kMost) return kNoOffset;
  return negative ? -degrees : degrees;
}

/// The setting of that name, in tenths of a degree; nullptr when it is no offset.
std::int16_t* offset_in(Calibration& calibration, std::string_view name) {
  if (name == "yaw_offset") return &calibration.offset.yaw;
  if (name == "pitch_offset") return &calibration.offset.pitch;
  return nullptr;
}

/// The setting of that name; nullptr when it is no duration.
std::uint32_t* duration_in(PowerSettings& power, std::string_view name) {
  if (name == "dim_after") return &power.dim_after_s;
  if (name == "off_after") return &power.off_after_s;
  if (name == "off_after_usb") return &power.off_after_usb_s;
  return nullptr;
}

/// 1: yes, 0: no, -1: neither.
int truth_of(std::string_view text) {
  if (text == "on" || text == "yes" || text == "true" || text == "1") return 1;
  if (text == "off" || text == "no" || text == "false" || text == "0") return 0;
  return -1;
}

/// The place of `text` among `names`; -1 when it is none of them.
int place_of(std::string_view text, Span<const std::string_view> names) {
  int place = 0;
  for (const std::string_view name : names) {
    if (text == name) return place;
    ++place;
  }
  return -1;
}

int mode_of(std::string_view text) { return place_of(text, kModes); }
int light_of(std::string_view text) { return place_of(text, kLights); }
int body_of(std::string_view text) { return place_of(text, kBodyNames); }
int language_of(std::string_view text) { return place_of(text, language_codes()); }

// What is set of a body.

bool is_of_body(std::string_view name) {
  Calibration calibration;
  return name == "body" || name == "yaw_reversed" || offset_in(calibration, name) != nullptr;
}

Phrase check_of_body(std::string_view name, std::string_view value) {
  if (name == "body") return body_of(value) >= 0 ? Phrase::kNone : Phrase::kBodyInvalid;
  if (name == "yaw_reversed") {
    return truth_of(value) >= 0 ? Phrase::kNone : Phrase::kYawReversedInvalid;
  }
  return offset_of(value) != kNoOffset ? Phrase::kNone : Phrase::kOffsetInvalid;
}

void assign_of_body(Settings& settings, std::string_view name, std::string_view value) {
  if (name == "body") {
    const int body = body_of(value);
    if (body >= 0) settings.body = static_cast<BodyKind>(body);
  } else if (name == "yaw_reversed") {
    settings.calibration.yaw_reversed = truth_of(value) == 1;
  } else if (std::int16_t* const offset = offset_in(settings.calibration, name)) {
    const int degrees = offset_of(value);
    if (degrees != kNoOffset) *offset = static_cast<std::int16_t>(degrees * 10);
  }
}

Text<160> text_of_body(const Settings& settings, std::string_view name) {
  if (name == "body") return name_of(settings.body);
  if (name == "yaw_reversed") {
    return std::string_view(settings.calibration.yaw_reversed ? "on" : "off");
  }
  Calibration calibration = settings.calibration;
  const std::int16_t* const offset = offset_in(calibration, name);
  if (offset == nullptr) return {};
  Text<160> text = *offset < 0 ? std::string_view("-") : std::string_view();
  text.append(Number(static_cast<std::uint32_t>((*offset < 0 ? -*offset : *offset) / 10)));
  return text;
}

bool is_automatic(std::string_view server) { return server.empty() || server == "auto"; }

/// The address in its canonical form, because a token is bound to that text: no
/// slash at the end, no default port. It may have a path, for a reverse proxy.
bool parse_server(std::string_view text, Text<160>& server) {
  Url url;
  if (!parse_url(text, url)) return false;
  if (text[0] != 'h' && text[0] != 'H') return false;  // ws, wss: a session's address
  std::string_view path = url.path;
  if (path.find('?') != std::string_view::npos) return false;
  // Owners of other firmware know a server by its discovery address.
  constexpr std::string_view kDiscovery = "/xiaozhi/ota";
  while (!path.empty()) {
    if (path.back() == '/') {
      path.remove_suffix(1);
    } else if (path.size() >= kDiscovery.size() &&
               path.substr(path.size() - kDiscovery.size()) == kDiscovery) {
      path.remove_suffix(kDiscovery.size());
    } else {
      break;
    }
  }
  server.assign(url.endpoint.tls ? "https://" : "http://");
  return server.append(host_of(url.endpoint)) && server.append(path);
}

Phrase check_wifi_name(std::string_view value) {
  if (value.empty()) return Phrase::kWifiNameMissing;
  if (value.size() > 32) return Phrase::kWifiNameTooLong;
  if (has_control(value)) return Phrase::kWifiNameControl;
  return Phrase::kNone;
}

Phrase check_wifi_password(std::string_view value) {
  if (value.empty() || (value.size() == 64 && is_hex(value))) return Phrase::kNone;
  if (value.size() < 8) return Phrase::kPasswordTooShort;
  if (value.size() > 63) return Phrase::kPasswordTooLong;
  if (has_control(value)) return Phrase::kPasswordControl;
  return Phrase::kNone;
}

Phrase check_server(std::string_view value) {
  Text<160> server;
  if (is_automatic(value) || parse_server(value, server)) return Phrase::kNone;
  return Phrase::kServerInvalid;
}

Phrase check_ca(std::string_view value) {
  if (value.empty() || value == "none") return Phrase::kNone;
  CaReader reader(nullptr);
  reader.add(value);
  return reader.finish();
}

}  // namespace

Span<const SettingInfo> describe_settings() { return kSettings; }

bool asks_for_tls(std::string_view server) {
  Text<160> address;
  return !is_automatic(server) && parse_server(server, address) &&
         address.view().substr(0, 8) == "https://";
}

Phrase check_setting(std::string_view name, std::string_view value) {
  if (name == "wifi_name") return check_wifi_name(value);
  if (name == "wifi_password") return check_wifi_password(value);
  if (name == "server") return check_server(value);
  if (name == "ca") return check_ca(value);
  if (name == "talk_mode") {
    return mode_of(value) >= 0 ? Phrase::kNone : Phrase::kTalkModeInvalid;
  }
  if (name == "volume") return percent_of(value) >= 0 ? Phrase::kNone : Phrase::kVolumeInvalid;
  if (name == "brightness") {
    return percent_of(value) >= 1 ? Phrase::kNone : Phrase::kBrightnessInvalid;
  }
  if (name == "captions") return truth_of(value) >= 0 ? Phrase::kNone : Phrase::kCaptionsInvalid;
  if (name == "clock") return truth_of(value) >= 0 ? Phrase::kNone : Phrase::kClockInvalid;
  PowerSettings power;
  if (duration_in(power, name) != nullptr) {
    return duration_of(value) >= 0 ? Phrase::kNone : Phrase::kDurationInvalid;
  }
  if (name == "light") return light_of(value) >= 0 ? Phrase::kNone : Phrase::kLightInvalid;
  if (is_of_body(name)) return check_of_body(name, value);
  if (name == "language") {
    return language_of(value) >= 0 ? Phrase::kNone : Phrase::kLanguageInvalid;
  }
  return Phrase::kNoSuchSetting;
}

void assign_setting(Settings& settings, std::string_view name, std::string_view value) {
  if (name == "wifi_name") {
    settings.wifi_name.assign(value);
  } else if (name == "wifi_password") {
    settings.wifi_password.assign(value);
  } else if (name == "server") {
    if (is_automatic(value) || !parse_server(value, settings.server)) settings.server.clear();
  } else if (name == "ca") {
    if (value.empty() || value == "none") {
      settings.ca.clear();
      return;
    }
    CaReader reader(&settings.ca);
    reader.add(value);
    reader.finish();
  } else if (name == "talk_mode") {
    const int mode = mode_of(value);
    if (mode >= 0) settings.talk_mode = static_cast<TalkMode>(mode);
  } else if (name == "volume") {
    settings.volume = static_cast<std::uint8_t>(percent_of(value));
  } else if (name == "brightness") {
    settings.brightness = static_cast<std::uint8_t>(percent_of(value));
  } else if (name == "captions") {
    settings.captions = truth_of(value) == 1;
  } else if (name == "clock") {
    settings.clock = truth_of(value) == 1;
  } else if (std::uint32_t* const seconds = duration_in(settings.power, name)) {
    const std::int32_t duration = duration_of(value);
    if (duration >= 0) *seconds = static_cast<std::uint32_t>(duration);
  } else if (name == "light") {
    const int light = light_of(value);
    if (light >= 0) settings.light = static_cast<LightKind>(light);
  } else if (is_of_body(name)) {
    assign_of_body(settings, name, value);
  } else if (name == "language") {
    const int language = language_of(value);
    if (language >= 0) settings.language = static_cast<Language>(language);
  }
}

Text<160> setting_text(const Settings& settings, std::string_view name) {
  if (name == "wifi_name") return settings.wifi_name.view();
  if (name == "wifi_password") return settings.wifi_password.view();
  if (name == "server") return settings.server.view();
  if (name == "talk_mode") return kModes[static_cast<std::size_t>(settings.talk_mode)];
  if (name == "volume") return Text<160>(Number(settings.volume));
  if (name == "brightness") return Text<160>(Number(settings.brightness));
  if (name == "captions") return std::string_view(settings.captions ? "on" : "off");
  if (name == "clock") return std::string_view(settings.clock ? "on" : "off");
  PowerSettings power = settings.power;
  if (const std::uint32_t* const seconds = duration_in(power, name)) {
    return *seconds == 0 ? Text<160>(std::string_view("never")) : Text<160>(Number(*seconds));
  }
  if (name == "light") return kLights[static_cast<std::size_t>(settings.light)];
  if (is_of_body(name)) return text_of_body(settings, name);
  if (name == "language") return code_of(settings.language);
  return {};
}

SettingResult set_setting(Settings& settings, std::string_view name, std::string_view value) {
  const Phrase error = check_setting(name, value);
  if (error != Phrase::kNone) return refused(error);
  if (name == "server" && settings.ca.empty() && asks_for_tls(value)) {
    return refused(Phrase::kHttpsNeedsCa);
  }
  if (name == "ca" && (value.empty() || value == "none") && asks_for_tls(settings.server)) {
    return refused(Phrase::kCaIsNeeded);
  }
  assign_setting(settings, name, value);
  return {true, Phrase::kNone};
}

Text<160> shown_setting(const Settings& settings, std::string_view name) {
  if (name == "wifi_password") return {};
  if (name == "server" && settings.server.empty()) return std::string_view("auto");
  return setting_text(settings, name);
}

}  // namespace lobug
