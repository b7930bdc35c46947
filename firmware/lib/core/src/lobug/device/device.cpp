#include "lobug/device/device.h"

#include "lobug/device/mind.h"

namespace lobug {

// All memory is taken here, once: about 70 KB, which ESP32 boards with PSRAM find there.
struct Device::Parts {
  Parts(const Platform& platform, AudioLink& audio, ScreenLink& screen)
      : mind(platform, audio, screen) {}
  Mind mind;
};

Device::Device(const Platform& platform, AudioLink& audio, ScreenLink& screen)
    : parts_(new Parts(platform, audio, screen)) {}
Device::~Device() { delete parts_; }
void Device::step(Millis now) { parts_->mind.step(now); }
DeviceState Device::state() const { return parts_->mind.state(); }

}  // namespace lobug
