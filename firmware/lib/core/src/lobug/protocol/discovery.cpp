#include "lobug/json/reader.h"
#include "lobug/protocol/messages.h"

namespace lobug {
namespace {

using json::Type;
using json::Value;

constexpr std::int64_t kMostUnsigned = UINT32_MAX;

/// Text that is of use as a whole only, and that goes into headers and addresses: printable ASCII
/// without spaces. Anything else, and what is too long, is as if it were not there.
template <std::size_t N>
void read_word(const Value& value, Text<N>& into) {
  if (!value.text(into)) {
    into.clear();
    return;
  }
  for (const char c : into.view()) {
    if (c <= ' ' || c > '~') {
      into.clear();
      return;
    }
  }
}

std::uint32_t read_unsigned(const Value& value) {
  return static_cast<std::uint32_t>(value.integer(0, kMostUnsigned).value_or(0));
}

/// 64 hexadecimal digits, in small letters; nothing else.
void read_sha256(const Value& value, Text<64>& into) {
  Text<64> word;
  read_word(value, word);
  into.clear();
  if (word.size() != 64) return;
  for (const char c : word.view()) {
    const char small = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    if (std::string_view("0123456789abcdef").find(small) == std::string_view::npos) {
      into.clear();
      return;
    }
    into.append(small);
  }
}

void read_firmware(const Value& firmware, Discovery& read) {
  read_word(firmware.member("version"), read.firmware_version);
  read_word(firmware.member("url"), read.firmware_url);
  read_sha256(firmware.member("sha256"), read.firmware_sha256);
  read.firmware_size = read_unsigned(firmware.member("size"));
  // Other servers write 1.
  const Value force = firmware.member("force");
  read.firmware_force = force.boolean(force.integer(1, 1).has_value());
}

}  // namespace

Discovery read_discovery(std::string_view json) {
  Discovery read;
  const Value reply = json::parse(json);
  const Value activation = reply.member("activation");
  const Value websocket = reply.member("websocket");
  const Value firmware = reply.member("firmware");
  const Value time = reply.member("server_time");
  for (const Value part : {activation, websocket, firmware, time}) {
    if (part.type() == Type::kObject) read.ok = true;
  }
  read_word(activation.member("code"), read.code);
  read_word(activation.member("challenge"), read.challenge);
  read.timeout_ms = read_unsigned(activation.member("timeout_ms"));
  read_word(websocket.member("url"), read.websocket_url);
  read_word(websocket.member("token"), read.token);
  read.server_time_ms = time.member("timestamp").integer(0, INT64_MAX).value_or(0);
  read_firmware(firmware, read);
  return read;
}

}  // namespace lobug
