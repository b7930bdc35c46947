#include "lobug/tools/schema.h"

#include <cinttypes>
#include <cstdio>

namespace lobug {
namespace {

using json::Type;
using json::Value;
using Complaint = Text<128>;

void write_parameter(json::Writer& json, const Parameter& parameter) {
  json.name(parameter.name).begin_object();
  switch (parameter.kind) {
    case Parameter::Kind::kInteger:
      json.name("type").text("integer");
      json.name("minimum").number(parameter.least).name("maximum").number(parameter.most);
      if (!parameter.required) json.name("default").number(parameter.fallback);
      break;
    case Parameter::Kind::kText:
      json.name("type").text("string");
      json.name("minLength").number(parameter.least).name("maxLength").number(parameter.most);
      break;
    case Parameter::Kind::kChoice:
      json.name("type").text("string").name("enum").begin_array();
      for (std::uint8_t place = 0; place < parameter.choices; ++place) {
        json.text(parameter.choice(place));
      }
      json.end_array();
      break;
  }
  json.end_object();
}

Complaint complaint(std::string_view about, std::string_view what) {
  Complaint text = utf8_prefix(about, 32);
  text.append(what);
  return text;
}

Complaint out_of_range(const Parameter& parameter, const char* what) {
  char range[80];
  (void)std::snprintf(range, sizeof range, " must be %s %" PRId32 " to %" PRId32 "%s", what,
                      parameter.least, parameter.most,
                      parameter.kind == Parameter::Kind::kText ? " characters" : "");
  return complaint(parameter.name, range);
}

Complaint read_integer(const Value& given, const Parameter& parameter, std::int32_t& into) {
  const auto number = given.integer(parameter.least, parameter.most);
  if (!number) return out_of_range(parameter, "a whole number of");
  into = static_cast<std::int32_t>(*number);
  return {};
}

Complaint read_text(const Value& given, const Parameter& parameter, Text<256>& into) {
  if (given.type() != Type::kString) return complaint(parameter.name, " must be text");
  std::int32_t count = 0;
  json::Characters characters(given);
  while (!characters.next().empty()) ++count;
  if (count < parameter.least || count > parameter.most) {
    return out_of_range(parameter, "a text of");
  }
  given.text(into);
  return {};
}

Complaint read_choice(const Value& given, const Parameter& parameter, std::int32_t& into) {
  for (std::uint8_t place = 0; place < parameter.choices; ++place) {
    if (given.is(parameter.choice(place))) {
      into = place;
      return {};
    }
  }
  return complaint(parameter.name, " is none of the words that it can be");
}

Complaint read_argument(const Value& given, std::size_t place, const Parameter& parameter,
                        Arguments& into) {
  if (!given.exists()) {
    into.numbers[place] = parameter.fallback;
    return parameter.required ? complaint(parameter.name, " is missing") : Complaint();
  }
  switch (parameter.kind) {
    case Parameter::Kind::kInteger:
      return read_integer(given, parameter, into.numbers[place]);
    case Parameter::Kind::kText:
      return read_text(given, parameter, into.text);
    case Parameter::Kind::kChoice:
      return read_choice(given, parameter, into.numbers[place]);
  }
  return {};
}

bool is_known(const Value& name, Span<const Parameter> parameters) {
  for (const Parameter& parameter : parameters) {
    if (name.is(parameter.name)) return true;
  }
  return false;
}

}  // namespace

void write_schema(json::Writer& json, Span<const Parameter> parameters) {
  json.begin_object().name("type").text("object");
  json.name("properties").begin_object();
  for (const Parameter& parameter : parameters) write_parameter(json, parameter);
  json.end_object();
  json.name("required").begin_array();
  for (const Parameter& parameter : parameters) {
    if (parameter.required) json.text(parameter.name);
  }
  json.end_array();
  json.name("additionalProperties").boolean(false);
  json.end_object();
}

Text<128> read_arguments(const Value& given, Span<const Parameter> parameters, Arguments& into) {
  if (given.exists() && given.type() != Type::kObject) return Complaint("arguments: no object");
  json::Items items(given);
  while (items.next()) {
    if (is_known(items.name(), parameters)) continue;
    Text<32> name;
    items.name().text(name);
    return complaint(name, " is no argument of this tool");
  }
  for (std::size_t place = 0; place < parameters.size(); ++place) {
    const Parameter& parameter = parameters[place];
    const Complaint wrong = read_argument(given.member(parameter.name), place, parameter, into);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace lobug
