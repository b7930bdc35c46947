#include "wav_file.h"

#include <sys/types.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>

#include "lobug/audio/format.h"

namespace lobug::sim {
namespace {

constexpr std::size_t kHeaderSize = 44;
constexpr std::uint32_t kSampleBytes = sizeof(std::int16_t);

std::uint32_t number(const std::string& bytes, std::size_t at, int size) {
  std::uint32_t value = 0;
  for (int byte = size; byte-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(byte)]);
  }
  return value;
}

void put(std::array<char, kHeaderSize>& header, std::size_t at, std::uint32_t value, int size) {
  for (int byte = 0; byte < size; ++byte) {
    header[at + static_cast<std::size_t>(byte)] =
        static_cast<char>(value >> (8U * static_cast<unsigned>(byte)));
  }
}

}  // namespace

bool read_wav(const std::filesystem::path& file, std::vector<std::int16_t>& samples,
              std::string& error) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (bytes.size() < kHeaderSize || bytes.compare(0, 4, "RIFF") != 0 ||
      bytes.compare(8, 4, "WAVE") != 0) {
    error = file.string() + " is no WAV file.";
    return false;
  }
  bool right_format = false;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const std::size_t length = number(bytes, at + 4, 4);
    const std::size_t body = at + 8;
    if (bytes.compare(at, 4, "fmt ") == 0 && body + 16 <= bytes.size()) {
      right_format = number(bytes, body, 2) == 1 && number(bytes, body + 2, 2) == 1 &&
                     number(bytes, body + 4, 4) == kSampleRate && number(bytes, body + 14, 2) == 16;
    } else if (bytes.compare(at, 4, "data") == 0 && right_format) {
      const std::size_t there = bytes.size() - body;
      samples.resize((length < there ? length : there) / kSampleBytes);
      std::memcpy(samples.data(), bytes.data() + body, samples.size() * kSampleBytes);
      return true;
    }
    at = body + length + length % 2;
  }
  error = file.string() + " is not PCM16 with one channel and 16 kHz.";
  return false;
}

WavWriter::WavWriter(const std::filesystem::path& file) {
  std::error_code error;
  const auto before = std::filesystem::file_size(file, error);
  const bool goes_on = !error && before >= kHeaderSize;
  file_ = std::fopen(file.c_str(), goes_on ? "r+b" : "w+b");
  if (file_ == nullptr) return;
  if (goes_on) size_ = static_cast<std::uint32_t>(before - kHeaderSize) / kSampleBytes;
  write_header();
}

WavWriter::~WavWriter() {
  if (file_ != nullptr) (void)std::fclose(file_);
}

void WavWriter::append(Span<const std::int16_t> samples) {
  if (file_ == nullptr || samples.empty()) return;
  const std::size_t end = kHeaderSize + std::size_t{size_} * kSampleBytes;
  (void)::fseeko(file_, static_cast<off_t>(end), SEEK_SET);
  (void)std::fwrite(samples.data(), kSampleBytes, samples.size(), file_);
  size_ += static_cast<std::uint32_t>(samples.size());
  write_header();
}

void WavWriter::write_header() {
  std::array<char, kHeaderSize> header{};
  const std::uint32_t data = size_ * kSampleBytes;
  std::memcpy(header.data(), "RIFF", 4);
  put(header, 4, 36 + data, 4);
  std::memcpy(header.data() + 8, "WAVEfmt ", 8);
  put(header, 16, 16, 4);
  put(header, 20, 1, 2);  // PCM
  put(header, 22, 1, 2);  // channels
  put(header, 24, kSampleRate, 4);
  put(header, 28, kSampleRate * kSampleBytes, 4);
  put(header, 32, kSampleBytes, 2);
  put(header, 34, 16, 2);
  std::memcpy(header.data() + 36, "data", 4);
  put(header, 40, data, 4);
  (void)std::fseek(file_, 0, SEEK_SET);
  (void)std::fwrite(header.data(), 1, header.size(), file_);
  (void)std::fflush(file_);
}

}  // namespace lobug::sim
