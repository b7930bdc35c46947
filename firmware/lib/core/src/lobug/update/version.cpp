#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/update/updater.h"

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

bool parse_sha256(std::string_view hex, Sha256Digest& digest) {
  if (hex.size() != digest.size() * 2) return false;
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
    std::uint8_t& byte = digest[index / 2];
    byte = static_cast<std::uint8_t>(index % 2 == 0 ? nibble << 4U : byte | nibble);
  }
  return true;
}

}  // namespace lobug
