// The session's messages (docs/protocol.md): what the server sends as values, what we send as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/base/text.h"
#include "lobug/face/emotion.h"
#include "lobug/senses/motion.h"

namespace lobug {

/// One text frame of the server's. Texts that are longer than their place are cut.
struct ServerMessage {
  enum class Kind : std::uint8_t {
    kIgnored,  ///< an unknown type, or one that is none of ours: to be skipped
    kBroken,   ///< not a JSON object, or too deep
    kHello,
    kStt,
    kLlm,
    kTtsStart,
    kSentence,
    kTtsStop,
    kMcp,
    kSystemReboot,
    kAlert,
    kGlyphs,
  };
  Kind kind = Kind::kBroken;
  Text<64> session_id;  ///< kHello
  bool pcm = false;     ///< kHello: the audio that will come is the PCM that we asked for
  std::uint32_t sample_rate = 0;
  bool wake_word = false;               ///< kHello: the server offers to find the wake word
  bool sensors = false;                 ///< kHello: it takes what the sensors feel as messages
  bool reports = false;                 ///< kHello: it takes reports of the device's condition
  Text<512> text;                       ///< kStt, kSentence, kAlert
  Text<48> status;                      ///< kAlert
  Emotion emotion = Emotion::kNeutral;  ///< kLlm, kAlert
  /// kMcp: the JSON-RPC message; kGlyphs: the array of glyphs; within the frame that was read.
  std::string_view payload;
};
ServerMessage read_server_message(std::string_view json);

/// What discovery answers.
struct Discovery {
  bool ok = false;  ///< it is a discovery reply at all
  Text<16> code;    ///< activation: the code to show; empty when paired
  Text<64> challenge;
  std::uint32_t timeout_ms = 0;
  Text<256> websocket_url;
  Text<128> token;
  Text<64> update_key;  ///< that signs the server's updates, hexadecimal
  std::int64_t server_time_ms = 0;
  std::int32_t utc_offset_min = 0;  ///< of the server's local time
  Text<24> firmware_version;
  Text<256> firmware_url;
  std::uint32_t firmware_size = 0;
  Text<64> firmware_sha256;  ///< hexadecimal
  bool firmware_force = false;
  Text<128> firmware_signature;  ///< hexadecimal
};
Discovery read_discovery(std::string_view json);
/// The same into an existing one: a `Discovery` takes more than 1 KB, too much for a small stack.
void read_discovery(std::string_view json, Discovery& read);
/// As if it had just been made.
void clear(Discovery& discovery);

enum class ListenMode : std::uint8_t { kAuto, kManual, kRealtime, kWakeWord };

// Each writes one message and returns its length, 0 when it does not fit.
/// `report` is JSON (`write_report`); empty: none. `glyphs`: how many pushed pictures are kept; 0:
/// none are wanted.
std::size_t write_hello(Span<char> into, std::string_view report, std::size_t glyphs = 0);
std::size_t write_listen_start(Span<char> into, std::string_view session_id, ListenMode mode);
std::size_t write_listen_stop(Span<char> into, std::string_view session_id);
std::size_t write_abort(Span<char> into, std::string_view session_id, std::string_view reason);
std::size_t write_playing(Span<char> into, std::string_view session_id, std::uint32_t delay_ms);
std::size_t write_mcp(Span<char> into, std::string_view session_id, std::string_view payload);
/// `reading` is JSON (`write_sensors`).
std::size_t write_sensor_message(Span<char> into, std::string_view session_id,
                                 std::string_view reading);
/// `report` is JSON (`write_report`).
std::size_t write_report_message(Span<char> into, std::string_view session_id,
                                 std::string_view report);

/// The body of `POST /context/sensors`, and the reading of a message.
std::size_t write_sensors(Span<char> into, const Motion& motion, bool tapped);
/// The body of discovery: who we are.
struct DeviceDescription {
  std::string_view device_id, client_id, board, version;
  std::uint32_t flash_size = 0;
  std::uint32_t free_memory = 0;
  std::string_view update_nonce;  ///< what the signature of an update has to be of, too
};
std::size_t write_description(Span<char> into, const DeviceDescription& device);

}  // namespace lobug
