#include "lobug/device/firmware_update.h"

#include "lobug/device/memory_watch.h"
#include "lobug/net/url.h"
#include "lobug/sentences.h"

namespace lobug {
namespace {

/// What an image is known by. Its digest, because a repaired image may have the same version.
std::string_view image_of(const FirmwareOffer& offer) { return offer.sha256.view().substr(0, 24); }

}  // namespace

FirmwareUpdate::FirmwareUpdate(HttpClient& http, const Platform& platform)
    : http_(http), platform_(platform), writer_(platform.firmware, platform.crypto) {}

bool FirmwareUpdate::wants(const Discovery& discovery, const UpdateTrust& trust) {
  offer_.version = discovery.firmware_version;
  offer_.url = discovery.firmware_url;
  offer_.size = discovery.firmware_size;
  offer_.sha256 = discovery.firmware_sha256;
  offer_.force = discovery.firmware_force;
  offer_.signature = discovery.firmware_signature;
  const bool wanted = image_of(offer_) != faulty_image_.view() &&
                      worth_taking(offer_, platform_.firmware) &&
                      may_attempt(platform_.store, image_of(offer_)) &&
                      platform_.system.free_memory() >= MemoryWatch::kLow;
  const SignatureFault fault =
      wanted ? check_signature(offer_, trust, platform_.crypto) : SignatureFault::kNone;
  if (fault != SignatureFault::kNone) {
    told_ = told_ && fault == refused_ && image_of(offer_) == refused_image_.view();
    refused_image_.assign(image_of(offer_));
  }
  refused_ = fault;
  return wanted && fault == SignatureFault::kNone;
}

Phrase FirmwareUpdate::take_refusal() {
  if (told_ || refused_ == SignatureFault::kNone) return Phrase::kNone;
  told_ = true;
  const bool wrong = refused_ == SignatureFault::kWrong;
  platform_.system.log(wrong ? sentences::kUpdateWronglySigned : sentences::kUpdateNotSigned);
  return wrong ? Phrase::kUpdateWrongSignature : Phrase::kUpdateUnsigned;
}

FirmwareUpdate::Progress FirmwareUpdate::start(const Endpoint& server, HttpRequest request,
                                               Millis now) {
  Url url;
  if (!parse_url(offer_.url, url) || url.endpoint.host != server.host.view() ||
      url.endpoint.port != server.port || url.endpoint.tls != server.tls) {
    faulty_image_.assign(image_of(offer_));
    platform_.system.log(sentences::kUpdateForeign);
    return Progress::kFaulty;
  }
  if (!writer_.begin(offer_)) return end(UpdateFault::kWriteFailed);
  request.path = url.path;
  loading_ = http_.start(url.endpoint, request, now, kDownloadMs, &writer_);
  return loading_ ? Progress::kBusy : end(UpdateFault::kNetwork);
}

FirmwareUpdate::Progress FirmwareUpdate::step(Millis now) {
  const HttpClient::State state = http_.step(now);
  if (state == HttpClient::State::kBusy) return Progress::kBusy;
  if (state == HttpClient::State::kFailed) {
    return end(http_.fault() == HttpFault::kStopped ? UpdateFault::kWriteFailed
                                                    : UpdateFault::kNetwork);
  }
  return end(http_.status() == 200 ? writer_.finish() : UpdateFault::kNetwork);
}

void FirmwareUpdate::stop() {
  if (loading_) writer_.abandon();
  loading_ = false;
}

FirmwareUpdate::Progress FirmwareUpdate::end(UpdateFault fault) {
  http_.stop();
  loading_ = false;
  if (fault == UpdateFault::kNone) {
    platform_.system.log(sentences::kUpdateDone);
    (void)note_attempt(platform_.store, image_of(offer_));
    return Progress::kDone;
  }
  writer_.abandon();
  if (fault == UpdateFault::kNetwork) {
    platform_.system.log(sentences::kUpdateCutOff);
    return Progress::kCutOff;
  }
  platform_.system.log(sentences::kUpdateFaulty);
  faulty_image_.assign(image_of(offer_));
  return Progress::kFaulty;
}

}  // namespace lobug
