#include "lobug/update/updater.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/text.h"

namespace lobug {
namespace {

constexpr std::size_t kMostParts = 4;
constexpr std::size_t kMostDigits = 6;

using Version = std::array<std::uint32_t, kMostParts>;

/// Parts that are missing count as 0, so that "2.1" and "2.1.0" are the same.
bool parse_version(const char* text, Version& version) {
  version.fill(0);
  if (text == nullptr) return false;
  for (std::size_t part = 0; part < kMostParts; ++part) {
    std::size_t digits = 0;
    for (; *text >= '0' && *text <= '9'; ++text, ++digits) {
      if (digits == kMostDigits) return false;
      version[part] = version[part] * 10 + static_cast<std::uint32_t>(*text - '0');
    }
    if (digits == 0) return false;
    if (*text == '\0') return true;
    if (*text != '.') return false;
    ++text;
  }
  return false;
}

constexpr std::string_view kKey = "tried";
constexpr std::size_t kLongestImage = 24;

/// Stored is the number of attempts, one digit, and then the image that they were of.
unsigned attempts_of(Store& store, std::string_view image) {
  std::array<char, kLongestImage + 1> stored{};
  const int size = store.get(kKey, Span<char>(stored.data(), stored.size()));
  if (size < 1) return 0;
  const std::string_view text(stored.data(), static_cast<std::size_t>(size));
  if (text.substr(1) != image || text[0] < '0' || text[0] > '9') return 0;
  return static_cast<unsigned>(text[0] - '0');
}

}  // namespace

bool is_newer(const char* offered, const char* running) {
  Version theirs;
  Version ours;
  return parse_version(offered, theirs) && parse_version(running, ours) && theirs > ours;
}

bool worth_taking(const FirmwareOffer& offer, const FirmwareSlot& slot) {
  if (offer.url.empty() || offer.size == 0 || offer.size > slot.capacity()) return false;
  Sha256Digest digest;
  if (!parse_sha256(offer.sha256, digest)) return false;
  if (slot.on_trial()) return false;
  const Text<24> running = slot.running_version();
  Version theirs;
  Version ours;
  if (!parse_version(offer.version.c_str(), theirs)) return false;
  if (!parse_version(running.c_str(), ours)) return offer.force;
  return theirs > ours || (offer.force && theirs != ours);
}

bool parse_hex(std::string_view hex, Span<std::uint8_t> into) {
  if (hex.size() != into.size() * 2) return false;
  for (std::size_t index = 0; index < hex.size(); ++index) {
    const char c = hex[index];
    unsigned nibble = 0;
    if (c >= '0' && c <= '9') {
      nibble = static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      nibble = static_cast<unsigned>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      nibble = static_cast<unsigned>(c - 'A') + 10;
    } else {
      return false;
    }
    std::uint8_t& byte = into[index / 2];
    byte = static_cast<std::uint8_t>(index % 2 == 0 ? nibble << 4U : byte | nibble);
  }
  return true;
}

bool parse_sha256(std::string_view hex, Sha256Digest& digest) {
  return parse_hex(hex, {digest.data(), digest.size()});
}

bool may_attempt(Store& store, std::string_view image) {
  return attempts_of(store, image) < kMostAttempts;
}

bool note_attempt(Store& store, std::string_view image) {
  if (image.size() > kLongestImage) return false;
  const unsigned attempts = attempts_of(store, image);
  Text<kLongestImage + 1> text;
  text.append(static_cast<char>('0' + (attempts < 9 ? attempts + 1 : 9)));
  text.append(image);
  return store.put(kKey, text);
}

FirmwareWriter::FirmwareWriter(FirmwareSlot& slot, Crypto& crypto) : slot_(slot), crypto_(crypto) {}

FirmwareWriter::~FirmwareWriter() { abandon(); }

bool FirmwareWriter::begin(const FirmwareOffer& offer) {
  abandon();
  written_ = 0;
  size_ = offer.size;
  fault_ = UpdateFault::kNone;
  if (!parse_sha256(offer.sha256, expected_)) {
    fault_ = UpdateFault::kWrongHash;
  } else if (size_ == 0) {
    fault_ = UpdateFault::kWrongSize;
  } else if (size_ > slot_.capacity()) {
    fault_ = UpdateFault::kTooLarge;
  } else if (!slot_.begin(size_)) {
    fault_ = UpdateFault::kWriteFailed;
  }
  if (fault_ != UpdateFault::kNone) return false;
  crypto_.sha256_begin();
  writing_ = true;
  return true;
}

bool FirmwareWriter::take(Bytes piece, std::uint32_t total) {
  if (!writing_) return false;
  if ((total != 0 && total != size_) || piece.size() > size_ - written_) {
    return fail(UpdateFault::kWrongSize);
  }
  if (piece.empty()) return true;
  if (!slot_.write(piece)) return fail(UpdateFault::kWriteFailed);
  crypto_.sha256_add(piece);
  written_ += static_cast<std::uint32_t>(piece.size());
  return true;
}

UpdateFault FirmwareWriter::finish() {
  if (!writing_) return fault_ != UpdateFault::kNone ? fault_ : UpdateFault::kIncomplete;
  if (written_ != size_) {
    fail(UpdateFault::kIncomplete);
    return fault_;
  }
  writing_ = false;
  if (crypto_.sha256_end() != expected_) {
    fault_ = UpdateFault::kWrongHash;
  } else if (!slot_.activate()) {
    fault_ = UpdateFault::kWriteFailed;
  }
  if (fault_ != UpdateFault::kNone) slot_.abandon();
  return fault_;
}

void FirmwareWriter::abandon() {
  if (!writing_) return;
  writing_ = false;
  if (fault_ == UpdateFault::kNone) fault_ = UpdateFault::kIncomplete;
  crypto_.sha256_end();  // a digest that was begun is ended, so that nothing of it is left behind
  slot_.abandon();
}

std::uint8_t FirmwareWriter::percent() const {
  if (size_ == 0) return 0;
  return static_cast<std::uint8_t>(static_cast<std::uint64_t>(written_) * 100 / size_);
}

bool FirmwareWriter::fail(UpdateFault fault) {
  fault_ = fault;
  abandon();
  return false;
}

void Trial::begin(Millis now) {
  running_ = slot_.on_trial();
  began_ = now;
  last_ = now;
  with_wifi_ms_ = 0;
  had_wifi_ = false;
}

void Trial::reached_server() {
  if (!running_) return;
  running_ = false;
  slot_.confirm();
}

void Trial::step(Millis now, bool wifi) {
  if (!running_) return;
  if (had_wifi_) with_wifi_ms_ += elapsed(last_, now);
  last_ = now;
  had_wifi_ = wifi;
  if (with_wifi_ms_ < limit_ms_ && elapsed(began_, now) < kMostTrialMs) return;
  running_ = false;  // on the host `roll_back` returns
  slot_.roll_back();
}

}  // namespace lobug
