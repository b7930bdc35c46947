#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "lobug/audio/format.h"
#include "lobug/audio/jitter_buffer.h"

using namespace lobug;

namespace {

// 1,000 ms of room and 100 ms of prefill unless a test says otherwise.
struct JitterBench {
  explicit JitterBench(std::uint32_t room_ms = 1000, std::uint32_t prefill_ms = 100)
      : storage(samples_of(room_ms) + 1), jitter({storage.data(), storage.size()}, prefill_ms) {}

  std::size_t add(std::uint32_t ms, std::int16_t value = 1) {
    const std::vector<std::int16_t> samples(samples_of(ms), value);
    return jitter.add({samples.data(), samples.size()});
  }
  /// What one read of so many milliseconds gives.
  std::vector<std::int16_t> read(std::uint32_t ms) {
    std::vector<std::int16_t> into(samples_of(ms), -1);
    into.resize(jitter.read({into.data(), into.size()}));
    return into;
  }

  std::vector<std::int16_t> storage;
  JitterBuffer jitter;
};

}  // namespace

TEST_CASE("a new buffer is silent and takes nothing") {
  JitterBench bench;
  CHECK_FALSE(bench.jitter.active());
  CHECK(bench.add(60) == 0);
  CHECK(bench.read(20).empty());
  CHECK(bench.jitter.generation() == 0);
  CHECK(bench.jitter.buffered_ms() == 0);
  CHECK(bench.jitter.lost() == 0);
  CHECK(bench.jitter.starved() == 0);
  bench.jitter.end();
  CHECK_FALSE(bench.jitter.active());
}

TEST_CASE("a reply starts to sound when the prefill is there") {
  JitterBench bench;
  bench.jitter.begin();
  CHECK(bench.jitter.active());
  CHECK(bench.add(60) == samples_of(60));
  CHECK(bench.read(20).empty());
  CHECK(bench.add(39) == samples_of(39));
  CHECK(bench.read(20).empty());
  CHECK(bench.jitter.buffered_ms() == 99);
  CHECK(bench.add(1) == samples_of(1));
  CHECK(bench.read(20).size() == samples_of(20));
  // Once it sounds it goes on below the prefill.
  CHECK(bench.read(70).size() == samples_of(70));
  CHECK(bench.read(20).size() == samples_of(10));
  CHECK(bench.jitter.starved() == 0);
}

TEST_CASE("a reply shorter than the prefill sounds once it has ended") {
  JitterBench bench;
  bench.jitter.begin();
  bench.add(30);
  CHECK(bench.read(20).empty());
  bench.jitter.end();
  CHECK(bench.jitter.active());
  CHECK(bench.read(20).size() == samples_of(20));
  CHECK(bench.jitter.active());
  CHECK(bench.read(20).size() == samples_of(10));
  CHECK_FALSE(bench.jitter.active());
  CHECK(bench.read(20).empty());
  CHECK(bench.jitter.starved() == 0);
}

TEST_CASE("a reply without any sound is over when it ends") {
  JitterBench bench;
  bench.jitter.begin();
  bench.jitter.end();
  CHECK_FALSE(bench.jitter.active());
  CHECK(bench.read(20).empty());
}

TEST_CASE("a reply that runs dry waits for the prefill again and is counted once") {
  JitterBench bench;
  bench.jitter.begin();
  bench.add(100);
  CHECK(bench.read(100).size() == samples_of(100));
  for (int tries = 0; tries < 3; ++tries) CHECK(bench.read(20).empty());
  CHECK(bench.jitter.starved() == 0);  // that may have been all of it
  bench.add(60);
  CHECK(bench.read(20).empty());
  CHECK(bench.jitter.starved() == 1);
  bench.add(60);
  CHECK(bench.read(20).size() == samples_of(20));
  CHECK(bench.jitter.starved() == 1);
}

TEST_CASE("an ended reply that was read is not starved") {
  JitterBench bench;
  bench.jitter.begin();
  bench.add(100);
  bench.jitter.end();
  CHECK(bench.read(500).size() == samples_of(100));
  CHECK(bench.read(20).empty());
  CHECK(bench.jitter.starved() == 0);
}

TEST_CASE("a reply whose end is announced only after it was read is not starved") {
  JitterBench bench;
  for (int replies = 0; replies < 3; ++replies) {
    bench.jitter.begin();
    bench.add(100);
    CHECK(bench.read(100).size() == samples_of(100));
    CHECK(bench.read(20).empty());
    bench.jitter.end();
    CHECK(bench.read(20).empty());
  }
  CHECK(bench.jitter.starved() == 0);
}

