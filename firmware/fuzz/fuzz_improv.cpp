// The serial line with its packets: whatever comes in, every packet that goes out is whole, no
// secret is told, what is stored is valid, and the console hears what was typed, in order.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "lobug/setup/improv.h"
#include "support/memory_store.h"
#include "support/scripted_wifi.h"

namespace {

using lobug::ImprovReader;

void demand(bool holds) {
  if (!holds) std::abort();
}

struct Setup {
  lobug::MemoryStore store;
  std::unique_ptr<lobug::Queue<lobug::Input, 16>> inputs =
      std::make_unique<lobug::Queue<lobug::Input, 16>>();
  lobug::ScriptedWifi wifi;
  lobug::KeptOutput out;
  std::unique_ptr<lobug::SerialLine> line =
      std::make_unique<lobug::SerialLine>(store, *inputs, wifi, out);

  explicit Setup(const char* password) {
    store.values = {{"wifi_name", "Home"}, {"wifi_password", password}};
    wifi.found.resize(3);
    wifi.found[0].name = "Home";
    line->begin("m5stack-core2", "Lo-Bug-1A2B");
  }
};

/// What goes out can be read: every packet is whole.
void check_output(const std::string& bytes) {
  auto reader = std::make_unique<ImprovReader>();
  ImprovReader::Found last = ImprovReader::Found::kText;
  for (const char byte : bytes) {
    last = reader->feed(byte, 0);
    demand(last != ImprovReader::Found::kBroken);
    if (last != ImprovReader::Found::kPacket) continue;
    const lobug::Bytes data = reader->data();
    demand(reader->type() != 3);
    if (reader->type() != 4) continue;
    demand(data.size() >= 2 && data[1] == data.size() - 2);
    std::size_t at = 2;
    while (at < data.size()) at += 1U + data[at];
    demand(at == data.size());
  }
  demand(bytes.empty() || bytes.back() == '\n');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Two devices that differ in their secret only.
  Setup device("hush hush hush");
  Setup other("open the door");
  const auto view = std::make_unique<lobug::View>();
  auto reader = std::make_unique<ImprovReader>();
  lobug::Millis now = 0;
  std::string typed;
  std::string heard;
  bool stored = false;
  for (std::size_t i = 0; i < size; ++i) {
    const char byte = static_cast<char>(data[i]);
    // Rarely a pause, so that packets are cut off; and the radio does what it likes.
    now += data[i] == 0xFF ? ImprovReader::kLateMs + 1 : 1;
    const auto link = static_cast<lobug::Wifi::Link>(data[i] % 4);
    for (Setup* each : {&device, &other}) {
      each->wifi.state = link;
      each->wifi.looking = each->wifi.looking && data[i] % 2 == 0;
      each->line->feed(byte, *view, now);
      each->line->step(*view, now);
    }
    const std::string answer = device.out.take();
    check_output(answer);
    demand(answer == other.out.take());
    lobug::Input input;
    while (device.inputs->pop(input)) {
      demand(other.inputs->pop(input));
      stored = stored || input.kind == lobug::Input::Kind::kSettings;
    }
    if (reader->feed(byte, now) == ImprovReader::Found::kText) heard += reader->text();
    typed += byte;
  }
  // What is typed is never more than what came in, and nothing is kept back without a packet.
  demand(heard.size() <= typed.size());
  if (typed.find("IMPROV\x01") == std::string::npos) {
    demand(typed.size() - heard.size() < 7);
    demand(typed.compare(0, heard.size(), heard) == 0);
  }
  if (!stored) {
    demand(device.store.values["wifi_password"] == "hush hush hush");
  }
  demand(!device.store.bad_key);
  const lobug::Settings settings = lobug::load_settings(device.store);
  demand(settings.wifi_name == device.store.values["wifi_name"]);
  demand(settings.wifi_password == device.store.values["wifi_password"]);
  return 0;
}
