// A bounded queue from one thread to one other, without a lock and without waiting.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace lobug {

/// At most `N` values wait. One thread pushes, one other pops.
template <typename T, std::size_t N>
class Queue {
 public:
  /// False when the queue is full; the value is then dropped.
  bool push(const T& value) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    const std::size_t next = (tail + 1) % places_.size();
    if (next == head_.load(std::memory_order_acquire)) return false;
    places_[tail] = value;
    tail_.store(next, std::memory_order_release);
    return true;
  }
  /// False when nothing waits.
  bool pop(T& value) {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return false;
    value = places_[head];
    head_.store((head + 1) % places_.size(), std::memory_order_release);
    return true;
  }

 private:
  std::array<T, N + 1> places_{};
  std::atomic<std::size_t> head_{0};
  std::atomic<std::size_t> tail_{0};
};

}  // namespace lobug
