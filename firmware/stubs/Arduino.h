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

// A UART (Core2), or the chip's own USB (CoreS3); which of them `Serial` is depends on the board.
class HardwareSerial {
 public:
  int available();
  int read();
  std::size_t write(std::uint8_t byte);
  std::size_t write(const std::uint8_t* data, std::size_t size);
  std::size_t println(const char* text);
  void flush();
  std::size_t setRxBufferSize(std::size_t new_size);
};
class HWCDC {
 public:
  int available();
  int read();
  std::size_t write(std::uint8_t byte);
  std::size_t write(const std::uint8_t* data, std::size_t size);
  std::size_t println(const char* text);
  void flush();
  std::size_t setRxBufferSize(std::size_t size);
  void setTxTimeoutMs(std::uint32_t timeout);
};
#if ARDUINO_USB_CDC_ON_BOOT
extern HWCDC Serial;
#else
extern HardwareSerial Serial;
#endif

// Replaces a weak function of the core.
#define SET_LOOP_TASK_STACK_SIZE(sz) \
  std::size_t getArduinoLoopTaskStackSize() { return sz; }
std::size_t getArduinoLoopTaskStackSize();

void setup();
void loop();
