// QR codes for phones: ISO/IEC 18004, versions 1 to 6, byte mode, error correction level M.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/text.h"

namespace lobug {

class QrCode {
 public:
  static constexpr int kMostSize = 41;            ///< modules a side, of version 6
  static constexpr std::size_t kMostBytes = 106;  ///< that version 6 holds at level M
  static constexpr int kQuietZone = 4;            ///< modules that have to stay light around it

  /// Takes the smallest version that holds the text. False, and an empty code, when none does.
  bool encode(std::string_view text);

  /// Modules a side, without the quiet zone; 0: nothing is encoded.
  int size() const { return size_; }
  bool is_dark(int x, int y) const { return is_set(dark_, x, y); }
  /// Which of the eight masks was taken: the one that is easiest to read.
  int mask() const { return mask_; }

 private:
  /// A square of modules, one row after the other.
  using Modules = std::array<std::uint64_t, kMostSize>;

  static bool is_set(const Modules& modules, int x, int y) {
    return (modules[static_cast<std::size_t>(y)] >> x & 1U) != 0;
  }
  static void set(Modules& modules, int x, int y, bool dark);
  /// A module that is the same whatever is encoded.
  void place(int x, int y, bool dark);
  void place_finder(int x, int y);
  void place_patterns(int version);
  void place_format(int mask);
  void place_codewords(const std::uint8_t* codewords, std::size_t count);
  void apply_mask(int mask);
  int penalty() const;

  Modules dark_{};
  Modules fixed_{};  ///< where no codeword goes
  int size_ = 0;
  int mask_ = 0;
};

/// What a phone's camera takes as "join this Wi-Fi"; an empty key: an open network.
Text<224> wifi_code_text(std::string_view network, std::string_view key);

}  // namespace lobug
