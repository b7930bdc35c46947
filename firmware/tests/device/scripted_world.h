// A whole device with a server in memory: no network, no audio driver, time by hand.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "lobug/device/device.h"
#include "lobug/protocol/messages.h"
#include "lobug/setup/settings.h"
#include "support/memory_store.h"
#include "support/plain_crypto.h"
#include "support/scripted_body.h"
#include "support/scripted_connection.h"
#include "support/scripted_random.h"
#include "support/scripted_slot.h"
#include "support/scripted_system.h"
#include "support/scripted_vitals.h"
#include "support/websocket_peer.h"

namespace lobug::test {

class ScriptedFinder final : public ServerFinder {
 public:
  std::string host;  ///< "": nobody is there
  int searches = 0;
  void start() override { ++searches; }
  Search poll(char* into, unsigned size, std::uint16_t& port) override {
    if (host.empty()) return Search::kSearching;
    into[host.copy(into, size - 1)] = '\0';
    port = 8321;
    return Search::kFound;
  }
};

class ScriptedLights final : public Effects {
 public:
  bool has_led() const override { return driven || found; }
  bool finds_led() const override { return found; }
  void show_leds(const LedColors& colors) override { shown.push_back(colors); }

  bool driven = false;  ///< the board has a pin for them
  bool found = false;   ///< StackChan's base is there
  std::vector<LedColors> shown;
};

struct World {
  ScriptedConnection session;
  ScriptedConnection http;
  MemoryStore store;
  PlainCrypto crypto;
  ScriptedRandom random;
  ScriptedSlot slot;
  ScriptedSystem system;
  ScriptedFinder finder;
  ScriptedLights effects;
  ScriptedVitals vitals;
  ScriptedBody servos;
  std::vector<std::int16_t> up = std::vector<std::int16_t>(16000);
  std::vector<std::int16_t> down = std::vector<std::int16_t>(64000);
  AudioLink audio{{up.data(), up.size()}, {down.data(), down.size()}};
  ScreenLink screen;
  std::unique_ptr<Device> device;
  Millis now = 5000;

  // The server, as the device meets it:
  std::string discovery = R"({"websocket":{"url":"ws://10.0.0.2:8321/xiaozhi/v1/","version":1,)"
                          R"("token":"t0ken"},"server_time":{"timestamp":1760000000000}})";
  int discovery_status = 200;
  bool signs = true;         ///< it tells the key of its updates, and signs them
  char update_key = '5';     ///< that key: 64 times this digit
  std::string signs_board;   ///< the board that is signed; "": the device's own
  std::string signs_nonce;   ///< the nonce that is signed; "": the device's
  std::string signs_intent;  ///< force or newer; "": what is offered
  int activate_status = 202;
  std::string date = "Thu, 09 Oct 2025 08:53:20 GMT";  ///< of every answer; "": it has none
  int socket_status = 101;
  bool says_hello = true;
  std::string features;               ///< of its hello, JSON; "": it names none
  std::string firmware;               ///< what GET /firmware gives
  std::vector<std::string> requests;  ///< "POST /xiaozhi/ota/"
  std::vector<std::string> heads;     ///< of the requests, with the body
  std::string handshake;              ///< the head of the last one
  std::vector<std::string> texts;     ///< text frames of the device
  std::size_t audio_bytes = 0;

  World() {
    Settings settings;
    settings.wifi_name = "home";
    settings.server = "http://10.0.0.2:8321";
    save_settings(store, settings);
    http.on_write = [this](std::string_view) { serve_http(); };
    session.on_write = [this](std::string_view bytes) { serve_session(bytes); };
  }

