// Stub: FreeRTOS of ESP-IDF 4.4, where these are macros.
#pragma once

#include "FreeRTOS.h"

struct QueueDefinition;
using SemaphoreHandle_t = QueueDefinition*;

SemaphoreHandle_t xSemaphoreCreateMutex();
BaseType_t xSemaphoreTake(SemaphoreHandle_t semaphore, TickType_t ticks);
BaseType_t xSemaphoreGive(SemaphoreHandle_t semaphore);
