#include "lobug/json/reader.h"

#include "lobug/base/utf8.h"
#include "lobug/json/syntax.h"

namespace lobug::json {
namespace {

constexpr bool is_high_surrogate(std::uint32_t code) { return code >= 0xD800 && code <= 0xDBFF; }
constexpr bool is_low_surrogate(std::uint32_t code) { return code >= 0xDC00 && code <= 0xDFFF; }

std::uint32_t hex_of(std::string_view digits) {
  std::uint32_t value = 0;
  for (const char c : digits) {
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    value = value * 16 + static_cast<std::uint32_t>(digit);
  }
  return value;
}

/// A number's parts: -12.50e3 is negative, has the digits "1250" and the exponent 1.
struct Decimal {
  /// Digits of an int64 at most; longer numbers are in none of its ranges.
  static constexpr int kMostDigits = 19;

  bool negative = false;
  bool fits = true;
  int digits = 0;  ///< significant ones; 0: the number is zero
  std::uint64_t mantissa = 0;
  std::int64_t exponent = 0;  ///< of the mantissa's last digit
};

/// Exponents beyond it make the same of any number of digits that memory can hold.
constexpr std::int64_t kHugeExponent = 1'000'000'000'000;

Decimal decimal_of(std::string_view number) {
  Decimal result;
  std::size_t at = 0;
  bool fraction = false;
  std::int64_t zeros = 0;  // seen since the last digit that counts
  if (number[at] == '-') {
    result.negative = true;
    ++at;
  }
  for (; at < number.size() && number[at] != 'e' && number[at] != 'E'; ++at) {
    if (number[at] == '.') {
      fraction = true;
      continue;
    }
    if (fraction) --result.exponent;
    if (number[at] == '0') {
      ++zeros;
      continue;
    }
    if (result.digits == 0) zeros = 0;  // leading ones count nothing
    for (; zeros >= 0 && result.fits; --zeros) {
      result.fits = result.digits < Decimal::kMostDigits;
      if (!result.fits) break;
      const int digit = zeros == 0 ? number[at] - '0' : 0;
      result.mantissa = result.mantissa * 10 + static_cast<std::uint64_t>(digit);
      ++result.digits;
    }
    zeros = 0;
  }
  result.exponent += zeros;
  if (at == number.size()) return result;
  ++at;
  const bool below = number[at] == '-';
  if (below || number[at] == '+') ++at;
  std::int64_t exponent = 0;
  for (; at < number.size(); ++at) {
    if (exponent < kHugeExponent) exponent = exponent * 10 + (number[at] - '0');
  }
  result.exponent += below ? -exponent : exponent;
  return result;
}

}  // namespace

Value parse(std::string_view document) { return Value(only_value(document)); }

Type Value::type() const {
  if (raw_.empty()) return Type::kNone;
  switch (raw_.front()) {
    case '{':
      return Type::kObject;
    case '[':
      return Type::kArray;
    case '"':
      return Type::kString;
    case 't':
    case 'f':
      return Type::kBoolean;
    case 'n':
      return Type::kNull;
    default:
      return Type::kNumber;
  }
}

Value Value::member(std::string_view name) const {
  Value found;
  if (type() != Type::kObject) return found;
  Items items(*this);
  while (items.next()) {
    if (items.name().is(name)) found = items.value();
  }
  return found;
}

bool Value::is(std::string_view text) const {
  if (type() != Type::kString) return false;
  Characters characters(*this);
  for (std::string_view next = characters.next(); !next.empty(); next = characters.next()) {
    if (text.substr(0, next.size()) != next) return false;
    text.remove_prefix(next.size());
  }
  return text.empty();
}

bool Value::boolean(bool fallback) const {
  return type() == Type::kBoolean ? raw_.front() == 't' : fallback;
}

std::optional<std::int64_t> Value::integer(std::int64_t least, std::int64_t most) const {
  if (type() != Type::kNumber) return std::nullopt;
  const Decimal decimal = decimal_of(raw_);
  std::int64_t value = 0;
  if (decimal.digits > 0) {
    if (!decimal.fits || decimal.exponent < 0) return std::nullopt;
    if (decimal.digits + decimal.exponent > Decimal::kMostDigits) return std::nullopt;
    std::uint64_t size = decimal.mantissa;
    for (std::int64_t i = 0; i < decimal.exponent; ++i) size *= 10;
    const std::uint64_t limit =
        static_cast<std::uint64_t>(INT64_MAX) + (decimal.negative ? 1U : 0U);
    if (size > limit) return std::nullopt;
    // Negated below zero, since the smallest number has no positive counterpart.
    value = decimal.negative ? -static_cast<std::int64_t>(size - 1) - 1
                             : static_cast<std::int64_t>(size);
  }
  if (value < least || value > most) return std::nullopt;
  return value;
}

Items::Items(const Value& container) : object_(container.type() == Type::kObject) {
  if (object_ || container.type() == Type::kArray) rest_ = container.raw();
}

bool Items::next() {
  if (rest_.empty()) return false;
  // rest_ begins with the bracket or the comma in front of the next item, or the closing bracket.
  std::size_t at = skip_space(rest_, 1);
  if (at >= rest_.size() || rest_[at] == '}' || rest_[at] == ']') {
    rest_ = {};
    return false;
  }
  if (object_) {
    const std::size_t end = end_of_value(rest_, at);
    name_ = Value(rest_.substr(at, end - at));
    at = skip_space(rest_, skip_space(rest_, end) + 1);
  }
  const std::size_t end = end_of_value(rest_, at);
  value_ = Value(rest_.substr(at, end - at));
  rest_.remove_prefix(skip_space(rest_, end));
  if (rest_.front() != ',') rest_ = {};
  return true;
}

Characters::Characters(const Value& string) {
  if (string.type() == Type::kString) rest_ = string.raw().substr(1, string.raw().size() - 2);
}

std::string_view Characters::next() {
  if (rest_.empty()) return {};
  if (rest_.front() == '\\') return {bytes_, encode_utf8(escaped(), bytes_)};
  const std::size_t length = utf8_length(rest_);
  const std::string_view character = length > 0 ? rest_.substr(0, length) : kReplacementUtf8;
  rest_.remove_prefix(length > 0 ? length : 1);
  return character;
}

/// The code point of the escape that the rest begins with; of half a pair the half.
std::uint32_t Characters::escaped() {
  const char kind = rest_[1];
  const std::string_view here = rest_;
  rest_.remove_prefix(kind == 'u' ? 6 : 2);
  switch (kind) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'u':
      break;
    default:
      return static_cast<unsigned char>(kind);
  }
  const std::uint32_t first = hex_of(here.substr(2, 4));
  if (!is_high_surrogate(first) || rest_.substr(0, 2) != "\\u") return first;
  const std::uint32_t second = hex_of(rest_.substr(2, 4));
  if (!is_low_surrogate(second)) return first;
  rest_.remove_prefix(6);
  return 0x10000U + ((first - 0xD800U) << 10U) + (second - 0xDC00U);
}

}  // namespace lobug::json
