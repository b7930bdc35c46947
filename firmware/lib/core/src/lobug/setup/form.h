// Reading application/x-www-form-urlencoded, one character after the other.
#pragma once

#include <cstddef>
#include <string_view>

namespace lobug {

/// The value of a field, decoded as browsers encode it: "+" is a space, "%41" an "A"; a percent
/// sign without two digits stands for itself.
class FormValue {
 public:
  /// The first field of that name in the body.
  FormValue(std::string_view body, std::string_view name);
  bool exists() const { return exists_; }
  /// False at the end.
  bool next(char& character);

 private:
  std::string_view rest_;
  bool exists_ = false;
};

}  // namespace lobug
