// Samples from one thread to one other, in memory that the caller owns (PSRAM on a device).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lobug/base/span.h"

namespace lobug {

/// A ring of samples: one thread writes, one other reads, without a lock. Holds one sample less
/// than its storage.
class SampleRing {
 public:
  explicit SampleRing(Span<std::int16_t> storage) : storage_(storage) {}
  SampleRing(const SampleRing&) = delete;
  SampleRing& operator=(const SampleRing&) = delete;

  /// Samples that can be read now. By either thread.
  std::size_t size() const;
  /// Samples that can be written now. By either thread.
  std::size_t room() const;
  /// By the writing thread: how many were taken.
  std::size_t write(Span<const std::int16_t> samples);
  /// By the reading thread: how many were given.
  std::size_t read(Span<std::int16_t> into);
  /// By the reading thread: forget `count` samples, or all there are.
  void drop(std::size_t count);

 private:
  Span<std::int16_t> storage_;
  std::atomic<std::size_t> head_{0};
  std::atomic<std::size_t> tail_{0};
};

}  // namespace lobug
