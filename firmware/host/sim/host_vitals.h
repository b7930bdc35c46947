// The condition of the simulated chip, with faults as a test scripts them.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "lobug/ports/vitals.h"
#include "options.h"

namespace lobug::sim {

/// What a test can set while the device runs, by the name of the command `vitals`.
struct ScriptedVitals {
  std::atomic<std::uint32_t> psram{4U << 20U};  ///< bytes
  std::atomic<std::uint32_t> psram_wrong{0};    ///< bytes that read back otherwise
  std::atomic<std::uint32_t> free{200'000};
  std::atomic<std::uint32_t> largest{110'000};
  std::atomic<std::uint32_t> least{180'000};
  std::atomic<std::uint32_t> stack{2'000};  ///< of each task, bytes
  std::atomic<std::uint32_t> encrypted{0};  ///< 1: what is stored is encrypted

  /// False when there is no such value.
  bool set(std::string_view name, std::uint32_t value);
};

class HostVitals final : public Vitals {
 public:
  HostVitals(const Options& options, const ScriptedVitals& scripted);
  ResetReason reset_reason() const override { return reset_; }
  const CrashSummary* crash() const override { return crashed_ ? &crash_ : nullptr; }
  MemoryMarks memory() const override;
  StackMarks stacks() const override;
  bool store_encrypted() const override { return scripted_.encrypted.load() != 0; }
  PsramCheck check_psram() override;

 private:
  const ScriptedVitals& scripted_;
  ResetReason reset_ = ResetReason::kPowerOn;
  bool crashed_ = false;
  CrashSummary crash_;
};

}  // namespace lobug::sim
