// Versions and digests that a server sends: an order without contradictions, and nothing is taken
// that is not newer, not described in full, or does not fit.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "lobug/update/updater.h"
#include "support/scripted_slot.h"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using lobug::is_newer;
  // Three texts, parted by spaces.
  std::array<std::string, 3> texts;
  std::size_t index = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const char character = static_cast<char>(data[i]);
    if (character == ' ' && index < 2) {
      ++index;
    } else {
      texts[index] += character;
    }
  }
  const char* const a = texts[0].c_str();
  const char* const b = texts[1].c_str();
  const char* const c = texts[2].c_str();
  demand(!is_newer(a, a));
  demand(!(is_newer(a, b) && is_newer(b, a)));
  if (is_newer(a, b) && is_newer(b, c)) demand(is_newer(a, c));
  if (is_newer(a, b)) {
    for (const char* text : {a, b}) {
      demand(*text != '\0');
      for (; *text != '\0'; ++text) demand(*text == '.' || (*text >= '0' && *text <= '9'));
    }
  }

  lobug::FirmwareOffer offer;
  offer.version = lobug::Text<24>(texts[0]);
  offer.sha256 = lobug::Text<64>(texts[2]);
  offer.url = lobug::Text<256>("http://desk/firmware");
  offer.size = static_cast<std::uint32_t>(size);
  const std::string running = texts[1].substr(0, 24);
  lobug::ScriptedSlot slot(running, 200);
  lobug::Sha256Digest digest{};
  const bool taken = worth_taking(offer, slot);
  if (taken) {
    demand(is_newer(offer.version.c_str(), running.c_str()));
    demand(size <= 200 && lobug::parse_sha256(offer.sha256, digest));
  }
  offer.force = true;
  demand(!taken || worth_taking(offer, slot));
  if (offer.version == running) demand(!worth_taking(offer, slot) || offer.version.empty());
  return 0;
}
