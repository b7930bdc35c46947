#include "lobug/audio/jitter_buffer.h"

#include <algorithm>

namespace lobug {
namespace {

// Generation and phase change together, in one word: the reader never sees a new reply with the
// phase of the old one.
constexpr std::uint32_t kPhaseBits = 2;
constexpr std::uint32_t kPhaseMask = (1U << kPhaseBits) - 1U;

constexpr std::uint32_t phase_bits(std::uint32_t state) { return state & kPhaseMask; }
constexpr std::uint32_t generation_of(std::uint32_t state) { return state >> kPhaseBits; }
constexpr std::uint32_t next_generation(std::uint32_t state) {
  return (state & ~kPhaseMask) + (1U << kPhaseBits);
}

std::uint32_t bounded_prefill(std::uint32_t prefill_ms, std::size_t storage) {
  // A prefill larger than the buffer would never be reached.
  const std::size_t room = storage > 0 ? storage - 1 : 0;
  return static_cast<std::uint32_t>(std::min(samples_of(prefill_ms), room));
}

}  // namespace

JitterBuffer::JitterBuffer(Span<std::int16_t> storage, std::uint32_t prefill_ms)
    : ring_(storage), prefill_(bounded_prefill(prefill_ms, storage.size())), state_(0) {}

JitterBuffer::Phase JitterBuffer::phase_of(std::uint32_t state) {
  return static_cast<Phase>(phase_bits(state));
}

void JitterBuffer::enter(Phase phase) {
  // The start first: a reader of the new generation then sees its start, or a later one.
  start_.store(written_.load(std::memory_order_relaxed), std::memory_order_release);
  const std::uint32_t state = state_.load(std::memory_order_relaxed);
  state_.store(next_generation(state) | static_cast<std::uint32_t>(phase),
               std::memory_order_release);
}

void JitterBuffer::begin() { enter(Phase::kFilling); }

std::size_t JitterBuffer::add(Span<const std::int16_t> samples) {
  if (phase_of(state_.load(std::memory_order_relaxed)) != Phase::kFilling) return 0;
  // Counted before they can be read, so that never more seems to be read than was written.
  const std::size_t taken = std::min(samples.size(), ring_.room());
  written_.store(written_.load(std::memory_order_relaxed) + static_cast<std::uint32_t>(taken),
                 std::memory_order_release);
  ring_.write(samples.first(taken));
  lost_.fetch_add(static_cast<std::uint32_t>(samples.size() - taken), std::memory_order_relaxed);
  return taken;
}

void JitterBuffer::end() {
  const std::uint32_t state = state_.load(std::memory_order_relaxed);
  if (phase_of(state) != Phase::kFilling) return;
  state_.store((state & ~kPhaseMask) | static_cast<std::uint32_t>(Phase::kEnded),
               std::memory_order_release);
}

void JitterBuffer::discard() { enter(Phase::kSilent); }

bool JitterBuffer::look(Phase& phase, std::size_t& available) {
  // A reply may be replaced at any point in here, so the state is read before and after the size.
  // Unchanged: all that was counted belongs to this reply, and to an ended one nothing is added.
  for (int tries = 0; tries < 3; ++tries) {
    const std::uint32_t state = state_.load(std::memory_order_acquire);
    if (generation_of(state) != read_generation_) {
      // The reader skips only here. `start_` belongs to this generation or to a later one.
      const std::uint32_t position = read_.load(std::memory_order_relaxed);
      const std::uint32_t start = start_.load(std::memory_order_acquire);
      ring_.drop(start - position);
      read_.store(start, std::memory_order_release);
      read_generation_ = generation_of(state);
      playing_ = false;
      dry_ = false;
    }
    available = ring_.size();
    if (state_.load(std::memory_order_acquire) == state) {
      phase = phase_of(state);
      return true;
    }
  }
  return false;  // the session is busy replacing replies: look again next time
}

std::size_t JitterBuffer::read(Span<std::int16_t> into) {
  Phase phase = Phase::kSilent;
  std::size_t available = 0;
  if (!look(phase, available) || into.empty() || phase == Phase::kSilent) return 0;
  if (available == 0) {
    dry_ = dry_ || playing_;
    playing_ = false;
    return 0;
  }
  if (dry_) starved_.fetch_add(1, std::memory_order_relaxed);
  dry_ = false;
  if (!playing_ && phase == Phase::kFilling && available < prefill_) return 0;
  playing_ = true;
  const std::size_t given = ring_.read(into.first(available));
  read_.store(read_.load(std::memory_order_relaxed) + static_cast<std::uint32_t>(given),
              std::memory_order_release);
  return given;
}

std::uint32_t JitterBuffer::waiting() const {
  // Read before written: what is counted may already be gone, but is never less than nothing.
  const std::uint32_t read = read_.load(std::memory_order_acquire);
  const std::uint32_t start = start_.load(std::memory_order_acquire);
  const std::uint32_t written = written_.load(std::memory_order_acquire);
  return std::min(written - read, written - start);
}

bool JitterBuffer::active() const {
  const Phase phase = phase_of(state_.load(std::memory_order_acquire));
  return phase == Phase::kFilling || (phase == Phase::kEnded && waiting() > 0);
}

std::uint32_t JitterBuffer::generation() const {
  return generation_of(state_.load(std::memory_order_acquire));
}

std::uint32_t JitterBuffer::buffered_ms() const { return milliseconds_of(waiting()); }

std::uint32_t JitterBuffer::starved() const { return starved_.load(std::memory_order_relaxed); }

std::uint32_t JitterBuffer::lost() const { return lost_.load(std::memory_order_relaxed); }

}  // namespace lobug
