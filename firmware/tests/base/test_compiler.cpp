// What an optimising compiler makes of correct code, where one in use is known to get it wrong.
// cmake/LobugTests.cmake compiles this file with -O2.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace {

constexpr std::size_t kColumns = 40;
constexpr std::size_t kTiles = kColumns * 60;

struct Tiles {
  std::uint64_t marks[kTiles];
  std::uint16_t first[kTiles];
};

// The loops of Damage::note, from which this was reduced: two arrays of different element sizes,
// indexed alike. Not inlined, because the bug is in what a caller believes of it.
__attribute__((noinline)) void note(Tiles& tiles, int x, int y, int right, int bottom,
                                    std::uint16_t shape) {
  for (int row = y / 4; row * 4 < bottom; ++row) {
    for (int column = x / 8; column * 8 < right; ++column) {
      const std::size_t index =
          static_cast<std::size_t>(row) * kColumns + static_cast<std::size_t>(column);
      tiles.marks[index] = 7;
      tiles.first[index] = shape;
    }
  }
}

}  // namespace

TEST_CASE("a call of a function that only stores through two arrays is kept (GCC's bug 110702)") {
  const auto tiles = std::make_unique<Tiles>();
  note(*tiles, 8, 4, 80, 80, 3);
  CHECK(tiles->marks[kColumns + 1] == 7);
  CHECK(tiles->first[kColumns + 1] == 3);
  CHECK(tiles->marks[0] == 0);
}
