// The grammar of HTTP/1.1 messages (RFC 9110, RFC 9112), without any state of a connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/span.h"

namespace lobug {

/// Of one head: more than any server sends, little enough for a hostile one.
constexpr std::size_t kMostHeadBytes = 8192;
constexpr std::size_t kMostHeadLines = 64;

/// The status of an answer that turns a connection into a WebSocket's.
constexpr int kSwitchingProtocols = 101;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// ASCII alone.
bool same_ignoring_case(std::string_view left, std::string_view right);
/// Digits alone, at least one, up to 2^32 - 1.
bool parse_decimal(std::string_view text, std::uint32_t& number);
/// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7) in seconds since 1970; -1 for anything else.
std::int64_t parse_http_date(std::string_view text);
/// A name of a method or of a header.
bool is_token(std::string_view text);
/// Whether a list of tokens ("keep-alive, Upgrade") names one, in whatever case.
bool list_names(std::string_view list, std::string_view token);

enum class LineStep : std::uint8_t {
  kMore,  ///< its end has not come yet
  kLine,
  kBroken,  ///< a bare CR or LF, or a control character
};

/// Looks for the line at the beginning of `bytes`, which ends in CR LF. What was looked at is kept
/// in `scanned` (0 for a new line), so that a line that comes in single bytes costs no more than
/// another. `line` is without the CR LF.
LineStep find_line(Bytes bytes, std::size_t& scanned, std::string_view& line);

struct StatusLine {
  int minor_version = 1;  ///< of HTTP/1.x
  int status = 0;         ///< 100 to 599
};
bool parse_status_line(std::string_view line, StatusLine& status);

struct HeaderField {
  std::string_view name;
  std::string_view value;  ///< without white space around it; may be empty
};
/// False for a folded line too, which is obsolete (RFC 9112, 5.2).
bool parse_header_field(std::string_view line, HeaderField& field);

/// Writes the head of a request. A value that would break out of its line is refused, and so is
/// everything then: `size` stays 0.
class HeadWriter {
 public:
  explicit HeadWriter(MutableBytes out) : out_(out) {}
  /// `path` with the query, printable ASCII from "/" on.
  void request_line(std::string_view method, std::string_view path);
  /// Printable ASCII, spaces within; left out when the value is empty.
  void field(std::string_view name, std::string_view value);
  /// As `field`, with a word before the value.
  void field(std::string_view name, std::string_view word, std::string_view value);
  void number_field(std::string_view name, std::uint32_t number);
  /// The empty line, and a body behind it.
  void end(std::string_view body = {});
  /// False when something was refused or did not fit.
  bool ok() const { return ok_; }
  /// Bytes of the whole request, 0 unless `ok`.
  std::size_t size() const { return ok_ ? size_ : 0; }
  /// Why it is not ok: it did not fit.
  bool too_large() const { return too_large_; }

 private:
  void put(std::string_view text);

  MutableBytes out_;
  std::size_t size_ = 0;
  bool ok_ = true;
  bool too_large_ = false;
};

}  // namespace lobug