TEST_CASE("a last piece that came too late was a gap, also when the end is announced with it") {
  JitterBench bench;
  bench.jitter.begin();
  bench.add(100);
  CHECK(bench.read(100).size() == samples_of(100));
  CHECK(bench.read(20).empty());
  bench.add(10);
  bench.jitter.end();
  CHECK(bench.read(20).size() == samples_of(10));
  CHECK(bench.jitter.starved() == 1);
}

TEST_CASE("discard is silence at once, whatever was there and whatever still comes") {
  JitterBench bench;
  bench.jitter.begin();
  bench.add(500);
  CHECK(bench.read(20).size() == samples_of(20));
  const std::uint32_t before = bench.jitter.generation();
  bench.jitter.discard();
  CHECK(bench.jitter.generation() == before + 1);
  CHECK_FALSE(bench.jitter.active());
  CHECK(bench.jitter.buffered_ms() == 0);
  CHECK(bench.read(20).empty());
  CHECK(bench.jitter.read_generation() == before + 1);
  CHECK(bench.add(60) == 0);  // the network still holds some of the reply
  CHECK(bench.read(20).empty());
  CHECK(bench.jitter.lost() == 0);
  CHECK(bench.jitter.starved() == 0);
}

TEST_CASE("a new reply takes the place of the old one, and waits for its own prefill") {
  JitterBench bench;
  bench.jitter.begin();
  bench.add(500, 1);
  CHECK(bench.read(20).size() == samples_of(20));
  bench.jitter.begin();
  CHECK(bench.jitter.active());
  CHECK(bench.jitter.buffered_ms() == 0);
  bench.add(60, 2);
  CHECK(bench.jitter.buffered_ms() == 60);
  CHECK(bench.read(20).empty());
  bench.add(60, 2);
  const std::vector<std::int16_t> heard = bench.read(500);
  CHECK(heard.size() == samples_of(120));
  CHECK(std::count(heard.begin(), heard.end(), 2) == static_cast<std::ptrdiff_t>(heard.size()));
  CHECK(bench.jitter.starved() == 0);
}

TEST_CASE("what was discarded gives its room back with the next read, even an empty one") {
  JitterBench bench(1000);
  bench.jitter.begin();
  CHECK(bench.add(1000) == samples_of(1000));
  bench.jitter.begin();
  CHECK(bench.add(60) == 0);
  CHECK(bench.jitter.lost() == samples_of(60));
  CHECK(bench.jitter.read({}) == 0);
  CHECK(bench.add(1000, 3) == samples_of(1000));
  CHECK(bench.read(1000).front() == 3);
}

TEST_CASE("what does not fit is lost and counted") {
  JitterBench bench(100);
  bench.jitter.begin();
  CHECK(bench.add(160) == samples_of(100));
  CHECK(bench.jitter.lost() == samples_of(60));
  CHECK(bench.jitter.buffered_ms() == 100);
  CHECK(bench.read(160).size() == samples_of(100));
}

TEST_CASE("a prefill larger than the storage is the storage") {
  JitterBench bench(100, 5000);
  bench.jitter.begin();
  bench.add(99);
  CHECK(bench.read(20).empty());
  bench.add(1);
  CHECK(bench.read(20).size() == samples_of(20));
}

TEST_CASE("nothing is added to a reply that has ended") {
  JitterBench bench;
  bench.jitter.begin();
  bench.add(20, 1);
  bench.jitter.end();
  CHECK(bench.add(20, 2) == 0);
  CHECK(bench.read(100).size() == samples_of(20));
}

TEST_CASE("positions may wrap: thousands of replies one after the other") {
  JitterBench bench(200, 10);
  for (std::int16_t reply = 0; reply < 5000; ++reply) {
    bench.jitter.begin();
    bench.add(50, reply);
    if (reply % 3 == 0) continue;  // replaced before it sounds
    bench.jitter.end();
    const std::vector<std::int16_t> heard = bench.read(200);
    REQUIRE(heard.size() == samples_of(50));
    REQUIRE(std::count(heard.begin(), heard.end(), reply) ==
            static_cast<std::ptrdiff_t>(heard.size()));
  }
  CHECK(bench.jitter.starved() == 0);
}

