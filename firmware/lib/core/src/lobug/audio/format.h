// The one audio format of the device, both ways: the CoreS3's codec chips share one sample rate.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lobug {

constexpr std::uint32_t kSampleRate = 16000;  ///< Hz, mono, signed 16 bit, little endian
constexpr std::uint32_t kUplinkFrameMs = 20;
constexpr std::uint32_t kDownlinkFrameMs = 60;
constexpr std::size_t kUplinkFrameSamples = kSampleRate * kUplinkFrameMs / 1000;
constexpr std::size_t kDownlinkFrameSamples = kSampleRate * kDownlinkFrameMs / 1000;

constexpr std::size_t samples_of(std::uint32_t milliseconds) {
  return static_cast<std::size_t>(milliseconds) * kSampleRate / 1000;
}
constexpr std::uint32_t milliseconds_of(std::size_t samples) {
  return static_cast<std::uint32_t>(samples * 1000 / kSampleRate);
}

}  // namespace lobug
