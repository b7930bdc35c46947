// Arithmetic of pictures and movement without floating point: the same on every processor.
#pragma once

#include <cstdint>

namespace lobug {

/// Pixels to 1/16 pixel.
constexpr int px(int pixels) { return pixels * 16; }

constexpr int clamped(int value, int least, int most) {
  return value < least ? least : (value > most ? most : value);
}

/// The largest integer whose square is not above `value`.
constexpr std::uint32_t integer_root(std::uint32_t value) {
  std::uint32_t root = 0;
  std::uint32_t bit = 1U << 30U;
  while (bit > value) bit >>= 2U;
  while (bit != 0) {
    if (value >= root + bit) {
      value -= root + bit;
      root = (root >> 1U) + bit;
    } else {
      root >>= 1U;
    }
    bit >>= 2U;
  }
  return root;
}

/// Sine of a turn in 256 steps, -256 to 256, by Bhaskara's formula (off by at most 1).
constexpr int sine(int angle) {
  const int half = angle & 127;
  const int product = half * (128 - half);
  const int value = 256 * 16 * product / (5 * 128 * 128 - 4 * product);
  return (angle & 128) != 0 ? -value : value;
}
constexpr int cosine(int angle) { return sine(angle + 64); }

/// From 0 to 256 as `progress` goes there, slow at both ends.
constexpr int eased(int progress) {
  const int t = clamped(progress, 0, 256);
  return t * t * (3 * 256 - 2 * t) / (256 * 256);
}

/// A step from `value` to `target` such as a spring with `tau_ms` makes it in `dt_ms`; reaches it.
constexpr int approached(int value, int target, int dt_ms, int tau_ms) {
  const int rest = target - value;
  const int step = rest * dt_ms / (dt_ms + tau_ms);
  if (step != 0) return value + step;
  return rest > 0 ? value + 1 : (rest < 0 ? value - 1 : value);
}

}  // namespace lobug
