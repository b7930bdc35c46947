#include "wifi_keeper.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace lobug {
namespace {

constexpr Millis kSignalMs = 5000;
constexpr Millis kJoinMs = 20000;
constexpr Millis kScanMs = 20000;
constexpr Millis kGuestMs = 60000;     // between two reports of a guest
constexpr Millis kGuestLookMs = 5000;  // a guest who comes as setup is about to end is still seen
constexpr Millis kFarewellMs = 3000;   // the browser still gets its last page
constexpr std::uint8_t kPortalAddress[4] = {192, 168, 4, 1};

bool is_password_trouble(std::uint8_t reason) {
  return reason == WIFI_REASON_AUTH_FAIL || reason == WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT ||
         reason == WIFI_REASON_HANDSHAKE_TIMEOUT || reason == WIFI_REASON_MIC_FAILURE;
}

}  // namespace

WifiKeeper::WifiKeeper(Store& store, Random& random, Queue<Input, 16>& inputs)
    : store_(store), random_(random), inputs_(inputs), portal_(store) {}

void WifiKeeper::begin(std::string_view device_name) {
  device_name_ = Text<16>(device_name);
  // Takes effect only when the radio changes its mode.
  (void)WiFi.setHostname(device_name_.c_str());
  WiFi.persistent(false);  // the password is stored once, in our own settings
  WiFi.setAutoReconnect(false);
  WiFi.onEvent([this](arduino_event_id_t event, arduino_event_info_t info) {
    if (event == ARDUINO_EVENT_WIFI_STA_GOT_IP) has_address_ = true;
    if (event == ARDUINO_EVENT_WIFI_STA_LOST_IP) lost_reason_ = WIFI_REASON_UNSPECIFIED;
    if (event == ARDUINO_EVENT_WIFI_STA_DISCONNECTED) {
      // Leaving one network for another is reported as a loss. The event comes late, when the new
      // network is already being joined, which must not restart because of it.
      const std::uint8_t reason = info.wifi_sta_disconnected.reason;
      if (reason == WIFI_REASON_ASSOC_LEAVE && leaving_.exchange(false)) return;
      lost_reason_ = reason;
    }
  });
}

void WifiKeeper::step(bool setup, Millis now) {
  if (setup && !portal_.is_open() && !close_.is_set()) open_portal(now);
  if (portal_.is_open()) step_portal(now);
  if (portal_.is_open() && !setup && !close_.is_set()) close_.set(now, kFarewellMs);
  if (close_.due(now)) close_portal();
  if (portal_.is_open()) return;  // one thing after the other: the radio has one channel
  if (looking_ && WiFi.scanComplete() != WIFI_SCAN_RUNNING) list_networks();
  if (reload_ || try_again_.due(now)) join(now);
  watch_link(now);
}

void WifiKeeper::let_radio_sleep(bool sleeps) {
  // Beside an access point of its own the radio has no sleep.
  const bool wanted = sleeps && joined_ && !portal_.is_open();
  if (wanted == radio_sleeps_) return;
  // Its result says nothing: false also where nothing was to be changed.
  (void)WiFi.setSleep(wanted);
  radio_sleeps_ = wanted;
}

Wifi::Link WifiKeeper::link() const {
  if (settings_.wifi_name.empty()) return Link::kNone;
  if (joined_ && !reload_) return Link::kUp;
  return refusals_ >= kSureRefusals ? Link::kRefused : Link::kJoining;
}

bool WifiKeeper::look(Millis now) {
  if (portal_.is_open()) {
    if (has_list_ && WiFi.softAPgetStationNum() > 0) return false;
    scan_.set(now, 0);
  } else if (!looking_ && WiFi.scanNetworks(true) != WIFI_SCAN_RUNNING) {
    return false;  // it is joining
  }
  looking_ = true;
  return true;
}

void WifiKeeper::reload_if_changed() {
  load_settings(store_, settings_);
  refusals_ = 0;
  if (settings_.wifi_name != joined_name_.view() ||
      settings_.wifi_password != joined_password_.view()) {
    reload_ = true;
  }
}

void WifiKeeper::join(Millis now) {
  if (reload_) {
    load_settings(store_, settings_);
    refusals_ = 0;
    backoff_.reset();
  }
  reload_ = false;
  joined_name_ = settings_.wifi_name;
  joined_password_ = settings_.wifi_password;
  if (settings_.wifi_name.empty()) {
    try_again_.clear();
    return;
  }
  WiFi.mode(WIFI_STA);
  // Awake while it joins; `let_radio_sleep` is asked each round.
  WiFi.setSleep(false);
  radio_sleeps_ = false;
  leaving_ = joined_;
  joined_ = false;
  has_address_ = false;
  lost_reason_ = 0;
  const char* password =
      settings_.wifi_password.empty() ? nullptr : settings_.wifi_password.c_str();
  (void)WiFi.begin(settings_.wifi_name.c_str(), password);
  try_again_.set(now, kJoinMs);
}

