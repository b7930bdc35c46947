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
  void begin(unsigned long baud, std::uint32_t config, std::int8_t rxPin, std::int8_t txPin);
  void end();
};
#define SERIAL_8N1 0x800001c
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
extern HardwareSerial Serial1;
#if ARDUINO_USB_CDC_ON_BOOT
extern HWCDC Serial;
#else
extern HardwareSerial Serial;
#endif

std::uint32_t ledcSetup(std::uint8_t channel, std::uint32_t freq, std::uint8_t resolution_bits);
void ledcWrite(std::uint8_t channel, std::uint32_t duty);
void ledcAttachPin(std::uint8_t pin, std::uint8_t channel);
void ledcDetachPin(std::uint8_t pin);
// Macros with names that anybody could choose for something else.
#define bit(b) (1UL << (b))
#define bitSet(value, bit) ((value) |= (1UL << (bit)))
#define bitClear(value, bit) ((value) &= ~(1UL << (bit)))
#define constrain(amt, low, high) ((amt) < (low) ? (low) : ((amt) > (high) ? (high) : (amt)))
#define degrees(rad) ((rad) * 57.29578)
#define highByte(w) ((uint8_t)((w) >> 8))
#define interrupts() ((void)0)
#define lowByte(w) ((uint8_t)((w) & 0xff))
#define radians(deg) ((deg) * 0.017453293)
#define sq(x) ((x) * (x))
#define word(...) makeWord(__VA_ARGS__)

// Replaces a weak function of the core.
#define SET_LOOP_TASK_STACK_SIZE(sz) \
  std::size_t getArduinoLoopTaskStackSize() { return sz; }
std::size_t getArduinoLoopTaskStackSize();

void setup();
void loop();
