// Takes a new firmware that discovery offers.
#pragma once

#include <cstdint>

#include "lobug/device/device.h"
#include "lobug/language/phrase.h"
#include "lobug/net/http_client.h"
#include "lobug/protocol/messages.h"
#include "lobug/update/signature.h"
#include "lobug/update/updater.h"

namespace lobug {

/// One download at a time, over the HTTP connection that is passed in.
class FirmwareUpdate {
 public:
  static constexpr Millis kDownloadMs = 600000;  ///< for the whole image

  enum class Progress : std::uint8_t {
    kBusy,
    kDone,    ///< written, verified and activated: restart into it
    kCutOff,  ///< the network failed; the image may be good
    kFaulty,  ///< the image is no good, and is not taken again
  };

  FirmwareUpdate(HttpClient& http, const Platform& platform);

  /// Whether the firmware that `discovery` offers is to be taken; it is remembered for `start`.
  bool wants(const Discovery& discovery, const UpdateTrust& trust);
  /// What the owner is told when that was newer but not to be trusted, once; else kNone.
  Phrase take_refusal();
  /// Why the last offer was not trusted; kNone when it was, or when there was none.
  SignatureFault refused() const { return refused_; }
  /// Begins the download with `request`, whose path is set here. `server` is who offered it: an
  /// image is taken from nobody else.
  Progress start(const Endpoint& server, HttpRequest request, Millis now);
  Progress step(Millis now);
  /// Gives up what is under way; the HTTP connection was closed.
  void stop();
  std::uint8_t percent() const { return writer_.percent(); }

 private:
  Progress end(UpdateFault fault);

  HttpClient& http_;
  const Platform& platform_;
  FirmwareWriter writer_;
  FirmwareOffer offer_;
  Text<24> faulty_image_;
  Text<24> refused_image_;
  SignatureFault refused_ = SignatureFault::kNone;
  bool told_ = true;  ///< of `refused_`
  bool loading_ = false;
};

}  // namespace lobug
