// Stub: ESP-IDF 4.4, components/driver and hal/rmt_types.h.
#pragma once

#include <cstdint>

#include "esp_err.h"
#include "freertos/FreeRTOS.h"

enum gpio_num_t : int { GPIO_NUM_NC = -1, GPIO_NUM_0 = 0 };
enum rmt_channel_t { RMT_CHANNEL_0 };
enum rmt_mode_t { RMT_MODE_TX };
enum rmt_idle_level_t { RMT_IDLE_LEVEL_LOW };

struct rmt_item32_t {
  union {
    struct {
      std::uint32_t duration0 : 15;
      std::uint32_t level0 : 1;
      std::uint32_t duration1 : 15;
      std::uint32_t level1 : 1;
    };
    std::uint32_t val;
  };
};

struct rmt_tx_config_t {
  rmt_idle_level_t idle_level;
  bool idle_output_en;
};

struct rmt_config_t {
  rmt_mode_t rmt_mode;
  rmt_channel_t channel;
  gpio_num_t gpio_num;
  std::uint8_t clk_div;
  std::uint8_t mem_block_num;
  rmt_tx_config_t tx_config;
};

extern "C" {
esp_err_t rmt_config(const rmt_config_t* rmt_param);
esp_err_t rmt_driver_install(rmt_channel_t channel, std::size_t rx_buf_size, int intr_alloc_flags);
esp_err_t rmt_wait_tx_done(rmt_channel_t channel, TickType_t wait_time);
esp_err_t rmt_write_items(rmt_channel_t channel, const rmt_item32_t* rmt_item, int item_num,
                          bool wait_tx_done);
}
