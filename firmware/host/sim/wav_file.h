// WAV files: speech to the simulated device, and its replies.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "lobug/base/span.h"

namespace lobug::sim {

/// PCM16, one channel, 16 kHz; anything else is refused with a sentence in `error`.
bool read_wav(const std::filesystem::path& file, std::vector<std::int16_t>& samples,
              std::string& error);

/// PCM16, one channel, 16 kHz, that is complete after each `append`, whenever the process ends.
/// Goes on where a file of an earlier run ended.
class WavWriter {
 public:
  explicit WavWriter(const std::filesystem::path& file);
  ~WavWriter();
  WavWriter(const WavWriter&) = delete;
  WavWriter& operator=(const WavWriter&) = delete;
  bool good() const { return file_ != nullptr; }
  void append(Span<const std::int16_t> samples);
  /// Samples in the file.
  std::uint32_t size() const { return size_; }

 private:
  void write_header();

  std::FILE* file_;
  std::uint32_t size_ = 0;
};

}  // namespace lobug::sim
