#include "lobug/device/mind.h"

#include <cinttypes>
#include <cstdio>

namespace lobug {
namespace {

// Where an ESP32's own access point is.
constexpr std::string_view kSetupAddress = "http://192.168.4.1";

// A random UUID (RFC 9562, version 4).
Text<36> new_client_id(Random& random) {
  std::array<std::uint32_t, 4> bits{};
  for (std::uint32_t& word : bits) word = random.next();
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(),
                "%08" PRIx32 "-%04" PRIx32 "-4%03" PRIx32 "-%04" PRIx32 "-%04" PRIx32 "%08" PRIx32,
                bits[0], bits[1] >> 16U, bits[1] & 0xFFFU, ((bits[2] >> 16U) & 0x3FFFU) | 0x8000U,
                bits[2] & 0xFFFFU, bits[3]);
  return Text<36>(text.data());
}

}  // namespace

Mind::Mind(const Platform& platform, AudioLink& audio, ScreenLink& screen)
    : platform_(platform),
      audio_(audio),
      screen_(screen),
      http_(platform.http, MutableBytes(http_buffer_.data(), http_buffer_.size())),
      enrolment_(http_, platform.finder),
      session_(platform.session, platform.random, platform.crypto, *this),
      conversation_(audio, session_),
      writer_(platform.firmware, platform.crypto),
      trial_(platform.firmware) {}

DeviceState Mind::state() const { return connected_ ? conversation_.state() : state_; }

void Mind::step(Millis now) {
  now_ = now;
  if (state_ == DeviceState::kStarting) start(now);
  Input input;
  while (screen_.inputs.pop(input)) take(input, now);
  motion_ = screen_.motion.read();
  trial_.step(now, wifi_);
  if (connected_ && settled_.due(now)) {
    settled_.clear();
    backoff_.reset();
  }
  session_.step(now);
  conversation_.step(settings_.talk_mode, now);
  session_.flush();
  if (!connected_) {
    if (state_ == DeviceState::kSetup && setup_until_.due(now)) join(now);
    if (state_ == DeviceState::kJoining && join_until_.due(now)) offline(Trouble::kNoWifi, 0, now);
    if (missing_until_.due(now)) set_up_again(Trouble::kNoWifi, now);
    if (state_ == DeviceState::kOffline && wifi_ && retry_.due(now)) retry(now);
    if (state_ == DeviceState::kFinding || state_ == DeviceState::kPairing) enrol(now);
    if (state_ == DeviceState::kUpdating) step_update(now);
  } else {
    check_for_update(now);
    report_sensors(now);
  }
  ring_timers(now);
  if (save_at_.due(now)) save_levels();
  publish(now);
}

void Mind::start(Millis now) {
  load_settings(platform_.store, settings_);
  if (settings_.client_id.empty()) {
    settings_.client_id = new_client_id(platform_.random);
    save_identity(platform_.store, settings_);
  }
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
  update_check_.set(now, kUpdateCheckMs);
  if (settings_.wifi_name.empty()) {
    go(DeviceState::kSetup);
  } else {
    join(now);
  }
}

// Inputs.

void Mind::take(const Input& input, Millis now) {
  using Kind = Input::Kind;
  switch (input.kind) {
    case Kind::kTap:
      posing_until_.clear();
      if (!view_.notice.empty()) {
        dismiss_notice();  // the finger is meant for what lies before the face
      } else if (connected_) {
        conversation_.tap(settings_.talk_mode, now);
      } else if (state_ == DeviceState::kOffline && wifi_) {
        retry_.set(now, 0);  // whoever taps does not want to wait
      }
      break;
    case Kind::kHoldBegin:
      dismiss_notice();
      if (connected_) conversation_.hold_begin(now);
      break;
    case Kind::kHoldEnd:
      if (connected_) conversation_.hold_end(now);
      break;
    case Kind::kVolume:
      set_volume(static_cast<std::uint8_t>(input.value));
      break;
    case Kind::kBrightness:
      set_brightness(static_cast<std::uint8_t>(input.value));
      break;
    case Kind::kTalkMode:
      if (input.value >= 0 && input.value <= static_cast<int>(TalkMode::kWakeWord)) {
        settings_.talk_mode = static_cast<TalkMode>(input.value);
        save_later(now);
      }
      break;
    case Kind::kCaptions:
      settings_.captions = input.value != 0;
      save_later(now);
      break;
    case Kind::kWifiUp:
      view_.address.assign(input.text);
      wifi_up(now);
      break;
    case Kind::kWifiDown:
      wifi_down(input.value == 1, now);
      break;
    case Kind::kWifiSignal:
      view_.wifi_dbm = static_cast<std::int8_t>(input.value);
      if (!wifi_) wifi_up(now);  // the queue was full when it came
      break;
    case Kind::kWifiSeen:
      wifi_seen(now);
      break;
    case Kind::kBattery:
      view_.battery = static_cast<std::uint8_t>(input.value & 0x7F);
      view_.charging = (input.value & 0x80) != 0;
      view_.battery_known = true;
      break;
    case Kind::kSetupGuest:
      stay_in_setup(now);
      break;
    case Kind::kSettings:
      take_settings(now);
      break;
    case Kind::kForgetPairing:
      settings_.client_id = new_client_id(platform_.random);
      forget_token();
      failures_ = kTriesWithOneAddress;
      // Without a Wi-Fi it goes on with what it does: from kSetup nothing else would lead back.
      if (wifi_ && state_ != DeviceState::kSetup) offline(Trouble::kNone, 0, now);
      break;
    case Kind::kReset:
      save_at_.clear();
      platform_.store.erase_all();
      restart();
      break;
    case Kind::kRestart:
      restart();
      break;
  }
}

