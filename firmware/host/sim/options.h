// The command line of the simulated device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "poor_network.h"

namespace lobug::sim {

struct Options {
  std::string dir;  ///< all that is the device's own lives here
  std::string wifi = "simulated";
  std::optional<std::string> server;  ///< as in the settings; empty: mDNS
  std::string ca;                     ///< file with the PEM of the pinned CA
  std::string finder;                 ///< HOST:PORT that mDNS finds; empty: nothing
  std::string talk_mode;
  std::string language;
  std::string version = "2.0.0";  ///< of the image that the device left the factory with
  std::string board = "host";
  std::string device_id = "02:00:00:00:00:01";
  std::uint32_t seed = 0;  ///< 0: another each time
  std::uint32_t clock_start = 0;
  std::uint32_t hurry = 1;
  std::uint32_t slot_size = 1U << 20U;
  std::uint32_t free_memory = 200'000;
  std::string reset = "power_on";  ///< why the chip says that it started
  bool crash = false;              ///< a core dump is stored
  bool led = false;
  bool base = false;
  bool screen = false;
  bool glyphs = true;  ///< it takes pictures of characters
  NetworkOptions network;
};

constexpr const char* kUsage =
    "lobug_sim --dir FOLDER [options]: a Lo-Bug device without the device.\n"
    "  --server URL          where the server is (http, https); without it: as stored, or mDNS\n"
    "  --finder HOST:PORT    what mDNS finds\n"
    "  --ca FILE             PEM of the CA that an https server's certificate must be of\n"
    "  --wifi NAME           network that is set (\"simulated\"); \"\": none, so it opens its "
    "set-up\n"
    "  --talk-mode MODE      tap, conversation or wake_word\n"
    "  --language CODE       en, de or es\n"
    "  --version X.Y.Z       of the firmware that a new device has (2.0.0)\n"
    "  --board NAME          (host)        --device-id MAC   (02:00:00:00:00:01)\n"
    "  --seed N              random numbers that are the same every time\n"
    "  --clock-start MS      of the device's clock, which wraps at 4294967296\n"
    "  --hurry TIMES         lets the device's clock (not its sound) go faster, for long waits\n"
    "  --slot-size BYTES     room for a firmware (1048576)\n"
    "  --free-memory BYTES   what the device says of it (200000)\n"
    "  --reset REASON        why it says that it started (power_on), as reports name it\n"
    "  --crash               a core dump is stored in it\n"
    "  --led                 its board drives lights\n"
    "  --base                it stands on StackChan's base\n"
    "  --screen              it draws, for touch and pictures\n"
    "  --no-glyphs           it does not ask for pictures of characters, as older firmware\n"
    "  --loss SHARE --jitter SECONDS --latency SECONDS   a poor network\n"
    "  --slow-network BYTES  a second, each way\n"
    "Commands are JSON lines on the standard input, events JSON lines on the standard output:\n"
    "see README.md beside the sources.\n"
    "lobug_sim probe URL [--ca FILE]: connects, sends what comes in, prints what comes back.\n";

/// False: `error` says what is wrong with the command line.
bool read_options(int count, char** arguments, Options& options, std::string& error);

/// A whole number of at most `most`; false for anything else.
bool read_number(const std::string& text, std::uint32_t most, std::uint32_t& number);

}  // namespace lobug::sim
