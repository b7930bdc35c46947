// Settings in the chip's non-volatile storage.
#pragma once

#include <freertos/FreeRTOS.h>
#include <freertos/semphr.h>
#include <nvs.h>

#include <array>

#include "lobug/base/text.h"
#include "lobug/ports/store.h"

namespace lobug {

/// NVS itself, not Arduino's Preferences: its putString says 0 for an error and for an empty text
/// alike. Unlike what the port asks for it may be used by any task: there is a lock.
class NvsStore final : public Store {
 public:
  NvsStore() = default;
  NvsStore(const NvsStore&) = delete;
  NvsStore& operator=(const NvsStore&) = delete;
  ~NvsStore() override;

  /// After NVS was initialised, which Arduino does before setup().
  bool begin();
  int get(std::string_view key, Span<char> into) override;
  bool put(std::string_view key, std::string_view text) override;
  bool erase(std::string_view key) override;
  bool erase_all() override;

 private:
  static constexpr std::size_t kMostText = 2048;  // the CA

  /// Holds the lock as long as it lives.
  class Guard {
   public:
    explicit Guard(SemaphoreHandle_t lock) : lock_(lock) { xSemaphoreTake(lock_, portMAX_DELAY); }
    ~Guard() { xSemaphoreGive(lock_); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    SemaphoreHandle_t lock_;
  };

  SemaphoreHandle_t lock_ = nullptr;
  nvs_handle_t handle_ = 0;
  bool open_ = false;
  std::array<char, kMostText + 1> text_{};
};

}  // namespace lobug