// The way to the server.

void Mind::go(DeviceState next) {
  if (state_ == next) return;
  if (!may_follow(state_, next)) {
    std::array<char, 80> line{};
    const std::string_view from = name_of(state_);
    const std::string_view to = name_of(next);
    std::snprintf(line.data(), line.size(), "refused: %.*s after %.*s", static_cast<int>(to.size()),
                  to.data(), static_cast<int>(from.size()), from.data());
    platform_.system.log(line.data());
    return;
  }
  state_ = next;
  if (next != DeviceState::kOffline) trouble_ = Trouble::kNone;
  publish_at_.clear();
  platform_.system.log(name_of(next));
}

void Mind::find(Millis now) {
  go(DeviceState::kFinding);
  failures_ = 0;
  enrolment_.start(settings_.server, now);
}

void Mind::connect(Millis now) {
  const Discovery& discovery = enrolment_.discovery();
  Url url;
  const bool good = parse_url(discovery.websocket_url, url);
  // Never less safe than the owner asked for.
  const bool unsafe = good && enrolment_.url().endpoint.tls && !url.endpoint.tls;
  if (!good || unsafe) {
    failures_ = kTriesWithOneAddress;  // of no use a second time: ask for another
    offline(unsafe ? Trouble::kUntrusted : Trouble::kRefused, backoff_.next(platform_.random), now);
    return;
  }
  go(DeviceState::kConnecting);
  const Introduction who = introduction();
  session_.open(url, SessionIdentity{token(), who.device_id, who.client_id}, now);
}

void Mind::enrol(Millis now) {
  enrolment_.step(introduction(), now);
  switch (enrolment_.phase()) {
    case Enrolment::Phase::kPairing:
      go(DeviceState::kPairing);
      break;
    case Enrolment::Phase::kAsking:
    case Enrolment::Phase::kSearching:
      go(DeviceState::kFinding);
      break;
    case Enrolment::Phase::kLetIn:
      go(DeviceState::kFinding);
      let_in(now);
      break;
    case Enrolment::Phase::kFailed: {
      const Millis patience = enrolment_.retry_after_s() * 1000;
      const Millis wait = backoff_.next(platform_.random);
      offline(enrolment_.trouble(), patience > wait ? patience : wait, now);
      break;
    }
    case Enrolment::Phase::kIdle:
      break;
  }
}

void Mind::let_in(Millis now) {
  const Discovery& discovery = enrolment_.discovery();
  if (!discovery.token.empty()) {
    settings_.token = discovery.token;
    settings_.token_server.assign(server_name());
    if (!save_identity(platform_.store, settings_)) platform_.system.log("token not saved");
  }
  if (discovery.server_time_ms > 0) platform_.system.set_time(discovery.server_time_ms);
  view_.server_name.assign(enrolment_.server());
  if (wants_update()) begin_update(now);
  if (state_ == DeviceState::kFinding) connect(now);
}

std::string_view Mind::server_name() const {
  return settings_.server.empty() ? std::string_view("mdns") : settings_.server.view();
}

std::string_view Mind::token() const {
  return settings_.token_server == server_name() ? settings_.token.view() : std::string_view();
}

void Mind::forget_token() {
  settings_.token.clear();
  settings_.token_server.clear();
  save_identity(platform_.store, settings_);
}

void Mind::offline(Trouble trouble, Millis wait_ms, Millis now) {
  session_.close();
  enrolment_.stop();
  if (http_use_ == HttpUse::kUpdate) writer_.abandon();
  http_use_ = HttpUse::kNone;
  checking_ = false;
  if (connected_) {
    connected_ = false;
    conversation_.lost();
  }
  if (state_ != DeviceState::kOffline) go(DeviceState::kOffline);
  trouble_ = trouble;
  retry_.set(now, wait_ms);
}

void Mind::retry(Millis now) {
  const bool known = !enrolment_.discovery().websocket_url.empty();
  if (known && failures_ < kTriesWithOneAddress) {
    connect(now);
  } else {
    find(now);
  }
}

// What the session brings.

