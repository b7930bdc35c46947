// A new firmware from the server: whether it is taken, written and verified, and its trial.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/base/clock.h"
#include "lobug/base/span.h"
#include "lobug/base/text.h"
#include "lobug/net/http_client.h"
#include "lobug/ports/crypto.h"
#include "lobug/ports/firmware_slot.h"
#include "lobug/ports/store.h"

namespace lobug {

struct FirmwareOffer {
  Text<24> version;
  Text<256> url;
  std::uint32_t size = 0;
  Text<64> sha256;
  bool force = false;
  Text<128> signature;  ///< hexadecimal
};

enum class UpdateFault : std::uint8_t {
  kNone,
  kIncomplete,
  kWrongSize,
  kWrongHash,
  kTooLarge,
  kWriteFailed,
  kNetwork,
  kForeignHost,
};

/// Dotted numbers, one to four: "2.10.0" is newer than "2.9.1", "2.1" is the same as "2.1.0". What
/// is no version ("v2.1", "2.1-rc1", a null pointer) is never newer, and nothing is newer than it.
bool is_newer(const char* offered, const char* running);

/// Two digits of hexadecimal for each byte, in either case. False, with anything in `into`, when
/// they are not just as many.
bool parse_hex(std::string_view hex, Span<std::uint8_t> into);
bool parse_sha256(std::string_view hex, Sha256Digest& digest);

/// Whether the offer is to be taken: newer (or forced and different), with size and SHA-256, and it
/// fits. An offer without them is never taken, and none while the running image is on trial.
bool worth_taking(const FirmwareOffer& offer, const FirmwareSlot& slot);

/// Writes what arrives to the slot and verifies it; nothing is activated that is not whole.
/// Whatever goes wrong, the slot is given up at once. One download at a time; uses the crypto's
/// SHA-256.
class FirmwareWriter final : public BodySink {
 public:
  FirmwareWriter(FirmwareSlot& slot, Crypto& crypto);
  ~FirmwareWriter() override;
  FirmwareWriter(const FirmwareWriter&) = delete;
  FirmwareWriter& operator=(const FirmwareWriter&) = delete;

  /// False when it cannot be written: see `finish`.
  bool begin(const FirmwareOffer& offer);
  /// False when this cannot be the image: too long, of another length, or not to be written.
  bool take(Bytes piece, std::uint32_t total) override;
  /// All came: verify, then activate. kNone: restart now. After a failure of `begin` or `take` it
  /// says which it was; kIncomplete when nothing was begun.
  UpdateFault finish();
  void abandon();
  /// 0 to 100, of what was begun last.
  std::uint8_t percent() const;

 private:
  bool fail(UpdateFault fault);

  FirmwareSlot& slot_;
  Crypto& crypto_;
  Sha256Digest expected_{};
  std::uint32_t size_ = 0;
  std::uint32_t written_ = 0;
  UpdateFault fault_ = UpdateFault::kNone;
  bool writing_ = false;
};

/// The longest trial: then the old image is taken back even if the Wi-Fi was never up, because the
/// new one may be the reason.
constexpr Millis kMostTrialMs = 900000;

/// While an image is on trial: confirm it once the server was reached, roll back when it was not
/// within `limit_ms` of Wi-Fi (gaps do not count), or after `kMostTrialMs` whatever happened. A
/// restart during the trial goes back too: the boot loader does that.
class Trial {
 public:
  explicit Trial(FirmwareSlot& slot, Millis limit_ms = 120000) : slot_(slot), limit_ms_(limit_ms) {}
  void begin(Millis now);
  void reached_server();
  void step(Millis now, bool wifi);

 private:
  FirmwareSlot& slot_;
  Millis limit_ms_;
  Millis began_ = 0;
  Millis last_ = 0;
  Millis with_wifi_ms_ = 0;
  bool had_wifi_ = false;
  bool running_ = false;
};

/// An image can fail its trial because the server was away just then, so it has a second chance.
constexpr unsigned kMostAttempts = 2;

/// Whether an image may be tried (again): the first 24 digits of its SHA-256. Only images that were
/// noted and do not run count: ask only about what is worth taking.
bool may_attempt(Store& store, std::string_view image);
/// To be called when an image was activated, before the restart into it. False when it could not
/// be stored: restart anyway.
bool note_attempt(Store& store, std::string_view image);

}  // namespace lobug
