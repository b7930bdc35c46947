// The setup page's form: application/x-www-form-urlencoded, checked and taken over as a whole.
#include <cstdint>

#include "lobug/setup/ca_reader.h"
#include "lobug/setup/portal.h"
#include "lobug/setup/settings.h"

namespace lobug {
namespace {

/// A CA of 2,048 characters and all other fields, percent-encoded, are shorter.
constexpr std::size_t kMostForm = 10240;

int hex_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Takes one decoded character off the beginning.
char take_character(std::string_view& text) {
  const char first = text[0];
  if (first == '%' && text.size() >= 3) {
    const int high = hex_of(text[1]);
    const int low = hex_of(text[2]);
    if (high >= 0 && low >= 0) {
      text.remove_prefix(3);
      return static_cast<char>(static_cast<unsigned char>(high * 16 + low));
    }
  }
  text.remove_prefix(1);
  return first == '+' ? ' ' : first;
}

bool is_name(std::string_view encoded, std::string_view name) {
  while (!encoded.empty() && !name.empty()) {
    if (take_character(encoded) != name[0]) return false;
    name.remove_prefix(1);
  }
  return encoded.empty() && name.empty();
}

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

FormValue::FormValue(std::string_view body, std::string_view name) {
  while (!body.empty()) {
    const std::size_t end = body.find('&');
    const std::string_view field = body.substr(0, end);
    const std::size_t equals = field.find('=');
    if (is_name(field.substr(0, equals), name)) {
      exists_ = true;
      if (equals != std::string_view::npos) rest_ = field.substr(equals + 1);
      return;
    }
    if (end == std::string_view::npos) return;
    body.remove_prefix(end + 1);
  }
}

bool FormValue::next(char& character) {
  if (rest_.empty()) return false;
  character = take_character(rest_);
  return true;
}

/// The form's field for one setting; `given` is false when the setting stays as it is.
struct Field {
  char text[kLongestValue];
  int length = 0;
  bool given = false;
  std::string_view value() const { return {text, static_cast<std::size_t>(length)}; }
};

bool read_field(std::string_view body, std::string_view name, Field& field) {
  field.given = form_value(body, name, Span<char>(field.text), field.length);
  return field.length >= 0;
}

/// What the form does to the CA.
enum class CaChange : std::uint8_t { kNone, kReplace, kForget };

CaChange ca_change(std::string_view body) {
  char character = 0;
  FormValue forget(body, "forget_ca");
  if (forget.next(character)) return CaChange::kForget;
  FormValue ca(body, "ca");
  while (ca.next(character)) {
    if (character != ' ' && character != '\r' && character != '\n') return CaChange::kReplace;
  }
  return CaChange::kNone;
}

Phrase read_ca(std::string_view body, Text<2048>* into) {
  CaReader reader(into);
  FormValue ca(body, "ca");
  char character = 0;
  while (ca.next(character)) reader.add(character);
  return reader.finish();
}

/// An empty password keeps the stored one, as long as the network is the same.
bool password_stays(const Settings& settings, std::string_view body, const Field& password) {
  if (!password.given || password.length > 0) return !password.given;
  Field name;
  return !read_field(body, "wifi_name", name) || !name.given || settings.wifi_name == name.value();
}

Phrase check_fields(const Settings& settings, std::string_view body, CaChange change) {
  bool tls = asks_for_tls(settings.server);
  Field field;
  for (const SettingInfo& info : describe_settings()) {
    if (info.name == "ca") continue;
    if (!read_field(body, info.name, field)) return Phrase::kValueTooLong;
    if (!field.given) continue;
    const Phrase error = check_setting(info.name, field.value());
    if (error != Phrase::kNone) return error;
    if (info.name == "server") tls = asks_for_tls(field.value());
  }
  if (change == CaChange::kReplace) return read_ca(body, nullptr);
  const bool has_ca = !settings.ca.empty() && change == CaChange::kNone;
  return tls && !has_ca ? Phrase::kHttpsNeedsCa : Phrase::kNone;
}

}  // namespace

bool form_value(std::string_view body, std::string_view name, Span<char> into, int& length) {
  FormValue value(body, name);
  length = 0;
  char character = 0;
  std::size_t count = 0;
  while (value.next(character)) {
    if (count == into.size()) {
      length = -1;
      return false;
    }
    into[count++] = character;
  }
  length = static_cast<int>(count);
  return value.exists();
}

SettingResult apply_form(Settings& settings, std::string_view body) {
  if (body.size() > kMostForm) return refused(Phrase::kFormTooLong);
  const CaChange change = ca_change(body);
  const Phrase error = check_fields(settings, body, change);
  if (error != Phrase::kNone) return refused(error);

  // Nothing can fail from here on.
  Field field;
  read_field(body, "wifi_password", field);
  if (!password_stays(settings, body, field)) {
    assign_setting(settings, "wifi_password", field.value());
  }
  for (const SettingInfo& info : describe_settings()) {
    if (info.name == "ca" || info.name == "wifi_password") continue;
    read_field(body, info.name, field);
    if (field.given) assign_setting(settings, info.name, field.value());
  }
  if (change == CaChange::kReplace) read_ca(body, &settings.ca);
  if (change == CaChange::kForget) settings.ca.clear();
  return {true, Phrase::kNone};
}

}  // namespace lobug
