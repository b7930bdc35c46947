// Writes JSON into the caller's memory: whole and correct, or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/span.h"

namespace lobug::json {

/// Writes one document from front to back and puts the commas itself. What comes in as text may be
/// any bytes: what goes out is always UTF-8.
///
///   Writer json(buffer);
///   json.begin_object().name("type").text("hello").name("version").number(1).end_object();
///   const std::size_t length = json.finish();
class Writer {
 public:
  explicit Writer(Span<char> into) : into_(into) {}

  Writer& begin_object() { return begin('{'); }
  Writer& end_object() { return end('}'); }
  Writer& begin_array() { return begin('['); }
  Writer& end_array() { return end(']'); }
  /// Of the field whose value comes next.
  Writer& name(std::string_view name);

  Writer& text(std::string_view value);
  Writer& number(std::int64_t value);
  /// With 0 to 6 decimal places, rounded. What is no finite number becomes null; what is beyond
  /// a billion, a billion.
  Writer& decimal(float value, int places);
  Writer& boolean(bool value) { return raw(value ? "true" : "false"); }
  /// A value that is JSON already, as it is.
  Writer& raw(std::string_view json);

  /// A place to come back to, when what follows has not fitted.
  struct Mark {
    std::size_t length;
    std::size_t depth;
    bool comma;
  };
  Mark mark() const { return {length_, depth_, comma_}; }
  /// Takes back everything since the mark, an overflow too. Of a mark from before an overflow only.
  void rewind(const Mark& mark);
  /// Whether everything has fitted so far.
  bool fits() const { return fits_; }
  /// Bytes that are left.
  std::size_t room() const { return into_.size() - length_; }

  /// The document's length; 0 when it did not fit or is not complete.
  std::size_t finish() const { return fits_ && depth_ == 0 ? length_ : 0; }

 private:
  Writer& begin(char bracket);
  Writer& end(char bracket);
  void before_value();
  void string(std::string_view text);
  void escape(unsigned char character);
  void put(char c) { put(std::string_view(&c, 1)); }
  void put(std::string_view bytes);

  Span<char> into_;
  std::size_t length_ = 0;
  std::size_t depth_ = 0;
  bool comma_ = false;  ///< one belongs in front of the next item
  bool fits_ = true;
};

}  // namespace lobug::json
