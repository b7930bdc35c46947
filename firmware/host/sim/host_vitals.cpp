#include "host_vitals.h"

#include <array>
#include <utility>

#include "lobug/protocol/report.h"

namespace lobug::sim {

bool ScriptedVitals::set(std::string_view name, std::uint32_t value) {
  const std::array<std::pair<std::string_view, std::atomic<std::uint32_t>*>, 7> values{{
      {"psram", &psram},
      {"psram_wrong", &psram_wrong},
      {"free", &free},
      {"largest", &largest},
      {"least", &least},
      {"stack", &stack},
      {"encrypted", &encrypted},
  }};
  for (const auto& [known, place] : values) {
    if (known != name) continue;
    place->store(value);
    return true;
  }
  return false;
}

HostVitals::HostVitals(const Options& options, const ScriptedVitals& scripted)
    : scripted_(scripted), crashed_(options.crash) {
  for (std::uint8_t number = 0; number < kResetReasonCount; ++number) {
    const auto reason = static_cast<ResetReason>(number);
    if (name_of(reason) == options.reset) reset_ = reason;
  }
  crash_.task.assign("device");
  crash_.pc = 0x400d1234;
  crash_.cause = 28;
  crash_.address = 0x10;
  crash_.backtrace = {0x400d1234, 0x400d5678, 0x4008abcd};
  crash_.depth = 3;
  crash_.image.assign("a1b2c3d4e5f60718");
}

MemoryMarks HostVitals::memory() const {
  return {scripted_.free.load(), scripted_.largest.load(), scripted_.least.load()};
}

StackMarks HostVitals::stacks() const {
  StackMarks stacks;
  for (const char* task : {"screen", "audio", "device"}) {
    (void)stacks.add(task, scripted_.stack.load());
  }
  return stacks;
}

PsramCheck HostVitals::check_psram() {
  PsramCheck check;
  check.size = scripted_.psram.load();
  check.checked = check.size > 0 ? 131'072 : 0;
  check.wrong = scripted_.psram_wrong.load();
  return check;
}

}  // namespace lobug::sim
