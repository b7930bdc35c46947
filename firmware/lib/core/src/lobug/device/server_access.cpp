// DeviceController's way from the Wi-Fi to a session with the server, what the session brings, and
// the way back when something breaks.
#include "lobug/device/device_controller.h"
#include "lobug/protocol/glyph_reader.h"
#include "lobug/sentences.h"
#include "lobug/tools/mcp.h"

namespace lobug {

namespace {

constexpr std::uint32_t kUpdateNoticeS = 20;

}  // namespace

void DeviceController::go(DeviceState next) {
  if (state() == next || !machine_.go(next)) return;
  if (next != DeviceState::kOffline) trouble_ = Trouble::kNone;
  publish_at_.clear();
  platform_.system.log(name_of(next));
}

void DeviceController::find(Millis now) {
  go(DeviceState::kFinding);
  failures_ = 0;
  enrolment_.start(settings_.server, now);
}

void DeviceController::enrol(Millis now) {
  enrolment_.step(identity_.introduction(), now);
  switch (enrolment_.phase()) {
    case Enrolment::Phase::kPairing:
      go(DeviceState::kPairing);
      break;
    case Enrolment::Phase::kAskingTime:
    case Enrolment::Phase::kAsking:
    case Enrolment::Phase::kSearching:
      go(DeviceState::kFinding);
      break;
    case Enrolment::Phase::kAccepted:
      go(DeviceState::kFinding);
      enter(now);
      break;
    case Enrolment::Phase::kFailed: {
      const Millis asked_ms = enrolment_.retry_after_s() * 1000;
      const Millis wait_ms = backoff_.next(platform_.random);
      offline(enrolment_.trouble(), asked_ms > wait_ms ? asked_ms : wait_ms, now);
      break;
    }
    case Enrolment::Phase::kIdle:
      break;
  }
}

// The server accepts the device: first an update, if there is one, then the session.
void DeviceController::enter(Millis now) {
  const Discovery& discovery = enrolment_.discovery();
  if (!discovery.token.empty()) identity_.keep_token(discovery.token);
  identity_.keep_update_key(discovery.update_key);
  learn_time(now);
  view_.server_name.assign(enrolment_.server());
  if (wants_update()) {
    if (controls_.has_timers()) {
      // A restart in the middle would make it ring late, or not at all if the update fails.
      platform_.system.log(sentences::kUpdateWaits);
      update_check_at_.set(now, kUpdateAgainMs);
    } else {
      begin_update(now);
    }
  }
  if (state() == DeviceState::kFinding) connect(now);
}

void DeviceController::connect(Millis now) {
  Url url;
  const bool valid = parse_url(enrolment_.discovery().websocket_url, url);
  // An owner who set https gets no session without TLS.
  const bool unsafe = valid && enrolment_.url().endpoint.tls && !url.endpoint.tls;
  if (!valid || unsafe) {
    failures_ = kTriesWithOneAddress;  // it would fail again: ask for another address
    offline(unsafe ? Trouble::kUntrusted : Trouble::kRefused, backoff_.next(platform_.random), now);
    return;
  }
  go(DeviceState::kConnecting);
  // One TLS session at a time, each of which takes about 40 KB of internal memory: whatever was
  // asked over the other connection is closed by now.
  http_.stop();
  const Introduction who = identity_.introduction();
  session_.open(url, SessionIdentity{identity_.token(), who.device_id, who.client_id}, now);
}

void DeviceController::offline(Trouble trouble, Millis wait_ms, Millis now) {
  session_.close();
  enrolment_.stop();
  sensors_.stop();
  update_.stop();
  checking_for_update_ = false;
  if (connected()) conversation_.lost();
  go(DeviceState::kOffline);
  trouble_ = trouble;
  retry_at_.set(now, wait_ms);
}

void DeviceController::retry(Millis now) {
  const bool known = !enrolment_.discovery().websocket_url.empty();
  if (known && failures_ < kTriesWithOneAddress) {
    connect(now);
  } else {
    find(now);
  }
}

// What the session brings.

void DeviceController::on_ready(Millis now) {
  go(DeviceState::kIdle);
  failures_ = 0;
  stable_at_.set(now, kStableMs);
  trial_.reached_server();
  conversation_.begin();
  view_.wake_word = session_.wake_word();
  publish_at_.set(now, 0);
}

void DeviceController::on_message(const ServerMessage& message, Millis now) {
  switch (message.kind) {
    case ServerMessage::Kind::kMcp: {
      const std::size_t length =
          answer_mcp(message.payload, controls_, platform_.firmware.running_version(),
                     Span<char>(mcp_answer_.data(), mcp_answer_.size()));
      if (length > 0) session_.mcp(std::string_view(mcp_answer_.data(), length));
      break;
    }
    case ServerMessage::Kind::kGlyphs:
      take_glyphs(message.payload);
      return;  // nothing is shown anew
    case ServerMessage::Kind::kSystemReboot:
      restart();
      break;
    default:
      conversation_.message(message, now);
      break;
  }
  publish_at_.set(now, 0);
}

// They come ahead of the text that needs them, and the screen takes them before it reads that.
void DeviceController::take_glyphs(std::string_view glyphs) {
  if (screen_.glyphs == nullptr) return;
  GlyphReader reader(glyphs);
  PushedGlyph glyph;
  for (;;) {
    const GlyphReader::Next next = reader.next(glyph);
    if (next == GlyphReader::Next::kEnd) return;
    if (next == GlyphReader::Next::kBad || !screen_.glyphs->push(glyph)) health_.count_bad_glyph();
  }
}

void DeviceController::on_audio(Bytes pcm, Millis now) { conversation_.audio(pcm, now); }

void DeviceController::on_end(const SessionEnd& end, Millis now) {
  // A session that the server closes at once, for whatever reason, is not opened again at once.
  const bool at_once = end.idle && connected() && !stable_at_.is_set();
  if (end.token_refused) {
    // Refused without a token: the server has one for this client id, which we have lost. The owner
    // can approve us only as another client.
    if (identity_.token().empty()) {
      identity_.unpair();
    } else {
      identity_.forget_token();
    }
    failures_ = kTriesWithOneAddress;
  } else if (!at_once) {
    ++failures_;
  }
  Millis wait_ms = at_once ? 0 : backoff_.next(platform_.random);
  if (end.trouble == Trouble::kReplaced) wait_ms = kReplacedMs;
  offline(end.trouble, wait_ms, now);
}

// Updates and sensor reports.

bool DeviceController::wants_update() {
  const UpdateTrust trust{identity_.update_key(), platform_.system.board(),
                          enrolment_.update_nonce()};
  const bool wanted = update_.wants(enrolment_.discovery(), trust);
  const Phrase refusal = update_.take_refusal();
  if (refusal != Phrase::kNone) controls_.say(refusal, kUpdateNoticeS);
  return wanted;
}

void DeviceController::begin_update(Millis now) {
  const FirmwareUpdate::Progress progress =
      update_.start(enrolment_.url().endpoint, identity_.request("GET", {}), now);
  if (progress == FirmwareUpdate::Progress::kBusy) go(DeviceState::kUpdating);
  follow_update(progress, now);
}

void DeviceController::follow_update(FirmwareUpdate::Progress progress, Millis now) {
  switch (progress) {
    case FirmwareUpdate::Progress::kBusy:
      return;
    case FirmwareUpdate::Progress::kDone:
      restart();
      return;
    case FirmwareUpdate::Progress::kCutOff:
      update_check_at_.set(now, kUpdateAgainMs);
      break;
    case FirmwareUpdate::Progress::kFaulty:
      controls_.say(sentence_of(Trouble::kUpdateFailed), kUpdateNoticeS);
      break;
  }
  if (state() == DeviceState::kUpdating) connect(now);
}

// Every few hours, while nobody talks, discovery is asked: beside the session, or with TLS, of
// which there is to be one session at a time, instead of it, for a second or two.
void DeviceController::check_for_update(Millis now) {
  const bool idle = state() == DeviceState::kIdle;
  if (checking_for_update_) {
    enrolment_.step(identity_.introduction(), now);
    const Enrolment::Phase phase = enrolment_.phase();
    if (phase == Enrolment::Phase::kAsking || phase == Enrolment::Phase::kAskingTime ||
        phase == Enrolment::Phase::kSearching) {
      return;
    }
    checking_for_update_ = false;
    if (phase != Enrolment::Phase::kAccepted) return;
    learn_time(now);
    identity_.keep_update_key(enrolment_.discovery().update_key);
    if (!idle || !wants_update()) return;
    if (controls_.has_timers()) {
      update_check_at_.set(now, kUpdateAgainMs);
    } else {
      // From kOffline discovery is asked once more, and the update begins.
      offline(Trouble::kNone, 0, now);
      failures_ = kTriesWithOneAddress;
    }
    return;
  }
  if (!idle || !update_check_at_.due(now) || memory_.is_low() || sensors_.sending()) return;
  if (self_test_.running()) return;
  update_check_at_.set(now, kUpdateCheckMs);
  if (enrolment_.url().endpoint.tls) {
    // From kOffline discovery is asked, and then the session opened again.
    offline(Trouble::kNone, 0, now);
    failures_ = kTriesWithOneAddress;
    return;
  }
  checking_for_update_ = true;
  // The session's own server: another one that mDNS may find by now must not get its token.
  const Text<160> server(enrolment_.server());
  enrolment_.start(server, now);
}

void DeviceController::report_sensors(Millis now) {
  if (sensors_.sending()) {
    sensors_.step(now);
    return;
  }
  if (memory_.is_low() || self_test_.running()) return;
  const Motion& motion = controls_.motion();
  if (session_.takes_sensors()) {
    if (sensors_.due(motion, now, SensorReporter::kLeastMs)) sensors_.send(session_, motion, now);
    return;
  }
  // A server that takes no sensors over the session. A TLS handshake computes for most of a second
  // on this thread: none while somebody talks, and none for each change.
  const bool tls = enrolment_.url().endpoint.tls;
  if (checking_for_update_ || (tls && state() != DeviceState::kIdle)) return;
  if (sensors_.due(motion, now, tls ? SensorReporter::kEveryMs : SensorReporter::kLeastMs)) {
    sensors_.post(enrolment_.url(), motion, now);
  }
}

}  // namespace lobug
