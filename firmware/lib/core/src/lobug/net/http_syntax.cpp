#include "lobug/net/http_syntax.h"

#include <cstring>

#include "lobug/base/calendar.h"

namespace lobug {
namespace {

unsigned char lower(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 'A' && byte <= 'Z' ? static_cast<unsigned char>(byte - 'A' + 'a') : byte;
}

/// `count` digits at `at`; -1 for anything else.
std::int32_t digits_at(std::string_view text, std::size_t at, std::size_t count) {
  std::int32_t number = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return -1;
    number = number * 10 + (c - '0');
  }
  return number;
}

bool is_space(char c) { return c == ' ' || c == '\t'; }

bool is_token_character(char c) {
  const unsigned char small = lower(c);
  if (is_digit(c) || (small >= 'a' && small <= 'z')) return true;
  return c != '\0' && std::strchr("!#$%&'*+-.^_`|~", c) != nullptr;
}

/// What may stand in a line that is received: TAB, and all but control characters.
bool is_text(unsigned char byte) { return byte == '\t' || (byte >= 0x20 && byte != 0x7F); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_printable(std::string_view text, char from) {
  for (const char c : text) {
    if (c < from || c > '~') return false;
  }
  return true;
}

}  // namespace

bool same_ignoring_case(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (lower(left[i]) != lower(right[i])) return false;
  }
  return true;
}

std::int64_t parse_http_date(std::string_view text) {
  constexpr std::string_view kForm = "ddd, DD mmm YYYY HH:MM:SS GMT";
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (text.size() != kForm.size()) return -1;
  // What separates the parts is as in the form.
  for (const std::size_t at : {3U, 4U, 7U, 11U, 16U, 19U, 22U, 25U, 26U, 27U, 28U}) {
    if (text[at] != kForm[at]) return -1;
  }
  const std::size_t month = kMonths.find(text.substr(8, 3));
  const std::int32_t day = digits_at(text, 5, 2);
  const std::int32_t hour = digits_at(text, 17, 2);
  const std::int32_t minute = digits_at(text, 20, 2);
  const std::int32_t second = digits_at(text, 23, 2);
  if (month == std::string_view::npos || month % 3 != 0 || day < 0 || hour < 0 || minute < 0 ||
      second < 0) {
    return -1;
  }
  DateTime moment;
  moment.year = digits_at(text, 12, 4);
  moment.month = static_cast<std::uint8_t>(month / 3 + 1);
  moment.day = static_cast<std::uint8_t>(day);
  moment.hour = static_cast<std::uint8_t>(hour);
  moment.minute = static_cast<std::uint8_t>(minute);
  moment.second = static_cast<std::uint8_t>(second == 60 ? 59 : second);  // a leap second
  return unix_seconds_of(moment);
}

bool parse_decimal(std::string_view text, std::uint32_t& number) {
  if (text.empty()) return false;
  std::uint32_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return false;
    const auto digit = static_cast<std::uint32_t>(c - '0');
    if (value > (UINT32_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  number = value;
  return true;
}

bool is_token(std::string_view text) {
  for (const char c : text) {
    if (!is_token_character(c)) return false;
  }
  return !text.empty();
}

bool list_names(std::string_view list, std::string_view token) {
  while (true) {
    const std::size_t comma = list.find(',');
    if (same_ignoring_case(trimmed(list.substr(0, comma)), token)) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

LineStep find_line(Bytes bytes, std::size_t& scanned, std::string_view& line) {
  for (; scanned < bytes.size(); ++scanned) {
    const unsigned char byte = bytes[scanned];
    const bool after_cr = scanned > 0 && bytes[scanned - 1] == '\r';
    if (after_cr != (byte == '\n')) return LineStep::kBroken;
    if (after_cr) {
      line = std::string_view(reinterpret_cast<const char*>(bytes.data()), scanned - 1);
      return LineStep::kLine;
    }
    if (byte != '\r' && !is_text(byte)) return LineStep::kBroken;
  }
  return LineStep::kMore;
}

bool parse_status_line(std::string_view line, StatusLine& status) {
  constexpr std::string_view kVersion = "HTTP/1.";
  constexpr std::size_t kStatusAt = kVersion.size() + 2;
  if (line.size() < kStatusAt + 3 || line.substr(0, kVersion.size()) != kVersion) return false;
  const char minor = line[kVersion.size()];
  if (!is_digit(minor) || line[kVersion.size() + 1] != ' ') return false;
  std::uint32_t number = 0;
  if (!parse_decimal(line.substr(kStatusAt, 3), number) || number < 100 || number > 599) {
    return false;
  }
  // The reason behind it is for people; some leave out even its space.
  if (line.size() > kStatusAt + 3 && line[kStatusAt + 3] != ' ') return false;
  status.minor_version = minor - '0';
  status.status = static_cast<int>(number);
  return true;
}

bool parse_header_field(std::string_view line, HeaderField& field) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
  field.name = line.substr(0, colon);
  field.value = trimmed(line.substr(colon + 1));
  return true;
}

void HeadWriter::put(std::string_view text) {
  if (text.size() > out_.size() - size_) {
    ok_ = false;
    too_large_ = true;
  }
  if (!ok_ || text.empty()) return;
  std::memcpy(out_.data() + size_, text.data(), text.size());
  size_ += text.size();
}

void HeadWriter::request_line(std::string_view method, std::string_view path) {
  if (!is_token(method) || path.empty() || path[0] != '/' || !is_printable(path, '!')) ok_ = false;
  put(method);
  put(" ");
  put(path);
  put(" HTTP/1.1\r\n");
}

void HeadWriter::field(std::string_view name, std::string_view value) { field(name, "", value); }

void HeadWriter::field(std::string_view name, std::string_view word, std::string_view value) {
  if (value.empty()) return;
  if (!is_token(name) || !is_printable(word, ' ') || !is_printable(value, ' ')) ok_ = false;
  put(name);
  put(": ");
  put(word);
  put(value);
  put("\r\n");
}

void HeadWriter::number_field(std::string_view name, std::uint32_t number) {
  char digits[10];
  std::size_t at = sizeof digits;
  do {
    digits[--at] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  field(name, std::string_view(digits + at, sizeof digits - at));
}

void HeadWriter::end(std::string_view body) {
  put("\r\n");
  put(body);
}

}  // namespace lobug
