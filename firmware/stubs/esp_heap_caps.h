// Stub: ESP-IDF 4.4.
#pragma once

#include <cstddef>
#include <cstdint>

#define MALLOC_CAP_8BIT (1 << 2)
#define MALLOC_CAP_SPIRAM (1 << 10)
#define MALLOC_CAP_INTERNAL (1 << 11)

extern "C" {
void* heap_caps_calloc(std::size_t n, std::size_t size, std::uint32_t caps);
void* heap_caps_malloc(std::size_t size, std::uint32_t caps);
void heap_caps_free(void* ptr);
std::size_t heap_caps_get_total_size(std::uint32_t caps);
std::size_t heap_caps_get_free_size(std::uint32_t caps);
std::size_t heap_caps_get_minimum_free_size(std::uint32_t caps);
std::size_t heap_caps_get_largest_free_block(std::uint32_t caps);
}
