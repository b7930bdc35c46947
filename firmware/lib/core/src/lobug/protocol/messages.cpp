#include "lobug/protocol/messages.h"

#include <cmath>
#include <new>
#include <type_traits>

#include "lobug/audio/format.h"
#include "lobug/face/pushed_glyphs.h"
#include "lobug/json/reader.h"
#include "lobug/json/writer.h"

namespace lobug {
namespace {

using json::Type;
using json::Value;
using json::Writer;
using Kind = ServerMessage::Kind;

constexpr std::uint32_t kMostSampleRate = 192000;

void read_hello(const Value& message, ServerMessage& read) {
  const Value transport = message.member("transport");
  if (transport.exists() && !transport.is("websocket")) return;
  read.kind = Kind::kHello;
  message.member("session_id").text(read.session_id);
  const Value audio = message.member("audio_params");
  const auto rate = audio.member("sample_rate").integer(1, kMostSampleRate);
  const Value channels = audio.member("channels");
  const bool mono = !channels.exists() || channels.integer(1, 1).has_value();
  read.sample_rate = static_cast<std::uint32_t>(rate.value_or(0));
  read.pcm = audio.member("format").is("pcm") && mono && read.sample_rate == kSampleRate;
  const Value features = message.member("features");
  read.wake_word = features.member("wake_word").boolean(false);
  read.sensors = features.member("sensors").boolean(false);
  read.reports = features.member("reports").boolean(false);
}

Emotion emotion_of(const Value& message) {
  Text<16> name;
  return message.member("emotion").text(name) ? emotion_named(name) : Emotion::kNeutral;
}

void read_tts(const Value& message, ServerMessage& read) {
  const Value state = message.member("state");
  if (state.is("start")) {
    read.kind = Kind::kTtsStart;
  } else if (state.is("stop")) {
    read.kind = Kind::kTtsStop;
  } else if (state.is("sentence_start")) {
    read.kind = Kind::kSentence;
    message.member("text").text(read.text);
  }
}

void read_alert(const Value& message, ServerMessage& read) {
  read.kind = Kind::kAlert;
  message.member("status").text(read.status);
  message.member("message").text(read.text);
  read.emotion = emotion_of(message);
}

std::string_view name_of(ListenMode mode) {
  switch (mode) {
    case ListenMode::kAuto:
      return "auto";
    case ListenMode::kManual:
      return "manual";
    case ListenMode::kRealtime:
      return "realtime";
    case ListenMode::kWakeWord:
      return "wake_word";
  }
  return "auto";
}

void write_audio(Writer& json, std::string_view name, std::uint32_t frame_ms) {
  json.name(name).begin_object();
  json.name("format").text("pcm");
  json.name("sample_rate").number(kSampleRate);
  json.name("channels").number(1);
  json.name("frame_duration").number(frame_ms);
  json.end_object();
}

/// Begins a message of a session; its object stays open.
void begin_message(Writer& json, std::string_view session_id, std::string_view type) {
  json.begin_object().name("session_id").text(session_id).name("type").text(type);
}

/// A message whose one field is JSON already. 0 when that is empty.
std::size_t write_part(Span<char> into, std::string_view session_id, std::string_view type,
                       std::string_view name, std::string_view part) {
  Writer json(into);
  if (part.empty()) return 0;
  begin_message(json, session_id, type);
  return json.name(name).raw(part).end_object().finish();
}

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

/// `N` hexadecimal digits, in small letters; nothing else.
template <std::size_t N>
void read_hex(const Value& value, Text<N>& into) {
  Text<N> word;
  read_word(value, word);
  into.clear();
  if (word.size() != N) return;
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
  read_hex(firmware.member("sha256"), read.firmware_sha256);
  read_hex(firmware.member("signature"), read.firmware_signature);
  read.firmware_size = read_unsigned(firmware.member("size"));
  // Other servers write 1.
  const Value force = firmware.member("force");
  read.firmware_force = force.boolean(force.integer(1, 1).has_value());
}

}  // namespace

ServerMessage read_server_message(std::string_view json) {
  ServerMessage read;
  const Value message = json::parse(json);
  if (message.type() != Type::kObject) return read;
  read.kind = Kind::kIgnored;
  const Value type = message.member("type");
  if (type.is("tts")) {
    read_tts(message, read);
  } else if (type.is("stt")) {
    read.kind = Kind::kStt;
    message.member("text").text(read.text);
  } else if (type.is("llm")) {
    read.kind = Kind::kLlm;
    read.emotion = emotion_of(message);
  } else if (type.is("mcp")) {
    read.payload = message.member("payload").raw();
    if (!read.payload.empty()) read.kind = Kind::kMcp;
  } else if (type.is("glyphs")) {
    const Value glyphs = message.member("glyphs");
    if (glyphs.type() != Type::kArray) return read;
    read.payload = glyphs.raw();
    read.kind = Kind::kGlyphs;
  } else if (type.is("hello")) {
    read_hello(message, read);
  } else if (type.is("alert")) {
    read_alert(message, read);
  } else if (type.is("system") && message.member("command").is("reboot")) {
    read.kind = Kind::kSystemReboot;
  }
  return read;
}

std::size_t write_hello(Span<char> into, std::string_view report, std::size_t glyphs) {
  Writer json(into);
  json.begin_object().name("type").text("hello").name("version").number(1);
  json.name("features").begin_object();
  json.name("mcp").boolean(true);
  json.name("drops_on_abort").boolean(true);
  if (glyphs > 0) {
    json.name("glyphs").begin_object();
    json.name("size").number(static_cast<std::int64_t>(PushedGlyph::kMostSide));
    json.name("keeps").number(static_cast<std::int64_t>(glyphs)).end_object();
  }
  json.end_object();
  json.name("transport").text("websocket");
  write_audio(json, "audio_params", kUplinkFrameMs);
  write_audio(json, "downlink", kDownlinkFrameMs);
  if (!report.empty()) json.name("report").raw(report);
  return json.end_object().finish();
}

std::size_t write_listen_start(Span<char> into, std::string_view session_id, ListenMode mode) {
  Writer json(into);
  begin_message(json, session_id, "listen");
  json.name("state").text("start").name("mode").text(name_of(mode));
  return json.end_object().finish();
}

std::size_t write_listen_stop(Span<char> into, std::string_view session_id) {
  Writer json(into);
  begin_message(json, session_id, "listen");
  return json.name("state").text("stop").end_object().finish();
}

std::size_t write_abort(Span<char> into, std::string_view session_id, std::string_view reason) {
  Writer json(into);
  begin_message(json, session_id, "abort");
  if (!reason.empty()) json.name("reason").text(reason);
  return json.end_object().finish();
}

std::size_t write_playing(Span<char> into, std::string_view session_id, std::uint32_t delay_ms) {
  Writer json(into);
  begin_message(json, session_id, "playing");
  return json.name("delay_ms").number(delay_ms).end_object().finish();
}

std::size_t write_mcp(Span<char> into, std::string_view session_id, std::string_view payload) {
  return write_part(into, session_id, "mcp", "payload", payload);
}

std::size_t write_sensor_message(Span<char> into, std::string_view session_id,
                                 std::string_view reading) {
  return write_part(into, session_id, "sensors", "reading", reading);
}

std::size_t write_report_message(Span<char> into, std::string_view session_id,
                                 std::string_view report) {
  return write_part(into, session_id, "report", "report", report);
}

std::size_t write_sensors(Span<char> into, const Motion& motion, bool tapped) {
  constexpr int kPlaces = 3;
  Writer json(into);
  const auto reading = [&json](std::string_view name, float value) {
    // The server takes numbers alone, and every field may be missing.
    if (std::isfinite(value)) json.name(name).decimal(value, kPlaces);
  };
  const MotionSample& sample = motion.sample;
  json.begin_object().name("orientation").text(name_of(motion.orientation));
  json.name("is_moving").boolean(motion.moving);
  json.name("is_shaking").boolean(motion.shaking);
  json.name("tap_detected").boolean(tapped);
  reading("accel_x", sample.accel_x);
  reading("accel_y", sample.accel_y);
  reading("accel_z", sample.accel_z);
  reading("gyro_x", sample.gyro_x);
  reading("gyro_y", sample.gyro_y);
  reading("gyro_z", sample.gyro_z);
  return json.end_object().finish();
}

std::size_t write_description(Span<char> into, const DeviceDescription& device) {
  Writer json(into);
  json.begin_object().name("version").number(2);
  json.name("flash_size").number(device.flash_size);
  json.name("minimum_free_heap_size").number(device.free_memory);
  json.name("mac_address").text(device.device_id);
  json.name("uuid").text(device.client_id);
  if (!device.update_nonce.empty()) json.name("update_nonce").text(device.update_nonce);
  json.name("application").begin_object();
  json.name("name").text("lobug").name("version").text(device.version).end_object();
  json.name("board").begin_object();
  json.name("type").text(device.board).name("name").text(device.board).end_object();
  return json.end_object().finish();
}

void clear(Discovery& discovery) {
  static_assert(std::is_trivially_destructible_v<Discovery>);
  new (&discovery) Discovery();  // an assignment would make another one on the stack
}

Discovery read_discovery(std::string_view json) {
  Discovery read;
  read_discovery(json, read);
  return read;
}

void read_discovery(std::string_view json, Discovery& read) {
  clear(read);
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
  read_hex(websocket.member("update_key"), read.update_key);
  read.server_time_ms = time.member("timestamp").integer(0, INT64_MAX).value_or(0);
  read.utc_offset_min =
      static_cast<std::int32_t>(time.member("timezone_offset").integer(-1440, 1440).value_or(0));
  read_firmware(firmware, read);
}

}  // namespace lobug
