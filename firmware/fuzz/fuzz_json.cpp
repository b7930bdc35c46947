// JSON: what is taken is read within its bounds, and writes back to what means the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "lobug/base/utf8.h"
#include "lobug/json/reader.h"
#include "lobug/json/syntax.h"
#include "lobug/json/writer.h"

#if __has_include(<jsmn.h>)
// A second opinion: a tokeniser that shares no line with ours.
#define JSMN_STATIC
#define JSMN_STRICT
#define JSMN_PARENT_LINKS
#include <jsmn.h>
#define LOBUG_HAS_JSMN 1
#endif

namespace {

using lobug::Span;
using lobug::json::Characters;
using lobug::json::Items;
using lobug::json::Type;
using lobug::json::Value;
using lobug::json::Writer;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string decoded(Value string) {
  std::string text;
  Characters characters(string);
  for (std::string_view next = characters.next(); !next.empty(); next = characters.next()) {
    require(lobug::utf8_length(next) == next.size());
    text += next;
  }
  return text;
}

/// Counts what a document consists of, as jsmn does.
struct Census {
  int values = 0;
  int strings = 0;
};

/// Writes a value anew, through everything that the reader says of it.
void copy(Value root, Writer& json, Census& census) {
  struct Level {
    Items items;
    bool object;
  };
  std::vector<Level> levels;
  const auto write = [&](Value value) {
    ++census.values;
    require(lobug::json::parse(value.raw()).raw() == value.raw());
    switch (value.type()) {
      case Type::kObject:
      case Type::kArray:
        value.type() == Type::kObject ? json.begin_object() : json.begin_array();
        levels.push_back({Items(value), value.type() == Type::kObject});
        break;
      case Type::kString:
        ++census.strings;
        json.text(decoded(value));
        break;
      case Type::kNumber: {
        const auto number = value.integer(INT64_MIN, INT64_MAX);
        number ? json.number(*number) : json.raw(value.raw());
        break;
      }
      case Type::kBoolean:
        json.boolean(value.boolean(false));
        require(value.boolean(false) == value.boolean(true));
        break;
      case Type::kNull:
        json.raw("null");
        break;
      case Type::kNone:
        std::abort();
    }
  };
  write(root);
  while (!levels.empty()) {
    require(levels.size() <= lobug::json::kMaxDepth);
    Level& level = levels.back();
    if (level.items.next()) {
      if (level.object) {
        ++census.values;
        ++census.strings;
        const std::string name = decoded(level.items.name());
        require(level.items.name().is(name));
        json.name(name);
      }
      write(level.items.value());
    } else {
      level.object ? json.end_object() : json.end_array();
      levels.pop_back();
    }
  }
}

std::string rewritten(Value value, Census& census) {
  std::string buffer(value.raw().size() * 6 + 64, '#');
  Writer json(Span<char>(buffer.data(), buffer.size()));
  copy(value, json, census);
  const std::size_t length = json.finish();
  require(length > 0);
  // One byte less is not enough, and nothing lies behind the room.
  std::string small(length, '#');
  Writer short_of_room(Span<char>(small.data(), length - 1));
  Census again;
  copy(value, short_of_room, again);
  require(short_of_room.finish() == 0 && small.back() == '#');
  buffer.resize(length);
  return buffer;
}

void check_document(std::string_view text) {
  const Value value = lobug::json::parse(text);
  if (!value.exists()) return;
  require(value.raw().data() >= text.data());
  require(value.raw().data() + value.raw().size() <= text.data() + text.size());
  Census census;
  const std::string once = rewritten(value, census);
  Census second;
  const std::string twice = rewritten(lobug::json::parse(once), second);
  require(once == twice);
  require(census.values == second.values && census.strings == second.strings);
#ifdef LOBUG_HAS_JSMN
  // It wants to see something behind a bare number.
  const std::string document = std::string(value.raw()) + "\n";
  std::vector<jsmntok_t> tokens(document.size());
  jsmn_parser parser;
  jsmn_init(&parser);
  const int found = jsmn_parse(&parser, document.data(), document.size(), tokens.data(),
                               static_cast<unsigned>(tokens.size()));
  require(found == census.values);
#endif
}

void check_text(std::string_view bytes) {
  std::string buffer(bytes.size() * 6 + 2, '#');
  Writer json(Span<char>(buffer.data(), buffer.size()));
  json.text(bytes);
  const std::string_view written(buffer.data(), json.finish());
  const Value value = lobug::json::parse(written);
  require(value.type() == Type::kString && value.raw() == written);
  const std::string once = decoded(value);
  bool utf8 = true;
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::size_t length = lobug::utf8_length(rest);
    utf8 = utf8 && length > 0;
    rest.remove_prefix(length > 0 ? length : 1);
  }
  require(!utf8 || once == bytes);
  lobug::Text<16> text;
  const bool whole = value.text(text);
  require(whole == (once.size() <= 16));
  require(once.substr(0, text.size()) == text.view());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // In memory of exactly its size, so that reading beyond the end is found.
  const std::vector<char> bytes(data, data + size);
  const std::string_view text(bytes.data(), bytes.size());
  check_document(text);
  check_text(text);
  return 0;
}
