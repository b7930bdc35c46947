#include "lobug/device/device_controller.h"

#include <functional>

#include "lobug/sentences.h"

namespace lobug {
namespace {

/// The address of an ESP32's own access point.
constexpr std::string_view kSetupAddress = "http://192.168.4.1";

constexpr std::uint32_t kLowMemoryNoticeS = 20;

}  // namespace

DeviceController::DeviceController(const Platform& platform, AudioLink& audio, ScreenLink& screen)
    : platform_(platform),
      audio_(audio),
      screen_(screen),
      machine_(platform.system),
      identity_(platform_, settings_),
      clock_(platform.system, platform.store),
      controls_(platform_, audio, settings_, view_, clock_),
      http_(platform.http, MutableBytes(http_buffer_.data(), http_buffer_.size())),
      enrolment_(http_, platform.finder, clock_, platform.random),
      sensors_(http_, identity_),
      update_(http_, platform_),
      trial_(platform.firmware),
      session_(platform.session, platform.random, platform.crypto, *this),
      conversation_(machine_, audio, session_, settings_.language),
      health_(platform_, audio, view_, wifi_, update_),
      self_test_(platform.vitals, audio, screen) {}

void DeviceController::step(Millis now) {
  controls_.update(screen_.motion.read(), now);
  if (state() == DeviceState::kStarting) start(now);
  Input input;
  while (screen_.inputs.pop(input)) take(input, now);
  trial_.step(now, wifi_.is_up());
  if (connected() && stable_at_.due(now)) {
    stable_at_.clear();
    backoff_.reset();
  }
  session_.step(now);
  step_self_test(now);
  if (!self_test_.running()) conversation_.step(settings_.talk_mode, now);
  health_.step(session_, now);
  session_.flush();
  step_state(now);
  step_power(now);
  controls_.step(state(), power_.backlight(settings_.brightness));
  step_body();
  publish(now);
}

void DeviceController::step_state(Millis now) {
  if (connected()) {
    check_for_update(now);
    report_sensors(now);
    return;
  }
  if (state() == DeviceState::kSetup && wifi_.setup_is_over(now)) join(now);
  if (state() == DeviceState::kJoining && wifi_.join_is_late(now)) {
    offline(Trouble::kNoWifi, 0, now);
  }
  if (wifi_.is_missing(now)) open_setup(Trouble::kNoWifi, now);
  // A handshake holds this thread up, which would be measured.
  const bool may_retry = wifi_.is_up() && !self_test_.running();
  if (state() == DeviceState::kOffline && may_retry && retry_at_.due(now)) retry(now);
  if (state() == DeviceState::kFinding || state() == DeviceState::kPairing) enrol(now);
  if (state() == DeviceState::kUpdating) follow_update(update_.step(now), now);
}

void DeviceController::start(Millis now) {
  load_settings(platform_.store, settings_);
  identity_.ensure_client_id();
  clock_.begin();
  controls_.restore_timers(now);
  audio_.volume = settings_.volume;
  // The last four digits of the MAC address tell two new devices apart.
  const std::string_view id = platform_.system.device_id();
  view_.setup_network.assign("Lo-Bug-");
  if (id.size() == 17) {
    view_.setup_network.append(id.substr(12, 2));
    view_.setup_network.append(id.substr(15, 2));
  }
  view_.setup_address.assign(kSetupAddress);
  trial_.begin(now);
  update_check_at_.set(now, kUpdateCheckMs);
  if (settings_.wifi_name.empty()) {
    go(DeviceState::kSetup);
  } else {
    join(now);
  }
}

// Inputs.

void DeviceController::take(const Input& input, Millis now) {
  using Kind = Input::Kind;
  switch (input.kind) {
    case Kind::kTap:
      // In the dark a tap only switches the screen on.
      if (!is_dark()) tapped(now);
      touched_ = true;
      break;
    case Kind::kWake:
      touched_ = true;
      break;
    case Kind::kPress:
      // In the dark nothing but the tap that may follow counts: the screen has just gone off under
      // the finger. With a notice on the screen a tap only takes that away.
      if (is_dark()) break;
      touched_ = true;
      if (connected() && !controls_.has_notice()) conversation_.press(now);
      break;
    case Kind::kPressEnd:
      if (connected()) conversation_.press_end();
      break;
    case Kind::kHoldBegin:
      touched_ = true;
      if (is_dark()) break;
      controls_.dismiss_notice();
      if (connected()) conversation_.hold_begin(now);
      break;
    case Kind::kHoldEnd:
      if (connected()) conversation_.hold_end(now);
      break;
    case Kind::kVolume:
      touched_ = true;
      controls_.set_volume(static_cast<std::uint8_t>(input.value));
      break;
    case Kind::kBrightness:
      touched_ = true;
      controls_.set_brightness(static_cast<std::uint8_t>(input.value));
      break;
    case Kind::kTalkMode:
      controls_.set_talk_mode(input.value);
      break;
    case Kind::kCaptions:
      controls_.set_captions(input.value != 0);
      break;
    case Kind::kLanguage:
      controls_.set_language(input.value);
      break;
    case Kind::kWifiUp:
      view_.address.assign(input.text);
      wifi_up(now);
      break;
    case Kind::kWifiDown:
      wifi_.count_loss(wifi_reason(input.value));
      wifi_down(wifi_refused(input.value), now);
      break;
    case Kind::kWifiSignal:
      view_.wifi_dbm = static_cast<std::int8_t>(input.value);
      if (!wifi_.is_up()) wifi_up(now);  // kWifiUp was lost in a full queue
      break;
    case Kind::kWifiSeen:
      if (state() == DeviceState::kSetup && wifi_.seen_in_setup()) join(now);
      break;
    case Kind::kBattery:
      battery_ = battery_of(input.value);
      view_.battery = battery_.percent;
      view_.charging = battery_.charging;
      view_.battery_known = battery_.known;
      view_.powered = battery_.powered;
      break;
    case Kind::kSetupGuest:
      if (state() == DeviceState::kSetup) wifi_.guest_in_setup(now);
      break;
    case Kind::kSettings:
      reload_settings(now);
      break;
    case Kind::kYawOffset:
      controls_.add_offset(Axis::kYaw, input.value);
      break;
    case Kind::kPitchOffset:
      controls_.add_offset(Axis::kPitch, input.value);
      break;
    case Kind::kCalibrate:
      controls_.calibrate(input.value != 0);
      break;
    case Kind::kSelfTest:
      begin_self_test(now);
      break;
    case Kind::kForgetPairing:
      identity_.unpair();
      identity_.forget_update_key();
      failures_ = kTriesWithOneAddress;
      // Without a Wi-Fi the state stays: nothing else would lead out of kOffline.
      if (wifi_.is_up() && state() != DeviceState::kSetup) offline(Trouble::kNone, 0, now);
      break;
    case Kind::kReset:
      controls_.discard_unsaved();
      (void)controls_.cancel_timers({});
      platform_.store.erase_all();
      restart();
      break;
    case Kind::kRestart:
      restart();
      break;
  }
}

void DeviceController::tapped(Millis now) {
  controls_.stop_posing();
  if (controls_.has_notice()) {
    controls_.dismiss_notice();
    if (connected()) conversation_.press_end();
  } else if (connected()) {
    conversation_.tap(settings_.talk_mode, now);
  } else if (state() == DeviceState::kOffline && wifi_.is_up()) {
    retry_at_.set(now, 0);
  }
}

void DeviceController::begin_self_test(Millis now) {
  const bool talks = state() == DeviceState::kListening || state() == DeviceState::kThinking ||
                     state() == DeviceState::kSpeaking || audio_.actual == AudioMode::kPlay;
  if (talks || state() == DeviceState::kUpdating || self_test_.running()) {
    if (!self_test_.running()) self_test_.refuse();
    return;
  }
  tested_connected_ = connected();
  self_test_.begin(controls_.motion(), now);
}

void DeviceController::step_self_test(Millis now) {
  if (!self_test_.running()) return;
  const bool talks = connected() && state() != DeviceState::kIdle;
  // The end of a session closes the microphone, whoever has opened it.
  const bool lost = tested_connected_ && !connected();
  tested_connected_ = connected();
  if (talks || lost || state() == DeviceState::kUpdating) {
    self_test_.stop(!talks);
  } else {
    self_test_.step(view_, controls_.motion(), now);
  }
}

void DeviceController::reload_settings(Millis now) {
  const Text<32> name = settings_.wifi_name;
  const Text<64> password = settings_.wifi_password;
  const Text<160> server = settings_.server;
  const std::size_t ca = std::hash<std::string_view>{}(settings_.ca);  // too long to keep two
  controls_.discard_unsaved();
  load_settings(platform_.store, settings_);
  audio_.volume = settings_.volume;
  const bool same_wifi =
      settings_.wifi_name == name.view() && settings_.wifi_password == password.view();
  const bool same_server =
      settings_.server == server.view() && std::hash<std::string_view>{}(settings_.ca) == ca;
  if (connected() && same_wifi && same_server) return;
  wifi_.settings_changed(same_wifi);
  if (settings_.wifi_name.empty()) {
    wifi_.removed();
    if (!name.empty()) offline(Trouble::kNone, 0, now);
    go(DeviceState::kSetup);
    return;
  }
  offline(Trouble::kNone, 0, now);
  failures_ = kTriesWithOneAddress;  // the server's address may be another
  if (!wifi_.is_up()) join(now);
}

void DeviceController::restart() {
  controls_.save();
  platform_.system.restart();
}

// Wi-Fi.

void DeviceController::join(Millis now) {
  go(DeviceState::kJoining);
  wifi_.join(now);
}

void DeviceController::wifi_up(Millis now) {
  wifi_.went_up();
  if (state() == DeviceState::kSetup && wifi_.setup_is_temporary()) join(now);
  if (state() == DeviceState::kJoining || state() == DeviceState::kOffline) find(now);
}

void DeviceController::wifi_down(bool password_refused, Millis now) {
  view_.address.clear();
  wifi_.went_down(state() == DeviceState::kSetup, now);
  if (state() == DeviceState::kSetup) return;
  if (password_refused && wifi_.password_refused()) {
    open_setup(Trouble::kWrongPassword, now);
  } else if (password_refused) {
    offline(Trouble::kWrongPassword, 0, now);
  } else if (state() != DeviceState::kJoining) {
    offline(Trouble::kNoWifi, 0, now);
  }
}

// The setup page beside a Wi-Fi that is stored and fails.
void DeviceController::open_setup(Trouble why, Millis now) {
  offline(why, 0, now);
  wifi_.setup_opened(why, now);
  go(DeviceState::kSetup);
  trouble_ = why;
}

// The body.

void DeviceController::step_body() {
  BodyInputs inputs;
  inputs.state = state();
  inputs.emotion = controls_.emotion(conversation_.emotion());
  inputs.posing = controls_.is_posing();
  inputs.heard = !conversation_.heard().empty();
  inputs.microphone = audio_.actual == AudioMode::kListen || audio_.wanted == AudioMode::kListen;
  inputs.measuring = self_test_.running();
  inputs.power = power_.state();
  inputs.battery_low = power_.is_low();
  controls_.step_body(inputs);
  if (controls_.take_petting()) touched_ = true;
}

// What the screen shows.

void DeviceController::watch_memory(Millis now) {
  // Trouble is shown while the device is offline; this is said in any state.
  if (memory_.update(platform_.system.free_memory(), connected(), now)) {
    controls_.say(sentence_of(Trouble::kLowMemory), kLowMemoryNoticeS);
  }
  const bool quiet = state() == DeviceState::kIdle || state() == DeviceState::kOffline;
  if (quiet && memory_.wants_restart(now)) {
    platform_.system.log(sentences::kRestartForMemory);
    restart();
  }
}

void DeviceController::publish(Millis now) {
  if (publish_at_.is_set() && !publish_at_.due(now)) return;
  publish_at_.set(now, kPublishMs);
  watch_memory(now);
  view_.state = state();
  view_.trouble = memory_.is_low() && trouble_ == Trouble::kNone ? Trouble::kLowMemory : trouble_;
  view_.posing = controls_.is_posing();
  view_.emotion = controls_.emotion(conversation_.emotion());
  view_.caption.assign(conversation_.caption());
  view_.heard.assign(conversation_.heard());
  view_.code.assign(state() == DeviceState::kPairing ? enrolment_.code() : std::string_view());
  view_.wifi = wifi_.is_up();
  view_.server = connected();
  view_.microphone = audio_.actual == AudioMode::kListen;
  view_.volume = settings_.volume;
  view_.brightness = settings_.brightness;
  view_.captions = settings_.captions;
  view_.language = settings_.language;
  view_.talk_mode = settings_.talk_mode;
  publish_power();
  publish_time();
  publish_timers();
  view_.update_percent = state() == DeviceState::kUpdating ? update_.percent() : std::uint8_t{0};
  const Millis left_s = (retry_at_.left(now) + 999) / 1000;
  view_.retry_s = state() == DeviceState::kOffline && wifi_.is_up()
                      ? static_cast<std::uint16_t>(left_s < 0xFFFF ? left_s : 0xFFFF)
                      : std::uint16_t{0};
  view_.version.assign(platform_.firmware.running_version());
  view_.store_encrypted = platform_.vitals.store_encrypted();
  view_.self_test = self_test_.state();
  screen_.view.publish(view_);
}

}  // namespace lobug
