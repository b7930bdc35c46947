#include "options.h"

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <utility>

namespace lobug::sim {
namespace {

using Setter = std::function<bool(const std::string&)>;

Setter text(std::string& into) {
  return [&into](const std::string& value) {
    into = value;
    return true;
  };
}

Setter number(std::uint32_t& into) {
  return [&into](const std::string& value) {
    return read_number(value, std::numeric_limits<std::uint32_t>::max(), into);
  };
}

Setter decimal(double& into, double most) {
  return [&into, most](const std::string& value) {
    char* end = nullptr;
    into = std::strtod(value.c_str(), &end);
    return !value.empty() && *end == '\0' && into >= 0 && into <= most;
  };
}

}  // namespace

bool read_number(const std::string& text, std::uint32_t most, std::uint32_t& number) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return false;
  char* end = nullptr;
  errno = 0;
  const std::uint64_t value = std::strtoull(text.c_str(), &end, 10);
  if (*end != '\0' || errno != 0 || value > most) return false;
  number = static_cast<std::uint32_t>(value);
  return true;
}

bool read_options(int count, char** arguments, Options& options, std::string& error) {
  NetworkOptions& network = options.network;
  const std::map<std::string, Setter> setters{
      {"--dir", text(options.dir)},
      {"--wifi", text(options.wifi)},
      {"--server",
       [&options](const std::string& value) {
         options.server = value;
         return true;
       }},
      {"--ca", text(options.ca)},
      {"--finder", text(options.finder)},
      {"--talk-mode", text(options.talk_mode)},
      {"--language", text(options.language)},
      {"--version", text(options.version)},
      {"--board", text(options.board)},
      {"--device-id", text(options.device_id)},
      {"--reset", text(options.reset)},
      {"--seed", number(options.seed)},
      {"--clock-start", number(options.clock_start)},
      {"--hurry", number(options.hurry)},
      {"--slot-size", number(options.slot_size)},
      {"--free-memory", number(options.free_memory)},
      {"--slow-network", number(network.bytes_per_s)},
      {"--loss", decimal(network.loss, 1)},
      {"--jitter", decimal(network.jitter_s, 10)},
      {"--latency", decimal(network.latency_s, 10)},
  };
  for (int index = 1; index < count; ++index) {
    const std::string name = arguments[index];
    if (name == "--led" || name == "--base" || name == "--screen" || name == "--crash") {
      (name == "--led"     ? options.led
       : name == "--base"  ? options.base
       : name == "--crash" ? options.crash
                           : options.screen) = true;
      continue;
    }
    if (name == "--no-glyphs") {
      options.glyphs = false;
      continue;
    }
    const auto found = setters.find(name);
    if (found == setters.end()) {
      error = "There is no option " + name + ".";
      return false;
    }
    if (++index == count) {
      error = name + " needs a value.";
      return false;
    }
    if (!found->second(arguments[index])) {
      error = name + " cannot be " + arguments[index] + ".";
      return false;
    }
  }
  if (options.dir.empty()) {
    error = "--dir is needed: the folder in which the device lives.";
    return false;
  }
  return true;
}

}  // namespace lobug::sim
