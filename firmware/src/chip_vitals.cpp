#include "chip_vitals.h"

#include <esp_core_dump.h>
#include <esp_flash_encrypt.h>
#include <esp_heap_caps.h>
#include <esp_partition.h>
#include <esp_system.h>

#include <algorithm>
#include <cstring>

namespace lobug {
namespace {

// Without MALLOC_CAP_8BIT what is left of instruction memory would count, which holds no data.
constexpr std::uint32_t kInternal = MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT;

// More than the chips' caches hold (32 and 64 KB): else the PSRAM itself would not be read.
constexpr std::size_t kCheckedBytes = 128U * 1024U;

std::uint32_t pattern_at(std::size_t word) {
  return static_cast<std::uint32_t>(word) * 2654435761U ^ 0xA5A5A5A5U;
}

}  // namespace

void ChipVitals::begin() {
#if CONFIG_ESP_COREDUMP_ENABLE_TO_FLASH && CONFIG_ESP_COREDUMP_DATA_FORMAT_ELF
  // The check first: the summary believes what it reads. Nothing is erased: who has a cable can
  // read the whole dump, until the next crash overwrites it.
  esp_core_dump_summary_t summary;
  if (esp_core_dump_image_check() != ESP_OK) return;
  if (esp_core_dump_get_summary(&summary) != ESP_OK) return;
  crashed_ = true;
  crash_.task.assign({summary.exc_task, strnlen(summary.exc_task, sizeof summary.exc_task)});
  crash_.pc = summary.exc_pc;
  crash_.cause = summary.ex_info.exc_cause;
  crash_.address = summary.ex_info.exc_vaddr;
  crash_.depth = std::min<std::size_t>(summary.exc_bt_info.depth, crash_.backtrace.size());
  std::copy_n(summary.exc_bt_info.bt, crash_.depth, crash_.backtrace.begin());
  crash_.corrupted = summary.exc_bt_info.corrupted;
  const auto* image = reinterpret_cast<const char*>(summary.app_elf_sha256);
  crash_.image.assign({image, strnlen(image, sizeof summary.app_elf_sha256)});
#endif
}

void ChipVitals::watch(const char* name, TaskHandle_t task) {
  if (count_ < watched_.size()) watched_[count_++] = {name, task};
}

ResetReason ChipVitals::reset_reason() const {
  switch (esp_reset_reason()) {
    case ESP_RST_POWERON:
      return ResetReason::kPowerOn;
    case ESP_RST_EXT:
      return ResetReason::kExternal;
    case ESP_RST_SW:
      return ResetReason::kSoftware;
    case ESP_RST_PANIC:
      return ResetReason::kPanic;
    case ESP_RST_INT_WDT:
      return ResetReason::kInterruptWatchdog;
    case ESP_RST_TASK_WDT:
      return ResetReason::kTaskWatchdog;
    case ESP_RST_WDT:
      return ResetReason::kWatchdog;
    case ESP_RST_DEEPSLEEP:
      return ResetReason::kDeepSleep;
    case ESP_RST_BROWNOUT:
      return ResetReason::kBrownout;
    case ESP_RST_SDIO:
      return ResetReason::kSdio;
    default:
      return ResetReason::kUnknown;
  }
}

MemoryMarks ChipVitals::memory() const {
  MemoryMarks marks;
  marks.free = static_cast<std::uint32_t>(heap_caps_get_free_size(kInternal));
  marks.largest = static_cast<std::uint32_t>(heap_caps_get_largest_free_block(kInternal));
  marks.least = static_cast<std::uint32_t>(heap_caps_get_minimum_free_size(kInternal));
  return marks;
}

StackMarks ChipVitals::stacks() const {
  StackMarks stacks;
  for (std::size_t at = 0; at < count_; ++at) {
    // In bytes, unlike in FreeRTOS itself: an item of the stack is a byte there (StackType_t).
    (void)stacks.add(watched_[at].name,
                     static_cast<std::uint32_t>(uxTaskGetStackHighWaterMark(watched_[at].task)));
  }
  return stacks;
}

// ESP-IDF encrypts NVS by itself, with keys that it makes and keeps in a partition for them, if it
// was built to. Arduino's prebuilt one was not: CONFIG_NVS_ENCRYPTION needs flash encryption
// (CONFIG_SECURE_FLASH_ENC_ENABLED), which is not set there. Without flash encryption the keys
// themselves could be read, so that does not count.
bool ChipVitals::store_encrypted() const {
#ifdef CONFIG_NVS_ENCRYPTION
  constexpr bool kBuiltIn = true;
#else
  constexpr bool kBuiltIn = false;
#endif
  return kBuiltIn && esp_flash_encryption_enabled() &&
         esp_partition_find_first(ESP_PARTITION_TYPE_DATA, ESP_PARTITION_SUBTYPE_DATA_NVS_KEYS,
                                  nullptr) != nullptr;
}

PsramCheck ChipVitals::check_psram() {
  PsramCheck check;
  check.size = static_cast<std::uint32_t>(heap_caps_get_total_size(MALLOC_CAP_SPIRAM));
  constexpr std::size_t kWords = kCheckedBytes / sizeof(std::uint32_t);
  // Volatile, or the compiler would know what it has just written.
  auto* const words = static_cast<volatile std::uint32_t*>(
      heap_caps_malloc(kCheckedBytes, MALLOC_CAP_SPIRAM | MALLOC_CAP_8BIT));
  if (words == nullptr) return check;
  for (std::size_t word = 0; word < kWords; ++word) words[word] = pattern_at(word);
  for (std::size_t word = 0; word < kWords; ++word) {
    if (words[word] != pattern_at(word)) check.wrong += sizeof(std::uint32_t);
  }
  check.checked = kCheckedBytes;
  heap_caps_free(const_cast<std::uint32_t*>(words));
  return check;
}

}  // namespace lobug
