// Values from one thread to one other, without a lock and without waiting.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lobug {

/// A queue of at most `N` values. One thread pushes, one other pops.
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

/// The newest value: one thread publishes whole values, one other reads the newest of them. Three
/// places rotate (one being written, one being read, one between them), so that no half-written
/// value is ever read.
template <typename T>
class Latest {
 public:
  /// By the writing thread alone.
  void publish(const T& value) {
    places_[writing_] = value;
    const std::uint8_t before =
        between_.exchange(static_cast<std::uint8_t>(writing_ | kFresh), std::memory_order_acq_rel);
    writing_ = before & kPlace;
  }
  /// By the reading thread alone: the newest value; the one before if nothing was published since.
  const T& read() {
    if ((between_.load(std::memory_order_relaxed) & kFresh) != 0) {
      const std::uint8_t before = between_.exchange(reading_, std::memory_order_acq_rel);
      reading_ = before & kPlace;
    }
    return places_[reading_];
  }

 private:
  static constexpr std::uint8_t kPlace = 3;
  static constexpr std::uint8_t kFresh = 4;
  std::array<T, 3> places_{};
  std::atomic<std::uint8_t> between_{1};
  std::uint8_t writing_ = 0;
  std::uint8_t reading_ = 2;
};

}  // namespace lobug
