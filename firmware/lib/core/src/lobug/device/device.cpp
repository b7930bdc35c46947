#include "lobug/device/device.h"

#include "lobug/device/device_controller.h"

namespace lobug {

// All memory is taken here, once: about 70 KB, which ESP32 boards with PSRAM find there.
struct Device::Parts {
  Parts(const Platform& platform, AudioLink& audio, ScreenLink& screen)
      : controller(platform, audio, screen) {}
  DeviceController controller;
};

Device::Device(const Platform& platform, AudioLink& audio, ScreenLink& screen)
    : parts_(new Parts(platform, audio, screen)) {}
Device::~Device() { delete parts_; }
void Device::step(Millis now) { parts_->controller.step(now); }
DeviceState Device::state() const { return parts_->controller.state(); }

}  // namespace lobug
