#include "lobug/body/head_touch.h"

namespace lobug {
namespace {

constexpr std::uint8_t kZones = 3;

/// A bit for each zone that is touched at all.
std::uint8_t touched_zones(std::uint8_t zones) {
  std::uint8_t touched = 0;
  for (std::uint8_t zone = 0; zone < kZones; ++zone) {
    if ((zones >> (2U * zone) & 3U) != 0) touched |= static_cast<std::uint8_t>(1U << zone);
  }
  return touched;
}

bool several(std::uint8_t bits) { return (bits & (bits - 1U)) != 0; }

}  // namespace

bool HeadTouch::update(std::uint8_t zones, Millis now) {
  if (again_.due(now)) again_.clear();
  const std::uint8_t touches = touched_zones(zones);
  if (touches == 0) {
    touched_ = counted_ = false;
    seen_ = 0;
    return false;
  }
  if (!touched_) rests_.set(now, kRestsMs);
  touched_ = true;
  seen_ |= touches;
  if (counted_ || again_.is_set() || !(rests_.due(now) || several(seen_))) return false;
  counted_ = true;
  again_.set(now, kAgainMs);
  return true;
}

}  // namespace lobug
