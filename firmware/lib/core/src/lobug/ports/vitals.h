// What the chip tells of its own condition.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lobug/base/text.h"

namespace lobug {

/// Why the chip started.
enum class ResetReason : std::uint8_t {
  kUnknown,
  kPowerOn,
  kExternal,
  kSoftware,
  kPanic,
  kInterruptWatchdog,
  kTaskWatchdog,
  kWatchdog,
  kDeepSleep,
  kBrownout,
  kSdio,
};
constexpr std::uint8_t kResetReasonCount = 11;

/// Internal memory, bytes: PSRAM is plenty and cannot hold Wi-Fi's and TLS' inner parts.
struct MemoryMarks {
  std::uint32_t free = 0;
  std::uint32_t largest = 0;  ///< block
  std::uint32_t least = 0;    ///< that was ever free
};

/// The least that was ever free of a task's stack, bytes.
struct StackMark {
  Text<12> task;
  std::uint32_t least = 0;
};
constexpr std::size_t kMostStacks = 4;
struct StackMarks {
  std::array<StackMark, kMostStacks> marks;
  std::size_t count = 0;

  /// False when there is no room.
  bool add(std::string_view task, std::uint32_t least) {
    if (count == marks.size()) return false;
    marks[count].task.assign(task);
    marks[count++].least = least;
    return true;
  }
};

/// The core dump of the last crash, in short. It stays in flash until the next one.
struct CrashSummary {
  Text<16> task;
  std::uint32_t pc = 0;       ///< where it happened
  std::uint32_t cause = 0;    ///< the processor's number for what went wrong
  std::uint32_t address = 0;  ///< the memory that was to be reached
  std::array<std::uint32_t, 16> backtrace{};
  std::size_t depth = 0;  ///< of the backtrace
  bool corrupted = false;
  Text<64> image;  ///< beginning of the SHA-256 of the ELF file that crashed, hexadecimal
};

/// A look at the PSRAM: a piece of it was written and read back.
struct PsramCheck {
  std::uint32_t size = 0;     ///< bytes; 0: there is none
  std::uint32_t checked = 0;  ///< bytes of the piece; 0: none could be taken
  std::uint32_t wrong = 0;    ///< bytes that read back otherwise
};

/// By the device's thread.
class Vitals {
 public:
  virtual ~Vitals() = default;
  virtual ResetReason reset_reason() const = 0;
  /// The last crash; nullptr when no core dump is stored.
  virtual const CrashSummary* crash() const = 0;
  virtual MemoryMarks memory() const = 0;
  virtual StackMarks stacks() const = 0;
  /// Whether what is stored (token, Wi-Fi password) is encrypted in flash.
  virtual bool store_encrypted() const = 0;
  /// Takes some milliseconds.
  virtual PsramCheck check_psram() = 0;
};

}  // namespace lobug
