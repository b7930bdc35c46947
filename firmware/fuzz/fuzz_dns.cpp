// The captive portal's DNS: whatever datagram comes, the answer is a small, well-formed one.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "lobug/setup/portal.h"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

constexpr std::uint8_t kAddress[4] = {192, 168, 4, 1};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using lobug::answer_dns;
  const lobug::Bytes query(data, size);
  std::array<unsigned char, 600> answer{};
  const std::size_t length = answer_dns(query, kAddress, {answer.data(), answer.size()});
  if (length == 0) return 0;

  demand(length <= size + 16 && length <= 512 + 16);  // no good for amplifying an attack
  demand((data[2] & 0x80U) == 0);                     // an answer is never answered
  demand(answer[0] == data[0] && answer[1] == data[1]);
  demand((answer[2] & 0x80U) != 0);
  demand(answer[4] == 0 && answer[5] == 1);
  demand(answer[6] == 0 && answer[7] <= 1);
  for (std::size_t i = 8; i < 12; ++i) demand(answer[i] == 0);

  // The question is repeated as it was: walk through it as a phone would.
  std::size_t at = 12;
  while (answer[at] != 0) {
    demand(answer[at] <= 63);
    at += answer[at] + 1U;
    demand(at < length);
  }
  at += 5;
  demand(at <= length && at - 4 - 12 <= 255);
  for (std::size_t i = 12; i < at; ++i) demand(answer[i] == data[i]);
  demand(length == at + (answer[7] == 1 ? 16U : 0U));
  if (answer[7] == 1) {
    demand((answer[3] & 15U) == 0);
    for (std::size_t i = 0; i < 4; ++i) demand(answer[length - 4 + i] == kAddress[i]);
  }

  // It is not answered again, and with any less room not at all.
  std::array<unsigned char, 600> other{};
  demand(answer_dns({answer.data(), length}, kAddress, {other.data(), other.size()}) == 0);
  demand(answer_dns(query, kAddress, {other.data(), length - 1}) == 0);
  demand(answer_dns(query, kAddress, {other.data(), length}) == length);
  demand(other == [&] {
    std::array<unsigned char, 600> same{};
    for (std::size_t i = 0; i < length; ++i) same[i] = answer[i];
    return same;
  }());
  return 0;
}
