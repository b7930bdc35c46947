// The arguments of a tool: their JSON schema, and the check against it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/base/text.h"
#include "lobug/json/reader.h"
#include "lobug/json/writer.h"

namespace lobug {

struct Parameter {
  enum class Kind : std::uint8_t { kInteger, kText, kChoice };

  std::string_view name;
  Kind kind = Kind::kInteger;
  /// kInteger: the value's range. kText: the characters' number. kChoice: unused.
  std::int32_t least = 0, most = 0;
  /// Whether it has to be given; otherwise it is `fallback`, or an empty text.
  bool required = true;
  std::int32_t fallback = 0;
  /// kChoice: the words to choose from, by their place.
  std::string_view (*choice)(std::uint8_t place) = nullptr;
  std::uint8_t choices = 0;
};

constexpr std::size_t kMostParameters = 2;

/// Arguments that were found good.
struct Arguments {
  /// By the parameter's place: an integer, or a choice's place.
  std::array<std::int32_t, kMostParameters> numbers{};
  /// Of the one parameter that is text, as much of it as there is room for.
  Text<256> text;
};

/// Writes the schema of an object with these fields.
void write_schema(json::Writer& json, Span<const Parameter> parameters);

/// Reads a call's arguments, which may be missing when none is required. Returns what is wrong with
/// them, a sentence for the chat model; empty when all is well.
Text<128> read_arguments(const json::Value& given, Span<const Parameter> parameters,
                         Arguments& into);

}  // namespace lobug
