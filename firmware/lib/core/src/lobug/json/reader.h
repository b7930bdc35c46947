// JSON that came from somewhere else, read where it lies: nothing is copied, kept or allocated, and
// the number of fields is not limited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lobug/base/text.h"

namespace lobug::json {

enum class Type : std::uint8_t {
  kNone,  ///< there is no such value
  kNull,
  kBoolean,
  kNumber,
  kString,
  kArray,
  kObject,
};

/// One value within a document; good while the document's bytes are.
class Value {
 public:
  /// No value: of type kNone.
  Value() = default;

  Type type() const;
  bool exists() const { return type() != Type::kNone; }
  /// Its JSON, without white space around it.
  std::string_view raw() const { return raw_; }

  /// The object's field of that name; of several the last, as most readers have it. No value when
  /// this is no object or has no such field. Takes time in proportion to the object's length.
  Value member(std::string_view name) const;

  /// Whether it is a string of exactly these characters.
  bool is(std::string_view text) const;
  /// The value of a boolean, `fallback` of anything else.
  bool boolean(bool fallback) const;
  /// A whole number, however it is written (7, 7.0, 70e-1), that is in the range.
  std::optional<std::int64_t> integer(std::int64_t least, std::int64_t most) const;
  /// A string's characters, as many as there is room for. False when it is no string (`into` is
  /// empty then) or when it was cut.
  template <std::size_t N>
  bool text(Text<N>& into) const;

 private:
  friend class Items;
  friend Value parse(std::string_view document);
  explicit Value(std::string_view raw) : raw_(raw) {}

  std::string_view raw_;
};

/// Reads one document. No value when it is no JSON, or too deep (syntax.h says what is).
Value parse(std::string_view document);

/// The elements of an array, or the fields of an object in their order; nothing of other values.
class Items {
 public:
  explicit Items(const Value& container);
  /// False at the end.
  bool next();
  Value value() const { return value_; }
  /// A string; no value in an array.
  Value name() const { return name_; }

 private:
  std::string_view rest_;
  bool object_;
  Value name_;
  Value value_;
};

/// The characters of a string, escapes resolved. What is no UTF-8 and half surrogate pairs are
/// U+FFFD.
class Characters {
 public:
  /// Nothing comes of a value that is no string.
  explicit Characters(const Value& string);
  /// The next character in UTF-8, 1 to 4 bytes, good until the next call; empty at the end.
  std::string_view next();

 private:
  std::uint32_t escaped();

  std::string_view rest_;
  char bytes_[4] = {};
};

template <std::size_t N>
bool Value::text(Text<N>& into) const {
  into.clear();
  if (type() != Type::kString) return false;
  Characters characters(*this);
  for (std::string_view next = characters.next(); !next.empty(); next = characters.next()) {
    if (!into.append(next)) return false;
  }
  return true;
}

}  // namespace lobug::json
