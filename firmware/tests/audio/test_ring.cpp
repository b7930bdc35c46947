#include <doctest/doctest.h>

#include <array>
#include <thread>
#include <vector>

#include "lobug/audio/ring.h"

using namespace lobug;

namespace {

Span<const std::int16_t> of(const std::vector<std::int16_t>& samples) {
  return {samples.data(), samples.size()};
}

std::vector<std::int16_t> read(SampleRing& ring, std::size_t count) {
  std::vector<std::int16_t> into(count);
  into.resize(ring.read({into.data(), into.size()}));
  return into;
}

}  // namespace

TEST_CASE("a ring holds one sample less than its storage") {
  std::array<std::int16_t, 4> storage{};
  SampleRing ring({storage.data(), storage.size()});
  CHECK(ring.size() == 0);
  CHECK(ring.room() == 3);
  CHECK(ring.write(of({1, 2, 3, 4, 5})) == 3);
  CHECK(ring.size() == 3);
  CHECK(ring.room() == 0);
  CHECK(ring.write(of({6})) == 0);
  CHECK(read(ring, 9) == std::vector<std::int16_t>{1, 2, 3});
  CHECK(read(ring, 9).empty());
}

TEST_CASE("a ring keeps the order across its end, wherever it begins") {
  for (std::size_t offset = 0; offset < 8; ++offset) {
    std::array<std::int16_t, 8> storage{};
    SampleRing ring({storage.data(), storage.size()});
    for (std::size_t n = 0; n < offset; ++n) {
      CHECK(ring.write(of({0})) == 1);
      ring.drop(1);
    }
    CHECK(ring.write(of({1, 2, 3, 4, 5, 6, 7})) == 7);
    CHECK(read(ring, 3) == std::vector<std::int16_t>{1, 2, 3});
    CHECK(ring.write(of({8, 9, 10, 11})) == 3);
    ring.drop(2);
    CHECK(ring.size() == 5);
    CHECK(read(ring, 7) == std::vector<std::int16_t>{6, 7, 8, 9, 10});
  }
}

TEST_CASE("dropping more than there is empties the ring") {
  std::array<std::int16_t, 8> storage{};
  SampleRing ring({storage.data(), storage.size()});
  ring.write(of({1, 2, 3}));
  ring.drop(static_cast<std::size_t>(-1));
  CHECK(ring.size() == 0);
  CHECK(ring.write(of({4})) == 1);
  CHECK(read(ring, 1) == std::vector<std::int16_t>{4});
}

TEST_CASE("a ring without storage, or with room for nothing, takes nothing") {
  SampleRing none({});
  CHECK(none.room() == 0);
  CHECK(none.write(of({1})) == 0);
  CHECK(read(none, 1).empty());
  none.drop(1);
  std::array<std::int16_t, 1> storage{};
  SampleRing one({storage.data(), storage.size()});
  CHECK(one.room() == 0);
  CHECK(one.write(of({1})) == 0);
  CHECK(one.size() == 0);
}

TEST_CASE("two threads: every sample arrives once and in order") {
  std::array<std::int16_t, 61> storage{};
  SampleRing ring({storage.data(), storage.size()});
  constexpr std::size_t kCount = 200000;
  std::thread writer([&ring] {
    std::array<std::int16_t, 17> chunk{};
    for (std::size_t sent = 0; sent < kCount;) {
      const std::size_t size = std::min(chunk.size(), kCount - sent);
      for (std::size_t n = 0; n < size; ++n)
        chunk[n] = static_cast<std::int16_t>((sent + n) % 9973);
      const std::size_t taken = ring.write({chunk.data(), size});
      if (taken == 0) std::this_thread::yield();
      sent += taken;
    }
  });
  std::size_t wrong = 0;
  std::array<std::int16_t, 23> chunk{};
  for (std::size_t got = 0; got < kCount;) {
    const std::size_t given = ring.read({chunk.data(), chunk.size()});
    if (given == 0) std::this_thread::yield();
    for (std::size_t n = 0; n < given; ++n) {
      if (chunk[n] != static_cast<std::int16_t>((got + n) % 9973)) ++wrong;
    }
    got += given;
  }
  writer.join();
  CHECK(wrong == 0);
  CHECK(ring.size() == 0);
}
