// Stub: FreeRTOS of ESP-IDF 4.4. A stack's size is in bytes there.
#pragma once

#include "FreeRTOS.h"

struct tskTaskControlBlock;
using TaskHandle_t = tskTaskControlBlock*;
using TaskFunction_t = void (*)(void*);

extern "C" {
BaseType_t xTaskCreatePinnedToCore(TaskFunction_t function, const char* name,
                                   std::uint32_t stack_depth, void* parameters,
                                   UBaseType_t priority, TaskHandle_t* created, BaseType_t core);
void vTaskDelay(TickType_t ticks);
TaskHandle_t xTaskGetCurrentTaskHandle(void);
UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task);
}
