// Reads the pictures of characters that the server sends (docs/protocol.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/face/pushed_glyphs.h"
#include "lobug/json/reader.h"

namespace lobug {

/// The glyphs of one message, in their order: [{"code": 26085, "width": 16, "height": 16, "bits":
/// BASE64}, ...]. A row has whole bytes, the left pixel in the highest bit of the first. One that
/// is anything else is bad, and so is what comes after the first kMost.
class GlyphReader {
 public:
  static constexpr std::size_t kMost = 64;

  enum class Next : std::uint8_t { kEnd, kGood, kBad };

  /// `glyphs`: `ServerMessage::payload`.
  explicit GlyphReader(std::string_view glyphs) : items_(json::parse(glyphs)) {}
  /// `into` is only changed when it is good.
  Next next(PushedGlyph& into);

 private:
  json::Items items_;
  std::size_t count_ = 0;
};

}  // namespace lobug
