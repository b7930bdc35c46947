// Phrases with something filled in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "lobug/base/calendar.h"
#include "lobug/base/text.h"
#include "lobug/language/phrases.h"

namespace lobug {

/// A decimal number.
class Number {
 public:
  explicit Number(std::uint32_t number);
  operator std::string_view() const { return text_; }  // NOLINT(google-explicit-constructor)

 private:
  Text<10> text_;
};

/// `format` with each "{}" replaced by the next of `values`; one without a value stays empty. What
/// does not fit is cut off.
template <std::size_t N>
Text<N> filled(std::string_view format, std::initializer_list<std::string_view> values) {
  Text<N> text;
  const std::string_view* value = values.begin();
  while (true) {
    const std::size_t place = format.find("{}");
    text.append(format.substr(0, place));
    if (place == std::string_view::npos) return text;
    if (value != values.end()) text.append(*value++);
    format.remove_prefix(place + 2);
  }
}

/// "Thursday, 26 November"; empty when the day is not known.
Text<40> day_text(const Phrases& phrases, CalendarDay day);

}  // namespace lobug
