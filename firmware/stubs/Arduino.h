// Stub: what our code uses of the Arduino core for ESP32, version 2.0.
#pragma once

#include <cstddef>
#include <cstdint>

unsigned long millis();
void delay(std::uint32_t ms);

class String {
 public:
  String() = default;
  const char* c_str() const;
  unsigned int length() const;
};

class HardwareSerial {
 public:
  int available();
  int read();
  std::size_t write(std::uint8_t byte);
  std::size_t write(const std::uint8_t* data, std::size_t size);
  std::size_t println(const char* text);
  void flush();
};
extern HardwareSerial Serial;

// Replaces a weak function of the core.
#define SET_LOOP_TASK_STACK_SIZE(sz) \
  std::size_t getArduinoLoopTaskStackSize() { return sz; }
std::size_t getArduinoLoopTaskStackSize();

void setup();
void loop();
