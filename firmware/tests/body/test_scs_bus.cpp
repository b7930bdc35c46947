#include "lobug/body/scs_bus.h"

#include <doctest/doctest.h>

#include <vector>

using namespace lobug;
using Data = std::vector<std::uint8_t>;

namespace {

Data of(const ScsFrame& frame) { return {frame.bytes().begin(), frame.bytes().end()}; }

/// All answers in these bytes.
std::vector<ScsAnswer> read(const Data& bytes) {
  ScsReader reader;
  std::vector<ScsAnswer> answers;
  for (const std::uint8_t byte : bytes) {
    if (reader.feed(byte)) answers.push_back(reader.answer());
  }
  return answers;
}

const Data kAt460 = {0xFF, 0xFF, 1, 4, 0, 0x01, 0xCC, 0x2D};

}  // namespace

TEST_CASE("frames are those of Feetech's manual, the higher byte first") {
  CHECK(of(ScsFrame::goal(1, 460, 20)) ==
        Data{0xFF, 0xFF, 1, 9, 3, 42, 0x01, 0xCC, 0, 20, 0, 0, 0xE7});
  CHECK(of(ScsFrame::torque(2, true)) == Data{0xFF, 0xFF, 2, 4, 3, 40, 1, 0xCD});
  CHECK(of(ScsFrame::torque(2, false)) == Data{0xFF, 0xFF, 2, 4, 3, 40, 0, 0xCE});
  CHECK(of(ScsFrame::ask_position(1)) == Data{0xFF, 0xFF, 1, 4, 2, 56, 2, 0xBE});
}

TEST_CASE("an answer is read, whatever was before it") {
  for (const Data& before : {Data{}, Data{0xFF}, Data{0xFF, 0xFF}, Data{0, 7, 0xFF},
                             Data{0xFF, 0xFF, 1, 200}, Data{0xFF, 0xFF, 1, 0xFF}}) {
    Data bytes = before;
    bytes.insert(bytes.end(), kAt460.begin(), kAt460.end());
    const auto answers = read(bytes);
    CAPTURE(before.size());
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].servo == 1);
    CHECK(answers[0].fault == 0);
    CHECK(answers[0].position() == 460);
  }
}

TEST_CASE("a damaged answer is none, and the next one is read") {
  for (std::size_t place = 2; place < kAt460.size(); ++place) {
    Data bytes = kAt460;
    bytes[place] ^= 0x10U;
    CAPTURE(place);
    for (const ScsAnswer& answer : read(bytes)) CHECK(answer.position() != 460);
    Data both = bytes;
    both.insert(both.end(), kAt460.begin(), kAt460.end());
    both.insert(both.end(), kAt460.begin(), kAt460.end());
    const auto answers = read(both);
    REQUIRE_FALSE(answers.empty());
    CHECK(answers.back().position() == 460);
  }
}

TEST_CASE("one's own question that comes back holds no position") {
  const auto answers = read(of(ScsFrame::ask_position(1)));
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].position() > 1023);
}

TEST_CASE("an answer without data tells no position") {
  const auto answers = read({0xFF, 0xFF, 1, 2, 0, 0xFC});
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].position() > 1023);
}
