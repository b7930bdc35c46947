// The firmware of Lo-Bug on M5Stack Core2 and CoreS3: makes the parts and starts the tasks.
//
// Compiled against the real headers of the pinned versions (M5Unified 0.2.11, M5GFX 0.2.17, Arduino
// 2.0.17 with ESP-IDF 4.4.7), not linked: see docs/firmware-checks.md.
#include <Arduino.h>
#include <M5Unified.h>
#include <esp_heap_caps.h>
#include <esp_idf_version.h>
#include <esp_task_wdt.h>
#include <freertos/FreeRTOS.h>
#include <freertos/task.h>

#include <new>

#include "chip.h"
#include "chip_body.h"
#include "chip_vitals.h"
#include "lobug/audio/audio_pump.h"
#include "lobug/device/device.h"
#include "lobug/sentences.h"
#include "lobug_sockets/mbed_crypto.h"
#include "lobug_sockets/net_connection.h"
#include "m5_sound.h"
#include "mdns_finder.h"
#include "nvs_store.h"
#include "ota_slot.h"
#include "screen.h"
#include "tasks.h"

#if ESP_IDF_VERSION_MAJOR != 4
#error "Use version 2 of the Arduino core for ESP32 (ESP-IDF 4.4): version 3 has mbedTLS 3."
#endif

// Arduino's loop() is the screen's task.
SET_LOOP_TASK_STACK_SIZE(lobug::kScreenStack);

namespace lobug {
namespace {

/// A CA is pasted in one piece, faster than it is read while the face is drawn.
constexpr std::size_t kSerialBytes = 4096;
constexpr std::uint32_t kUplinkMs = 2000;
constexpr std::uint32_t kDownlinkMs = 8000;  // the server sends at most about 1.5 s ahead

/// Memory for samples and pixels, in PSRAM, for good. Empty when there is none.
template <typename T>
Span<T> take_psram(std::size_t count) {
  void* memory = heap_caps_calloc(count, sizeof(T), MALLOC_CAP_SPIRAM | MALLOC_CAP_8BIT);
  return memory != nullptr ? Span<T>(static_cast<T*>(memory), count) : Span<T>();
}

/// Made for good in memory of that kind; nullptr when there is not enough of it.
template <typename T, typename... Arguments>
T* make(std::uint32_t kind, Arguments&... arguments) {
  // NOLINTNEXTLINE(misc-const-correctness): what is made there is not const
  void* const place = heap_caps_calloc(1, sizeof(T), kind | MALLOC_CAP_8BIT);
  return place != nullptr ? new (place) T(arguments...) : nullptr;
}

constexpr std::size_t kPixels = static_cast<std::size_t>(kScreenWidth) * kScreenHeight;

/// What only the device's task uses: in PSRAM. Where mbedTLS keeps a session's buffers (about 40 KB
/// each) is decided by the core's own configuration, not here.
struct Connections {
  explicit Connections(CaSource& ca) : session(chip_clocks(), ca), http(chip_clocks(), ca) {}
  NetConnection session;
  NetConnection http;
};

/// Everything else, made once. The order is that of construction. It has to be in internal
/// memory: an ESP32 cannot change an atomic in PSRAM in one go (its compare-and-swap instruction
/// does not reach there), and AudioLink, ScreenLink and WifiKeeper rely on that.
struct Firmware {
  Span<std::int16_t> uplink = take_psram<std::int16_t>(samples_of(kUplinkMs) + 1);
  Span<std::int16_t> downlink = take_psram<std::int16_t>(samples_of(kDownlinkMs) + 1);
  Pictures pictures{take_psram<Colour>(kPixels), make<Damage>(MALLOC_CAP_SPIRAM)};

  NvsStore store;
  ChipSystem system;
  ChipRandom random;
  StackChanBase base;
  ChipEffects effects{base};
  ChipBody body{base};
  ChipVitals vitals;
  OtaSlot slot;
  MdnsFinder finder;
  MbedCrypto crypto;
  StoredCa ca{store};  // asked by the device's task alone

  AudioLink audio{uplink, downlink};
  M5Microphone microphone;
  M5Speaker speaker;
  AudioPump pump{audio, microphone, speaker};

