// How the device takes a new firmware that discovery offers.
#include "lobug/device/mind.h"
#include "lobug/update/attempts.h"

namespace lobug {
namespace {

// A repaired image may come under the same version; its digest tells it from the one that failed.
std::string_view image_of(const FirmwareOffer& offer) { return offer.sha256.view().substr(0, 24); }

}  // namespace

bool Mind::wants_update() {
  const Discovery& discovery = enrolment_.discovery();
  offer_.version = discovery.firmware_version;
  offer_.url = discovery.firmware_url;
  offer_.size = discovery.firmware_size;
  offer_.sha256 = discovery.firmware_sha256;
  offer_.force = discovery.firmware_force;
  // An image on trial has first to prove itself.
  return !platform_.firmware.on_trial() && image_of(offer_) != refused_image_.view() &&
         worth_taking(offer_, platform_.firmware) &&
         may_attempt(platform_.store, image_of(offer_)) &&
         platform_.system.free_memory() >= kLeastMemory;
}

void Mind::begin_update(Millis now) {
  Url url;
  const Endpoint& server = enrolment_.url().endpoint;
  if (!parse_url(offer_.url, url) || url.endpoint.host != server.host.view() ||
      url.endpoint.port != server.port || url.endpoint.tls != server.tls) {
    refused_image_.assign(image_of(offer_));
    platform_.system.log("update refused: not from my server");
    show_text(sentence_of(Trouble::kUpdateFailed), 20);
    return;
  }
  if (!writer_.begin(offer_)) {
    end_update(UpdateFault::kWriteFailed, now);
    return;
  }
  const Introduction who = introduction();
  HttpRequest request;
  request.method = "GET";
  request.path = url.path;
  request.token = token();
  request.device_id = who.device_id;
  request.client_id = who.client_id;
  request.user_agent = who.board;
  go(DeviceState::kUpdating);
  http_use_ = HttpUse::kUpdate;
  if (!http_.start(url.endpoint, request, now, kUpdateMs, &writer_)) {
    end_update(UpdateFault::kNetwork, now);
  }
}

void Mind::step_update(Millis now) {
  const HttpClient::State state = http_.step(now);
  if (state == HttpClient::State::kBusy) return;
  if (state == HttpClient::State::kFailed) {
    end_update(
        http_.fault() == HttpFault::kStopped ? UpdateFault::kWriteFailed : UpdateFault::kNetwork,
        now);
  } else if (http_.status() != 200) {
    end_update(UpdateFault::kNetwork, now);
  } else {
    end_update(writer_.finish(), now);
  }
}

void Mind::end_update(UpdateFault fault, Millis now) {
  http_.stop();
  http_use_ = HttpUse::kNone;
  if (fault == UpdateFault::kNone) {
    platform_.system.log("updated");
    (void)note_attempt(platform_.store, image_of(offer_));
    restart();
    return;
  }
  writer_.abandon();
  if (fault == UpdateFault::kNetwork) {
    // Nothing is wrong with the image, and nobody need know.
    platform_.system.log("update cut off");
    update_check_.set(now, kUpdateAgainMs);
  } else {
    platform_.system.log("update failed");
    refused_image_.assign(image_of(offer_));
    show_text(sentence_of(Trouble::kUpdateFailed), 20);
  }
  if (state_ == DeviceState::kUpdating) connect(now);
}

// Every few hours of quiet the server is asked again, beside the session.
void Mind::check_for_update(Millis now) {
  if (checking_) {
    enrolment_.step(introduction(), now);
    const Enrolment::Phase phase = enrolment_.phase();
    if (phase == Enrolment::Phase::kAsking || phase == Enrolment::Phase::kSearching) return;
    checking_ = false;
    if (phase != Enrolment::Phase::kLetIn) return;
    if (conversation_.state() != DeviceState::kIdle) return;
    if (wants_update()) {
      // Found once more from there, with nothing else going on.
      offline(Trouble::kNone, 0, now);
      failures_ = kTriesWithOneAddress;
    }
    return;
  }
  if (!update_check_.due(now) || low_memory_ || http_use_ != HttpUse::kNone ||
      conversation_.state() != DeviceState::kIdle) {
    return;
  }
  update_check_.set(now, kUpdateCheckMs);
  checking_ = true;
  // The session's own server: another one that mDNS may find by now is not to get its token.
  const Text<160> server(enrolment_.server());
  enrolment_.start(server, now);
}

}  // namespace lobug
