// A chip whose condition is what a test says.
#pragma once

#include "lobug/ports/vitals.h"

namespace lobug::test {

class ScriptedVitals final : public Vitals {
 public:
  ResetReason reset = ResetReason::kPowerOn;
  bool crashed = false;
  CrashSummary summary;
  MemoryMarks marks{200000, 110000, 180000};
  StackMarks free;
  PsramCheck psram{4U << 20U, 131072, 0};

  ScriptedVitals() { (void)free.add("device", 2000); }
  ResetReason reset_reason() const override { return reset; }
  const CrashSummary* crash() const override { return crashed ? &summary : nullptr; }
  MemoryMarks memory() const override { return marks; }
  bool encrypted = false;
  bool store_encrypted() const override { return encrypted; }
  StackMarks stacks() const override { return free; }
  PsramCheck check_psram() override { return psram; }
};

}  // namespace lobug::test
