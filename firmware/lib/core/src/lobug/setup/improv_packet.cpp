#include "lobug/setup/improv_packet.h"

#include "lobug/base/utf8.h"

namespace lobug {
namespace {

constexpr std::string_view kHeader = "IMPROV\x01";

std::uint8_t sum_of(std::string_view bytes) {
  std::uint8_t sum = 0;
  for (const char byte : bytes) {
    sum = static_cast<std::uint8_t>(sum + static_cast<unsigned char>(byte));
  }
  return sum;
}

}  // namespace

ImprovReader::Found ImprovReader::feed(char byte, Millis now) {
  const bool late = elapsed(last_, now) > kLateMs;
  last_ = now;
  text_size_ = 0;
  const bool ends_packet = after_packet_ && byte == '\n' && !late;
  after_packet_ = false;
  if (ends_packet) return Found::kNothing;
  if (part_ != Part::kHeader && late) begin();
  return part_ == Part::kHeader ? header(byte) : body(static_cast<unsigned char>(byte));
}

void ImprovReader::begin() {
  part_ = Part::kHeader;
  matched_ = 0;
}

ImprovReader::Found ImprovReader::header(char byte) {
  if (byte == kHeader[matched_]) {
    if (++matched_ == kHeader.size()) part_ = Part::kType;
    return Found::kNothing;
  }
  // No other byte of the header is like its first: what was held back begins no packet.
  for (const char held : kHeader.substr(0, matched_)) text_[text_size_++] = held;
  matched_ = byte == kHeader[0] ? 1 : 0;
  if (matched_ == 0) text_[text_size_++] = byte;
  return text_size_ != 0 ? Found::kText : Found::kNothing;
}

ImprovReader::Found ImprovReader::body(unsigned char byte) {
  switch (part_) {
    case Part::kHeader:
      break;
    case Part::kType:
      type_ = byte;
      sum_ = static_cast<std::uint8_t>(sum_of(kHeader) + byte);
      part_ = Part::kLength;
      break;
    case Part::kLength:
      length_ = byte;
      size_ = 0;
      sum_ = static_cast<std::uint8_t>(sum_ + byte);
      part_ = length_ != 0 ? Part::kData : Part::kChecksum;
      break;
    case Part::kData:
      data_[size_++] = byte;
      sum_ = static_cast<std::uint8_t>(sum_ + byte);
      if (size_ == length_) part_ = Part::kChecksum;
      break;
    case Part::kChecksum:
      begin();
      after_packet_ = true;
      return byte == sum_ ? Found::kPacket : Found::kBroken;
  }
  return Found::kNothing;
}

ImprovWriter::ImprovWriter(ImprovType type) {
  kHeader.copy(bytes_.data(), kHeader.size());
  bytes_[7] = static_cast<char>(type);
}

ImprovWriter& ImprovWriter::byte(std::uint8_t value) {
  if (size_ < kHead + kMostData) bytes_[size_++] = static_cast<char>(value);
  return *this;
}

ImprovWriter& ImprovWriter::string(std::string_view text) {
  const std::size_t room = kHead + kMostData - size_;
  if (room == 0) return *this;
  const std::string_view fits = utf8_prefix(text, room - 1);
  byte(static_cast<std::uint8_t>(fits.size()));
  size_ += fits.copy(bytes_.data() + size_, fits.size());
  return *this;
}

std::string_view ImprovWriter::finish() {
  const std::size_t data = size_ - kHead;
  bytes_[8] = static_cast<char>(data);
  if (bytes_[7] == static_cast<char>(ImprovType::kResult) && data >= 2) {
    bytes_[kHead + 1] = static_cast<char>(data - 2);
  }
  bytes_[size_] = static_cast<char>(sum_of({bytes_.data(), size_}));
  bytes_[size_ + 1] = '\n';  // clients look for a packet at the beginning of a line
  return {bytes_.data(), size_ + 2};
}

}  // namespace lobug
