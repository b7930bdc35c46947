// Reads the CA certificate that an owner pastes, character by character.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/text.h"
#include "lobug/language/phrase.h"

namespace lobug {

/// Checks only the form of a PEM (markers, base64, length): whether the certificate is
/// valid shows when a server is verified. Line ends may be LF, CR LF or the two characters
/// "\n"; text before, between and after certificates is left out, as OpenSSL does.
class CaReader {
 public:
  /// Nullptr: only check.
  explicit CaReader(Text<2048>* into) : into_(into) {
    if (into_ != nullptr) into_->clear();
  }
  void add(char character);
  void add(std::string_view text) {
    for (const char character : text) add(character);
  }
  /// The end of the text: kNone when it is valid, else a sentence for the owner.
  Phrase finish();

 private:
  enum class Place : std::uint8_t { kOutside, kInside };
  enum class Fault : std::uint8_t { kNone, kNoPem, kPrivateKey, kTooLong };

  void put(char character);
  void end_line();
  void keep(std::string_view line);
  void fail(Fault fault);

  Text<2048>* into_;
  std::array<char, 80> line_{};
  std::size_t line_size_ = 0;
  bool line_too_long_ = false;
  bool backslash_ = false;
  Place place_ = Place::kOutside;
  Fault fault_ = Fault::kNone;
  std::size_t kept_ = 0;
  std::size_t body_lines_ = 0;
  std::size_t certificates_ = 0;
};

}  // namespace lobug
