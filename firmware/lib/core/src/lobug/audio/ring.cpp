#include "lobug/audio/ring.h"

#include <algorithm>

namespace lobug {

// head_ is the next place to read, moved by the reader alone; tail_ the next to write, moved by the
// writer alone. Each side publishes with release what the other takes with acquire, so that samples
// are there before the index says so, and read before their place is given back.

std::size_t SampleRing::size() const {
  if (storage_.empty()) return 0;
  const std::size_t head = head_.load(std::memory_order_acquire);
  const std::size_t tail = tail_.load(std::memory_order_acquire);
  return tail >= head ? tail - head : storage_.size() - head + tail;
}

std::size_t SampleRing::room() const { return storage_.empty() ? 0 : storage_.size() - 1 - size(); }

std::size_t SampleRing::write(Span<const std::int16_t> samples) {
  const std::size_t count = std::min(samples.size(), room());
  if (count == 0) return 0;
  const std::size_t tail = tail_.load(std::memory_order_relaxed);
  const std::size_t straight = std::min(count, storage_.size() - tail);
  std::copy_n(samples.begin(), straight, storage_.begin() + tail);
  std::copy_n(samples.begin() + straight, count - straight, storage_.begin());
  tail_.store((tail + count) % storage_.size(), std::memory_order_release);
  return count;
}

std::size_t SampleRing::read(Span<std::int16_t> into) {
  const std::size_t count = std::min(into.size(), size());
  if (count == 0) return 0;
  const std::size_t head = head_.load(std::memory_order_relaxed);
  const std::size_t straight = std::min(count, storage_.size() - head);
  std::copy_n(storage_.begin() + head, straight, into.begin());
  std::copy_n(storage_.begin(), count - straight, into.begin() + straight);
  head_.store((head + count) % storage_.size(), std::memory_order_release);
  return count;
}

void SampleRing::drop(std::size_t count) {
  const std::size_t dropped = std::min(count, size());
  if (dropped == 0) return;
  const std::size_t head = head_.load(std::memory_order_relaxed);
  head_.store((head + dropped) % storage_.size(), std::memory_order_release);
}

}  // namespace lobug