  ~World() {
    for (const std::string& line : system.lines) CHECK(line.rfind("illegal", 0) != 0);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void boot() {
    device = std::make_unique<Device>(Platform{session, http, store, crypto, random, slot, system,
                                               finder, effects, vitals, servos},
                                      audio, screen);
    step();
  }
  void step(Millis ms = 10) {
    now += ms;
    audio.actual = audio.wanted.load();
    device->step(now);
  }
  void steps(int count, Millis ms = 10) {
    for (int round = 0; round < count; ++round) step(ms);
  }
  bool reach(DeviceState state, int most = 500, Millis ms = 10) {
    for (int round = 0; round < most && device->state() != state; ++round) step(ms);
    return device->state() == state;
  }
  void input(Input::Kind kind, std::int32_t value = 0, std::string_view text = "") {
    Input input;
    input.kind = kind;
    input.value = value;
    input.text.assign(text);
    screen.inputs.push(input);
    step();
  }
  void wifi() { input(Input::Kind::kWifiUp, 0, "10.0.0.7"); }
  const View& view() {
    step(120);
    return screen.view.read();
  }
  void say(const std::string& json) {
    session.deliver(text_frame(json));
    step();
  }
  /// SHA-256 of the firmware that the server gives out, hexadecimal.
  std::string firmware_hash() {
    crypto.sha256_begin();
    crypto.sha256_add(
        Bytes(reinterpret_cast<const unsigned char*>(firmware.data()), firmware.size()));
    static const char kDigits[] = "0123456789abcdef";
    std::string hash;
    for (const std::uint8_t byte : crypto.sha256_end()) {
      hash += kDigits[byte >> 4U];
      hash += kDigits[byte & 15U];
    }
    return hash;
  }
  std::string stored(const char* key) {
    const auto found = store.values.find(key);
    return found == store.values.end() ? "" : found->second;
  }

 private:
  void serve_http() {
    const std::size_t head_end = http.written.find("\r\n\r\n");
    if (head_end == std::string::npos) return;
    const std::string length = header_of(http.written, "Content-Length");
    const std::size_t body = length.empty() ? 0 : std::stoul(length);
    if (http.written.size() < head_end + 4 + body) return;
    const std::string line = http.written.substr(0, http.written.find(" HTTP/1.1"));
    requests.push_back(line);
    heads.push_back(http.written);
    if (line == "POST /xiaozhi/ota/") {
      answer(discovery_status, signed_discovery());
    } else if (line == "POST /xiaozhi/ota/activate") {
      answer(activate_status, "{}");
    } else if (line == "POST /context/sensors") {
      answer(200, R"({"status":"ok"})");
    } else {
      answer(firmware.empty() ? 404 : 200, firmware);
    }
  }
  static std::string hex_of(const std::uint8_t* bytes, std::size_t size) {
    std::string hex;
    for (std::size_t i = 0; i < size; ++i) {
      hex += "0123456789abcdef"[bytes[i] >> 4U];
      hex += "0123456789abcdef"[bytes[i] & 15U];
    }
    return hex;
  }
  /// `discovery`, with the key of updates and the signature of the offer.
  std::string signed_discovery() {
    std::string reply = discovery;
    if (!signs) return reply;
    const auto insert = [&reply](const std::string& after, const std::string& text) {
      const std::size_t at = reply.find(after);
      if (at != std::string::npos) reply.insert(at + after.size(), text);
    };
    Ed25519Key bytes;
    bytes.fill(static_cast<std::uint8_t>((update_key - '0') * 17));
    const Discovery offer = read_discovery(discovery);
    const std::string name = "\"update_nonce\":\"";
    const std::string nonce = http.written.substr(http.written.find(name) + name.size(), 32);
    const std::string message = "lobug firmware update 1\n" +
                                (signs_board.empty() ? std::string(system.board()) : signs_board) +
                                "\n" + std::string(offer.firmware_version.view()) + "\n" +
                                std::to_string(offer.firmware_size) + "\n" +
                                std::string(offer.firmware_sha256.view()) + "\n" +
                                (!signs_intent.empty()  ? signs_intent
                                 : offer.firmware_force ? "force"
                                                        : "newer") +
                                "\n" + (signs_nonce.empty() ? nonce : signs_nonce) + "\n";
    const Ed25519Signature signature = signature_of(
        bytes, Bytes(reinterpret_cast<const unsigned char*>(message.data()), message.size()));
    insert("\"websocket\":{", "\"update_key\":\"" + std::string(64, update_key) + "\",");
    insert("\"firmware\":{",
           "\"signature\":\"" + hex_of(signature.data(), signature.size()) + "\",");
    return reply;
  }
  void answer(int status, const std::string& body) {
    http.deliver("HTTP/1.1 " + std::to_string(status) + " X\r\n" +
                 (date.empty() ? "" : "Date: " + date + "\r\n") +
                 "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  void serve_session(std::string_view bytes) {
    if (session.written.size() == bytes.size()) pending_.clear();
    pending_.append(bytes);
    if (pending_.rfind("GET ", 0) == 0) {
      const std::size_t end = pending_.find("\r\n\r\n");
      if (end == std::string::npos) return;
      handshake = pending_.substr(0, end + 4);
      pending_.erase(0, end + 4);
      if (socket_status != 101) {
        session.deliver("HTTP/1.1 " + std::to_string(socket_status) +
                        " No\r\nContent-Length: 0\r\n\r\n");
        return;
      }
      session.deliver(handshake_answer(handshake));
    }
    for (const ClientFrame& frame : take_client_frames(pending_)) {
      if (frame.opcode == 2) audio_bytes += frame.payload.size();
      if (frame.opcode != 1) continue;
      texts.push_back(frame.payload);
      if (says_hello && frame.payload.find("\"hello\"") != std::string::npos) {
        session.deliver(text_frame(
            R"({"type":"hello","transport":"websocket","session_id":"s1","audio_params":)"
            R"({"format":"pcm","sample_rate":16000,"channels":1,"frame_duration":60})" +
            (features.empty() ? "}" : R"(,"features":)" + features + "}")));
      }
    }
  }
  std::string pending_;
};

}  // namespace lobug::test
