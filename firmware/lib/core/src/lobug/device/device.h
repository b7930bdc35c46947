// The device without its hardware: one object on one thread, fed with inputs and time, that never
// waits.
#pragma once

#include "lobug/audio/audio_link.h"
#include "lobug/base/clock.h"
#include "lobug/base/random.h"
#include "lobug/device/screen_link.h"
#include "lobug/ports/body.h"
#include "lobug/ports/connection.h"
#include "lobug/ports/crypto.h"
#include "lobug/ports/firmware_slot.h"
#include "lobug/ports/store.h"
#include "lobug/ports/system.h"
#include "lobug/ports/vitals.h"

namespace lobug {

/// What the device runs on; everything lives longer than the device.
struct Platform {
  Connection& session;  ///< the WebSocket's stream
  Connection& http;     ///< for discovery and updates, and sensors where the session takes none
  Store& store;
  Crypto& crypto;
  Random& random;
  FirmwareSlot& firmware;
  System& system;
  ServerFinder& finder;
  Effects& effects;
  Vitals& vitals;
  BodyPort& body;
};

class Device {
 public:
  Device(const Platform& platform, AudioLink& audio, ScreenLink& screen);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Does what is due; to be called every 5 to 20 ms.
  void step(Millis now);
  DeviceState state() const;

 private:
  struct Parts;
  Parts* parts_;  // made once, at the start; nothing is allocated after that
};

}  // namespace lobug
