// The serial line: whatever is typed, no secret is printed, what is stored stays valid, and nothing
// is forgotten that was not asked for in so many words.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "lobug/setup/console.h"
#include "support/memory_store.h"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

/// A device that is set up, with these secrets.
struct Setup {
  lobug::MemoryStore store;
  std::unique_ptr<lobug::Queue<lobug::Input, 16>> inputs =
      std::make_unique<lobug::Queue<lobug::Input, 16>>();
  std::unique_ptr<lobug::Console> console = std::make_unique<lobug::Console>(store, *inputs);

  Setup(const char* password, const char* token) {
    store.values = {{"wifi_name", "Home"},
                    {"wifi_password", password},
                    {"token", token},
                    {"token_server", "http://desk:8321"}};
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using lobug::Input;
  const std::string_view typed(reinterpret_cast<const char*>(data), size);
  std::string plain;
  bool edited = false;
  for (const char character : typed) {
    if (character == '\b' || character == '\x7F') edited = true;
    if (static_cast<unsigned char>(character) >= 0x20) plain += character;
  }
  // Two devices that differ in their secrets only: one that answers otherwise than the other has
  // told something of them, in whatever form.
  Setup device("hush hush hush", "lobug_secret");
  Setup other("open the door", "lobug_hidden");
  const auto view = std::make_unique<lobug::View>();
  lobug::MemoryStore& store = device.store;
  for (const char character : typed) {
    device.console->feed(character, *view);
    other.console->feed(character, *view);
    const std::string_view answer = device.console->answer();
    const bool complete = character == '\n' || character == '\r';
    demand(complete || answer.empty());
    demand(answer.empty() || answer.back() == '\n');  // never cut off
    demand(answer == other.console->answer().view());
    Input input;
    while (device.inputs->pop(input)) {
      demand(complete);
      const Input::Kind kind = input.kind;
      demand(other.inputs->pop(input) && input.kind == kind);
      switch (kind) {
        case Input::Kind::kReset:
          demand(edited || (plain.find("reset") != plain.npos && plain.find("yes") != plain.npos));
          break;
        case Input::Kind::kSettings:
        case Input::Kind::kForgetPairing:
        case Input::Kind::kRestart:
          break;
        default:
          demand(false);
      }
    }
  }
  demand(!store.bad_key);
  demand(store.values["token"] == "lobug_secret");
  demand(store.values["token_server"] == "http://desk:8321");

  // What was stored is what is loaded: nothing went in that is not valid.
  const lobug::Settings settings = lobug::load_settings(store);
  demand(settings.wifi_name == store.values["wifi_name"]);
  demand(settings.wifi_password == store.values["wifi_password"]);
  if (store.values.count("server") != 0) demand(settings.server == store.values["server"]);
  if (store.values.count("volume") != 0) {
    demand(std::to_string(settings.volume) == store.values["volume"]);
  }
  demand((store.values.count("ca") != 0) == !settings.ca.empty());
  demand(settings.server.view().substr(0, 5) != "https" || !settings.ca.empty());
  return 0;
}
