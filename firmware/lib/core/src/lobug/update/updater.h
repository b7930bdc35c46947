// A new firmware from the server: fetched, checked, started on trial, taken back when it fails.
#pragma once

#include <cstdint>

#include "lobug/base/clock.h"
#include "lobug/base/span.h"
#include "lobug/base/text.h"
#include "lobug/net/http_client.h"
#include "lobug/ports/crypto.h"
#include "lobug/ports/firmware_slot.h"

namespace lobug {

struct FirmwareOffer {
  Text<24> version;
  Text<256> url;
  std::uint32_t size = 0;
  Text<64> sha256;
  bool force = false;
};

enum class UpdateFault : std::uint8_t {
  kNone, kIncomplete, kWrongSize, kWrongHash, kTooLarge, kWriteFailed, kNetwork, kForeignHost,
};

/// Dotted numbers: "2.10.0" is newer than "2.9.1". What is no version is never newer.
bool is_newer(const char* offered, const char* running);

/// Whether the offer is to be taken: newer (or forced and different), with size and SHA-256, and it
/// fits. An offer without them is never taken.
bool worth_taking(const FirmwareOffer& offer, const FirmwareSlot& slot);

/// Writes what arrives to the slot and verifies it; nothing is activated that is not whole.
class FirmwareWriter final : public BodySink {
 public:
  FirmwareWriter(FirmwareSlot& slot, Crypto& crypto);
  bool begin(const FirmwareOffer& offer);
  bool take(Bytes piece, std::uint32_t total) override;
  /// All came: verify, then activate. kNone: restart now.
  UpdateFault finish();
  void abandon();
  std::uint8_t percent() const;

 private:
  FirmwareSlot& slot_;
  Crypto& crypto_;
  FirmwareOffer offer_;
  std::uint32_t written_ = 0;
};

/// While an image is on trial: confirm it once the server was reached, roll back when it was not
/// within `limit_ms` although the Wi-Fi was up, or after `kMostTrialMs` whatever happened.
class Trial {
 public:
  Trial(FirmwareSlot& slot, Millis limit_ms = 120000) : slot_(slot), limit_ms_(limit_ms) {}
  void begin(Millis now);
  void reached_server();
  void step(Millis now, bool wifi);

 private:
  FirmwareSlot& slot_;
  Millis limit_ms_;
};

}  // namespace lobug