// Each sample says which generation it is of and where it stands in it, so that the reader sees
// every sample that comes late, twice, out of order or under a wrong number.
TEST_CASE("two threads: replies that begin, end and are discarded never mix") {
  std::vector<std::int16_t> storage(2000);
  JitterBuffer jitter({storage.data(), storage.size()}, 5);
  std::atomic<bool> done{false};
  std::size_t mixed = 0;
  std::size_t disordered = 0;
  std::size_t heard = 0;

  std::thread reader([&] {
    std::array<std::int16_t, 97> chunk{};
    std::uint32_t generation = 0;
    std::uint32_t expected = 0;
    while (!done.load()) {
      const std::size_t given = jitter.read({chunk.data(), chunk.size()});
      if (jitter.read_generation() != generation) {
        generation = jitter.read_generation();
        expected = 0;
      }
      for (std::size_t n = 0; n < given; ++n) {
        const auto sample = static_cast<std::uint16_t>(chunk[n]);
        if ((sample >> 9U) != (generation & 0x7FU)) ++mixed;
        if ((sample & 0x1FFU) != (expected++ & 0x1FFU)) ++disordered;
      }
      heard += given;
      if (given == 0) std::this_thread::yield();
    }
  });

  std::mt19937 random(1);
  std::size_t impossible = 0;
  const std::uint32_t capacity_ms = milliseconds_of(storage.size());
  for (int reply = 0; reply < 4000; ++reply) {
    jitter.begin();
    const std::uint32_t generation = jitter.generation();
    const auto length = static_cast<std::uint32_t>(random() % 1500);
    std::array<std::int16_t, 61> chunk{};
    for (std::uint32_t sent = 0; sent < length;) {
      const std::uint32_t size =
          std::min<std::uint32_t>(static_cast<std::uint32_t>(chunk.size()), length - sent);
      for (std::uint32_t n = 0; n < size; ++n) {
        chunk[n] = static_cast<std::int16_t>(((generation & 0x7FU) << 9U) | ((sent + n) & 0x1FFU));
      }
      const std::size_t taken = jitter.add({chunk.data(), size});
      if (taken == 0) std::this_thread::yield();
      sent += static_cast<std::uint32_t>(taken);
      if (!jitter.active() || jitter.buffered_ms() > capacity_ms) ++impossible;
    }
    switch (random() % 3) {
      case 0:
        jitter.discard();
        if (jitter.active() || jitter.buffered_ms() != 0) ++impossible;
        break;
      case 1:
        jitter.end();
        while (jitter.active()) std::this_thread::yield();
        break;
      default:
        break;  // the next reply takes its place
    }
  }
  done = true;
  reader.join();
  CHECK(mixed == 0);
  CHECK(disordered == 0);
  CHECK(impossible == 0);
  CHECK(heard > 0);
}

// As above, in a rush: the reader is at every point of `read` when a reply takes the other's place.
TEST_CASE("two threads: a reply that is replaced while it is read gives none of its successor") {
  std::vector<std::int16_t> storage(256);
  JitterBuffer jitter({storage.data(), storage.size()}, 0);
  std::atomic<bool> done{false};
  std::size_t mixed = 0;
  std::size_t disordered = 0;

  std::thread reader([&] {
    std::array<std::int16_t, 8> chunk{};
    std::uint32_t generation = 0;
    std::uint32_t expected = 0;
    while (!done.load(std::memory_order_relaxed)) {
      const std::size_t given = jitter.read({chunk.data(), chunk.size()});
      if (jitter.read_generation() != generation) {
        generation = jitter.read_generation();
        expected = 0;
      }
      for (std::size_t n = 0; n < given; ++n) {
        const auto sample = static_cast<std::uint16_t>(chunk[n]);
        if ((sample >> 6U) != (generation & 0x3FFU)) ++mixed;
        if ((sample & 0x3FU) != expected++) ++disordered;
      }
    }
  });
  std::array<std::int16_t, 6> chunk{};
  for (int reply = 0; reply < 200000; ++reply) {
    jitter.begin();
    const std::uint32_t generation = jitter.generation() & 0x3FFU;
    for (std::uint32_t part = 0; part < 2; ++part) {
      for (std::uint32_t n = 0; n < chunk.size(); ++n) {
        const std::uint32_t sequence = part * static_cast<std::uint32_t>(chunk.size()) + n;
        chunk[n] = static_cast<std::int16_t>((generation << 6U) | sequence);
      }
      // Half a reply would be disordered by what is missing of it.
      if (jitter.add({chunk.data(), chunk.size()}) != chunk.size()) break;
    }
    if (reply % 16 == 0) std::this_thread::yield();
  }
  done = true;
  reader.join();
  CHECK(mixed == 0);
  CHECK(disordered == 0);
}
