// What the chip tells of its own condition: why it started, its last crash, memory, stacks.
#pragma once

#include <freertos/FreeRTOS.h>
#include <freertos/task.h>

#include <array>

#include "lobug/ports/vitals.h"

namespace lobug {

class ChipVitals final : public Vitals {
 public:
  /// Reads the core dump in flash; some tens of milliseconds when there is one.
  void begin();
  /// A task whose stack is told of; before the device's task runs.
  void watch(const char* name, TaskHandle_t task);

  ResetReason reset_reason() const override;
  const CrashSummary* crash() const override { return crashed_ ? &crash_ : nullptr; }
  MemoryMarks memory() const override;
  StackMarks stacks() const override;
  bool store_encrypted() const override;
  PsramCheck check_psram() override;

 private:
  struct Watched {
    const char* name = nullptr;
    TaskHandle_t task = nullptr;
  };
  std::array<Watched, kMostStacks> watched_;
  std::size_t count_ = 0;
  bool crashed_ = false;
  CrashSummary crash_;
};

}  // namespace lobug
