// The newest value, from one thread to another, without a lock and without waiting.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace lobug {

/// One thread publishes whole values, one other reads the newest of them. Three places rotate:
/// one being written, one being read, one between them, so that nobody ever sees half a value.
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
