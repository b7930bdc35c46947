// The captive portal's DNS: every name is this device (RFC 1035, as far as that needs).
#include <cstddef>
#include <cstdint>

#include "lobug/setup/portal.h"

namespace lobug {
namespace {

constexpr std::size_t kHeaderSize = 12;
constexpr std::size_t kMostQuery = 512;  // RFC 1035, 4.2.1
constexpr std::size_t kMostName = 255;
constexpr std::size_t kMostLabel = 63;
constexpr unsigned kTypeA = 1;
constexpr unsigned kTypeAaaa = 28;
constexpr unsigned kClassInternet = 1;
constexpr unsigned char kRefused = 5;
// Short, so that a phone forgets it soon when it is back in the owner's network.
constexpr unsigned char kTimeToLiveS = 10;

unsigned number_at(Bytes bytes, std::size_t at) {
  return static_cast<unsigned>(bytes[at]) << 8U | bytes[at + 1];
}

/// The end of the name that begins at `at`; 0 when it is invalid, or uses compression,
/// which the first question has no use for.
std::size_t end_of_name(Bytes query, std::size_t at) {
  const std::size_t begin = at;
  while (at < query.size()) {
    const std::size_t length = query[at];
    ++at;
    if (length == 0) return at - begin <= kMostName ? at : 0;
    if (length > kMostLabel) return 0;
    at += length;
  }
  return 0;
}

}  // namespace

std::size_t answer_dns(Bytes query, const std::uint8_t address[4], MutableBytes answer) {
  if (query.size() < kHeaderSize || query.size() > kMostQuery) return 0;
  const bool is_answer = (query[2] & 0x80U) != 0;
  const bool is_cut = (query[2] & 0x02U) != 0;
  const unsigned operation = (query[2] >> 3U) & 15U;
  if (is_answer || is_cut || operation != 0) return 0;
  // One question, and at most the one additional record of EDNS, which may be ignored.
  if (number_at(query, 4) != 1 || number_at(query, 6) != 0 || number_at(query, 8) != 0 ||
      number_at(query, 10) > 1) {
    return 0;
  }
  const std::size_t name_end = end_of_name(query, kHeaderSize);
  if (name_end == 0 || name_end + 4 > query.size()) return 0;
  const unsigned type = number_at(query, name_end);
  const bool internet = number_at(query, name_end + 2) == kClassInternet;
  const bool has_address = internet && type == kTypeA;
  const bool is_known = has_address || (internet && type == kTypeAaaa);

  const std::size_t question_end = name_end + 4;
  const unsigned char record[] = {
      0xC0, kHeaderSize,  0, kTypeA, 0,          kClassInternet, 0,          0,
      0,    kTimeToLiveS, 0, 4,      address[0], address[1],     address[2], address[3]};
  const std::size_t size = question_end + (has_address ? sizeof(record) : 0);
  if (size > answer.size()) return 0;
  for (std::size_t i = 0; i < question_end; ++i) answer[i] = query[i];
  const unsigned recursion_wanted = query[2] & 0x01U;
  answer[2] = static_cast<unsigned char>(0x84U | recursion_wanted);  // an answer, authoritative
  answer[3] = is_known ? 0 : kRefused;
  for (std::size_t i = 6; i < kHeaderSize; ++i) answer[i] = 0;
  answer[7] = has_address ? 1 : 0;
  for (std::size_t i = question_end; i < size; ++i) answer[i] = record[i - question_end];
  return size;
}

}  // namespace lobug