void Mind::on_ready(Millis now) {
  go(DeviceState::kIdle);
  connected_ = true;
  failures_ = 0;
  settled_.set(now, kSettledMs);
  trial_.reached_server();
  conversation_.begin();
  publish_at_.set(now, 0);
}

void Mind::on_message(const ServerMessage& message, Millis now) {
  switch (message.kind) {
    case ServerMessage::Kind::kMcp: {
      const std::size_t length =
          answer_mcp(message.payload, *this, platform_.firmware.running_version(),
                     Span<char>(answer_.data(), answer_.size()));
      if (length > 0) session_.mcp(std::string_view(answer_.data(), length));
      break;
    }
    case ServerMessage::Kind::kSystemReboot:
      restart();
      break;
    default:
      conversation_.message(message, now);
      break;
  }
  publish_at_.set(now, 0);
}

void Mind::on_audio(Bytes pcm, Millis now) { conversation_.audio(pcm, now); }

void Mind::on_end(const SessionEnd& end, Millis now) {
  // A server that closes what it has just opened is not to be stormed, whatever its reason.
  const bool at_once = end.idle && connected_ && !settled_.is_set();
  if (end.token_refused) {
    // Refused without a token: the server has one for this client id that we have lost. Only as
    // another client can the owner let us in again.
    if (token().empty()) settings_.client_id = new_client_id(platform_.random);
    forget_token();
    failures_ = kTriesWithOneAddress;
  } else if (!at_once) {
    ++failures_;
  }
  Millis wait = at_once ? 0 : backoff_.next(platform_.random);
  if (end.trouble == Trouble::kReplaced) wait = kReplacedMs;
  offline(end.trouble, wait, now);
}

// The rest.

void Mind::save_later(Millis now) { save_at_.set(now, kSaveMs); }

// No more than what is set here: the owner may just have stored another Wi-Fi.
void Mind::save_levels() {
  save_at_.clear();
  for (const std::string_view name : {"talk_mode", "volume", "brightness", "captions"}) {
    if (!save_setting(platform_.store, settings_, name)) {
      platform_.system.log("settings not saved");
      return;
    }
  }
}

void Mind::restart() {
  if (save_at_.is_set()) save_levels();
  platform_.system.restart();
}

Introduction Mind::introduction() const {
  return Introduction{platform_.system.device_id(), settings_.client_id.view(),
                      platform_.system.board(), platform_.firmware.running_version(),
                      platform_.system.free_memory()};
}

// First what can wait is left out (sensor reports, updates). When hardly anything is left, a
// restart in a quiet moment is better than a crash in the middle of a word; but not where it never
// was more.
void Mind::watch_memory(Millis now) {
  const std::uint32_t memory = platform_.system.free_memory();
  const bool low = memory < kLeastMemory;
  // The face shows trouble while it is offline; this is worth a word at any time.
  if (low && !low_memory_) show_text(sentence_of(Trouble::kLowMemory), 20);
  low_memory_ = low;
  if (!low && connected_) had_memory_ = true;
  const bool quiet = state() == DeviceState::kIdle || state() == DeviceState::kOffline;
  if (memory >= kTooLittleMemory || !had_memory_) {
    starving_until_.clear();
  } else if (!starving_until_.is_set()) {
    starving_until_.set(now, kStarvingMs);
  } else if (quiet && starving_until_.due(now)) {
    platform_.system.log("restart: out of memory");
    restart();
  }
}

void Mind::publish(Millis now) {
  if (publish_at_.is_set() && !publish_at_.due(now)) return;
  publish_at_.set(now, kPublishMs);
  view_.state = state();
  view_.trouble = trouble_;
  watch_memory(now);
  if (low_memory_ && trouble_ == Trouble::kNone) view_.trouble = Trouble::kLowMemory;
  if (posing_until_.due(now)) posing_until_.clear();
  view_.posing = posing_until_.is_set();
  view_.emotion = view_.posing ? posed_ : conversation_.emotion();
  view_.caption.assign(conversation_.caption());
  view_.heard.assign(conversation_.heard());
  view_.code.assign(state_ == DeviceState::kPairing ? enrolment_.code() : std::string_view());
  view_.wifi = wifi_;
  view_.server = connected_;
  view_.microphone = audio_.actual == AudioMode::kListen;
  view_.volume = settings_.volume;
  view_.brightness = settings_.brightness;
  view_.captions = settings_.captions;
  view_.talk_mode = settings_.talk_mode;
  view_.update_percent = state_ == DeviceState::kUpdating ? writer_.percent() : std::uint8_t{0};
  const Millis left_s = (retry_.left(now) + 999) / 1000;
  view_.retry_s = state_ == DeviceState::kOffline && wifi_
                      ? static_cast<std::uint16_t>(left_s < 0xFFFF ? left_s : 0xFFFF)
                      : std::uint16_t{0};
  view_.version.assign(platform_.firmware.running_version());
  screen_.view.publish(view_);
}

}  // namespace lobug