  // Its atomics are only loaded and stored, which works there.
  PushedGlyphs* glyphs = make<PushedGlyphs>(MALLOC_CAP_SPIRAM);

  ScreenLink link;
  Screen screen{pictures, audio, link, store, random};

  bool has_memory() const {
    return !uplink.empty() && !downlink.empty() && !pictures.drawn.empty() &&
           pictures.damage != nullptr && glyphs != nullptr;
  }
};

static_assert(sizeof(Firmware) < 48U * 1024U, "Wi-Fi and TLS need internal memory, too");

Firmware* firmware = nullptr;
Connections* connections = nullptr;

[[noreturn]] void give_up(const char* why) {
  M5.Display.setBrightness(128);
  M5.Display.setTextSize(2);
  M5.Display.println(why);
  for (;;) {
    Serial.println(why);
    delay(1000);
  }
}

[[noreturn]] void run_audio(void* /*unused*/) {
  (void)esp_task_wdt_add(nullptr);
  for (;;) {
    firmware->pump.step(millis());
    (void)esp_task_wdt_reset();
    vTaskDelay(pdMS_TO_TICKS(kAudioStepMs));
  }
}

[[noreturn]] void run_device(void* /*unused*/) {
  (void)esp_task_wdt_add(nullptr);
  Firmware& f = *firmware;
  // Made here and for good: it reads the settings at once, which takes a while. As large as it is
  // it goes to PSRAM; nothing in it is shared between tasks.
  auto* device = new (std::nothrow)
      Device(Platform{connections->session, connections->http, f.store, f.crypto, f.random, f.slot,
                      f.system, f.finder, f.effects, f.vitals, f.body},
             f.audio, f.link);
  for (;;) {
    if (device != nullptr) {
      device->step(millis());
    } else {
      f.system.restart();
    }
    (void)esp_task_wdt_reset();
    vTaskDelay(pdMS_TO_TICKS(kDeviceStepMs));
  }
}

bool start_task(const TaskPlace& place, TaskFunction_t function) {
  TaskHandle_t task = nullptr;
  if (xTaskCreatePinnedToCore(function, place.name, place.stack, nullptr, place.priority, &task,
                              place.core) != pdPASS) {
    return false;
  }
  firmware->vitals.watch(place.name, task);
  return true;
}

void start() {
  // Before M5.begin, which begins it.
  (void)Serial.setRxBufferSize(kSerialBytes);
#if ARDUINO_USB_CDC_ON_BOOT
  // Unread output is soon dropped. Not 0: the counter of version 2.0.17 would wrap, and a write
  // would wait for ever.
  Serial.setTxTimeoutMs(10);
#endif
  auto config = M5.config();
  config.serial_baudrate = 115200;
  config.clear_display = true;
  M5.begin(config);
  configure_sound();

  firmware = make<Firmware>(MALLOC_CAP_INTERNAL);
  if (firmware == nullptr) give_up(sentences::kNoMemory);
  connections = make<Connections>(MALLOC_CAP_SPIRAM, firmware->ca);
  if (connections == nullptr || !firmware->has_memory()) {
    give_up(sentences::kNoPsram);
  }
  firmware->link.glyphs = firmware->glyphs;
  if (!firmware->store.begin()) give_up(sentences::kNoStore);
  firmware->system.begin();
  firmware->vitals.begin();
  firmware->vitals.watch("screen", xTaskGetCurrentTaskHandle());
  firmware->base.begin();
  firmware->effects.begin();
  firmware->screen.begin(firmware->system.board(), firmware->system.short_name());

  // A stuck task restarts the device; an image on trial that does so goes back to the old one.
  (void)esp_task_wdt_init(kWatchdogSeconds, true);
  (void)esp_task_wdt_add(nullptr);
  if (!start_task(kAudioTask, run_audio) || !start_task(kDeviceTask, run_device)) {
    give_up(sentences::kNoTaskMemory);
  }
}

}  // namespace
}  // namespace lobug

void setup() { lobug::start(); }

void loop() {
  const lobug::Millis began = millis();
  lobug::firmware->screen.step(began);
  (void)esp_task_wdt_reset();
  delay(lobug::rest_of_step(lobug::kScreenStepMs, lobug::elapsed(began, millis())));
}
