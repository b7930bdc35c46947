// Queue and Latest between two threads; ThreadSanitizer watches.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "lobug/base/exchange.h"

using namespace lobug;

namespace {

/// Larger than any machine writes at once: half a value would be seen.
struct Block {
  std::array<std::uint32_t, 16> words{};
  static Block of(std::uint32_t number) {
    Block block;
    for (std::size_t i = 0; i < block.words.size(); ++i) {
      block.words[i] = number + static_cast<std::uint32_t>(i);
    }
    return block;
  }
  bool whole() const {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] != words[0] + static_cast<std::uint32_t>(i)) return false;
    }
    return true;
  }
};

constexpr std::uint32_t kMany = 20000;

}  // namespace

TEST_CASE("threads: every value crosses a queue once, whole and in order") {
  Queue<Block, 7> queue;
  std::thread writer([&] {
    for (std::uint32_t number = 1; number <= kMany; ++number) {
      while (!queue.push(Block::of(number))) std::this_thread::yield();
    }
  });
  std::uint32_t wrong = 0;
  for (std::uint32_t number = 1; number <= kMany; ++number) {
    Block block;
    while (!queue.pop(block)) std::this_thread::yield();
    if (!block.whole() || block.words[0] != number) ++wrong;
  }
  writer.join();
  CHECK(wrong == 0);
  Block block;
  CHECK_FALSE(queue.pop(block));
}

TEST_CASE("threads: the newest value is whole, never older than the one before, and arrives") {
  Latest<Block> latest;
  latest.publish(Block::of(0));
  std::thread writer([&] {
    for (std::uint32_t number = 1; number <= kMany; ++number) {
      latest.publish(Block::of(number));
      if (number % 64 == 0) std::this_thread::yield();
    }
  });
  std::uint32_t wrong = 0;
  std::uint32_t before = 0;
  while (before < kMany) {
    const Block& block = latest.read();
    if (!block.whole() || block.words[0] < before) ++wrong;
    before = block.words[0];
    std::this_thread::yield();
  }
  writer.join();
  CHECK(wrong == 0);
  CHECK(latest.read().words[0] == kMany);
}