void WifiKeeper::watch_link(Millis now) {
  if (has_address_.exchange(false)) {
    joined_ = true;
    leaving_ = false;
    lost_reason_ = 0;
    refusals_ = 0;
    try_again_.clear();
    backoff_.reset();
    signal_.set(now, 0);
    const IPAddress address = WiFi.localIP();
    char text[16];
    (void)std::snprintf(text, sizeof text, "%u.%u.%u.%u", static_cast<unsigned>(address[0]),
                        static_cast<unsigned>(address[1]), static_cast<unsigned>(address[2]),
                        static_cast<unsigned>(address[3]));
    (void)push(Input::Kind::kWifiUp, 0, text);
  }
  std::uint8_t reason = lost_reason_.exchange(0);
  if (joined_ && signal_.due(now) && WiFi.status() != WL_CONNECTED) {
    reason = WIFI_REASON_UNSPECIFIED;  // an event was missed
  }
  if (reason != 0) {
    joined_ = false;
    signal_.clear();
    try_again_.set(now, backoff_.next(random_));
    const bool refused = is_password_trouble(reason);
    if (refused && refusals_ < kSureRefusals) ++refusals_;
    (void)push(Input::Kind::kWifiDown, wifi_down_value(refused, reason));
  }
  if (joined_ && signal_.due(now)) {
    signal_.set(now, kSignalMs);
    (void)push(Input::Kind::kWifiSignal, WiFi.RSSI());
  }
}

void WifiKeeper::open_portal(Millis now) {
  joined_ = false;
  try_again_.clear();
  // The station looks for networks to offer. The radio goes first: the chip's random numbers are
  // those of a formula while it is off.
  if (!WiFi.mode(WIFI_AP_STA)) {
    close_.set(now, kFarewellMs);  // and try again
    return;
  }
  // The network has a key, which only the screen shows: the owner's own password is about to be
  // sent over it.
  char key[9];
  (void)std::snprintf(key, sizeof key, "%08" PRIu32, random_.next() % 100000000U);
  portal_key_ = Text<8>(key);
  const IPAddress here(kPortalAddress[0], kPortalAddress[1], kPortalAddress[2], kPortalAddress[3]);
  WiFi.softAPConfig(here, here, IPAddress(255, 255, 255, 0));
  if (!WiFi.softAP(device_name_.c_str(), portal_key_.c_str()) || !portal_.begin(kPortalAddress)) {
    close_.set(now, kFarewellMs);  // and try again
    return;
  }
  has_list_ = false;
  scan_.set(now, 0);
  guest_.set(now, 0);
}

void WifiKeeper::step_portal(Millis now) {
  portal_.step(now);
  if (portal_.take_saved()) {
    reload_ = true;
    (void)push(Input::Kind::kSettings, 0);
  }
  if (guest_.due(now)) {
    const bool told = WiFi.softAPgetStationNum() > 0 && push(Input::Kind::kSetupGuest, 0);
    guest_.set(now, told ? kGuestMs : kGuestLookMs);
  }
  if (scan_.due(now) && WiFi.scanComplete() != WIFI_SCAN_RUNNING) {
    scan_.set(now, kScanMs);
    // The radio leaves its channel to look, and a phone that fills in the page loses it.
    if (!has_list_ || WiFi.softAPgetStationNum() == 0) (void)WiFi.scanNetworks(true);
  }
  if (WiFi.scanComplete() > 0) list_networks();
}

void WifiKeeper::list_networks() {
  Text<1024> names;
  bool seen = false;
  looking_ = false;
  networks_count_ = 0;
  const int count = WiFi.scanComplete();
  for (int n = 0; n < count && n < 32; ++n) {
    const String name = WiFi.SSID(static_cast<std::uint8_t>(n));
    const std::string_view text(name.c_str(), name.length());
    if (text.empty() || text.find('\n') != std::string_view::npos) continue;
    seen = seen || joined_name_ == text;
    keep_network(static_cast<std::uint8_t>(n), text);
    if (names.size() + text.size() + 1 > Text<1024>::capacity()) break;
    (void)names.append(text);
    (void)names.append('\n');
  }
  portal_.set_networks(names);
  has_list_ = true;
  WiFi.scanDelete();
  // The stored Wi-Fi is there after all; but a guest on the page is not thrown off it.
  if (seen && WiFi.softAPgetStationNum() == 0) (void)push(Input::Kind::kWifiSeen, 0);
}

void WifiKeeper::keep_network(std::uint8_t number, std::string_view name) {
  if (networks_count_ == networks_.size()) return;
  // Several access points may have one name; the strongest comes first.
  for (const WifiNetwork& known : networks()) {
    if (known.name == name) return;
  }
  WifiNetwork& network = networks_[networks_count_++];
  (void)network.name.assign(name);
  network.dbm =
      static_cast<std::int8_t>(std::clamp<std::int32_t>(WiFi.RSSI(number), INT8_MIN, INT8_MAX));
  network.secured = WiFi.encryptionType(number) != WIFI_AUTH_OPEN;
}

void WifiKeeper::close_portal() {
  close_.clear();
  portal_.end();
  portal_key_.clear();
  WiFi.softAPdisconnect(true);
  reload_ = true;
}

void WifiKeeper::describe(View& view) const {
  view.setup_network.clear();
  view.setup_key.clear();
  view.setup_address.clear();
  if (!portal_.is_open()) return;
  (void)view.setup_network.append(device_name_);
  (void)view.setup_key.append(portal_key_);
  (void)view.setup_address.append("http://192.168.4.1");
}

bool WifiKeeper::push(Input::Kind kind, std::int32_t value, std::string_view text) {
  Input input;
  input.kind = kind;
  input.value = value;
  (void)input.text.assign(text);
  return inputs_.push(input);
}

}  // namespace lobug
