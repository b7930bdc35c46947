// Pictures of characters that the fonts lack, as the server sends them with what it says.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lobug/base/exchange.h"

namespace lobug {

/// 1 bit a pixel. Width and height are 1 to kMostSide pixels.
struct PushedGlyph {
  static constexpr std::size_t kMostSide = 16;

  std::uint16_t code = 0;  ///< Unicode, not 0
  std::uint8_t width = 0, height = 0;
  std::array<std::uint16_t, kMostSide> rows{};  ///< from the top; the left pixel in the highest bit
};

/// The newest kKept pictures. The device's thread pushes, the screen's takes and finds; the server
/// counts on it that the kKept that it sent last are there. About 17 KB: for PSRAM.
class PushedGlyphs {
 public:
  static constexpr std::size_t kKept = 256;
  /// Waiting for the screen, which takes them each of its rounds: more than one text has.
  static constexpr std::size_t kWaiting = 192;

  /// False when too many wait; the picture is then dropped.
  bool push(const PushedGlyph& glyph) { return arriving_.push(glyph); }

  /// Takes what was pushed, in place of the oldest.
  void take();
  /// The newest picture of that character; nullptr: there is none. Good until the next `take`.
  const PushedGlyph* find(std::uint32_t code) const;
  /// What tells a picture from every other, also from a later one in its place.
  std::uintptr_t mark_of(const PushedGlyph& glyph) const;

 private:
  Queue<PushedGlyph, kWaiting> arriving_;
  std::array<PushedGlyph, kKept> kept_{};
  std::array<std::uint16_t, kKept> codes_{};  ///< of `kept_`, beside each other: a fast search
  std::size_t next_ = 0;
};

}  // namespace lobug
