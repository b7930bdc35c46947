// Stub: what our code uses of M5Unified 0.2.11 and M5GFX 0.2.17.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lgfx {

struct rgb565_t {
  std::uint16_t raw;
};

}  // namespace lgfx

namespace m5gfx {

enum board_t {
  board_unknown,
  board_M5StackCore2,
  board_M5StackCoreS3,
  board_M5StackCoreS3SE,
  board_FrameBuffer = 512,  // the largest: a value between is none of ours, and no fault
};

class M5GFX {
 public:
  void setBrightness(std::uint8_t brightness);
  template <typename T>
  void fillScreen(const T& color);
  void setTextSize(float size);
  std::size_t println(const char* text);
  void setClipRect(std::int32_t x, std::int32_t y, std::int32_t w, std::int32_t h);
  void clearClipRect(void);
  template <typename T>
  void pushImage(std::int32_t x, std::int32_t y, std::int32_t w, std::int32_t h, const T* data);
};

}  // namespace m5gfx

namespace m5 {

using m5gfx::board_t;

struct mic_config_t {
  std::uint32_t sample_rate;
  std::uint8_t task_priority;
  std::uint8_t task_pinned_core;
};

class Mic_Class {
 public:
  mic_config_t config(void) const;
  void config(const mic_config_t& cfg);
  bool begin(void);
  void end(void);
  bool isEnabled(void) const;
  std::size_t isRecording(void) const;
  bool record(std::uint8_t* rec_data, std::size_t array_len, std::uint32_t sample_rate,
              bool stereo = false);
  bool record(std::int16_t* rec_data, std::size_t array_len, std::uint32_t sample_rate,
              bool stereo = false);
};

struct speaker_config_t {
  std::uint8_t magnification;
  std::uint8_t task_priority;
  std::uint8_t task_pinned_core;
};

class Speaker_Class {
 public:
  virtual ~Speaker_Class(void) {}
  speaker_config_t config(void) const;
  void config(const speaker_config_t& cfg);
  bool begin(void);
  void end(void);
  bool isEnabled(void) const;
  bool isPlaying(void) const volatile;
  std::size_t isPlaying(std::uint8_t channel) const volatile;
  void setVolume(std::uint8_t master_volume);
  void stop(void);
  void stop(std::uint8_t channel);
  bool playRaw(const std::int8_t* raw_data, std::size_t array_len,
               std::uint32_t sample_rate = 44100, bool stereo = false, std::uint32_t repeat = 1,
               int channel = -1, bool stop_current_sound = false);
  bool playRaw(const std::uint8_t* raw_data, std::size_t array_len,
               std::uint32_t sample_rate = 44100, bool stereo = false, std::uint32_t repeat = 1,
               int channel = -1, bool stop_current_sound = false);
  bool playRaw(const std::int16_t* raw_data, std::size_t array_len,
               std::uint32_t sample_rate = 44100, bool stereo = false, std::uint32_t repeat = 1,
               int channel = -1, bool stop_current_sound = false);
};

class IMU_Class {
 public:
  struct imu_3d_t {
    float x, y, z;
  };
  struct imu_data_t {
    std::uint32_t usec;
    imu_3d_t accel;
    imu_3d_t gyro;
    imu_3d_t mag;
  };
  enum sensor_mask_t {
    sensor_mask_none = 0,
    sensor_mask_accel = 1,
    sensor_mask_gyro = 2,
    sensor_mask_mag = 4,
  };
  sensor_mask_t update(void);
  const imu_data_t& getImuData(void);
};

class AXP2101_Class {
 public:
  bool isVBUS(void);
  bool getBatState(void);
};
class AXP192_Class {
 public:
  bool isACIN(void);
  bool getBatState(void);
};

class Power_Class {
 public:
  enum pmic_t { pmic_unknown, pmic_adc, pmic_axp192, pmic_ip5306, pmic_axp2101 };
  AXP2101_Class Axp2101;
#if !CONFIG_IDF_TARGET_ESP32S3
  AXP192_Class Axp192;
#endif
  pmic_t getType(void) const;
  void powerOff(void);
  std::int16_t getBatteryVoltage(void);
  enum is_charging_t { is_discharging = 0, is_charging, charge_unknown };
  std::int32_t getBatteryLevel(void);
  is_charging_t isCharging(void);
};

struct rtc_time_t {
  std::int8_t hours, minutes, seconds;
  rtc_time_t(std::int8_t hours_ = -1, std::int8_t minutes_ = -1, std::int8_t seconds_ = -1);
};
struct rtc_date_t {
  std::int16_t year;
  std::int8_t month, date, weekDay;
  rtc_date_t(std::int16_t year_ = 2000, std::int8_t month_ = 1, std::int8_t date_ = -1,
             std::int8_t weekDay_ = -1);
};
struct rtc_datetime_t {
  rtc_date_t date;
  rtc_time_t time;
};
class RTC_Class {
 public:
  bool isEnabled(void) const;
  bool getVoltLow(void);
  bool getDateTime(rtc_datetime_t* datetime) const;
  void setDateTime(const rtc_date_t* date, const rtc_time_t* time);
};

class I2C_Class {
 public:
  bool writeRegister(std::uint8_t address, std::uint8_t reg, const std::uint8_t* data,
                     std::size_t length, std::uint32_t freq) const;
  bool readRegister(std::uint8_t address, std::uint8_t reg, std::uint8_t* result,
                    std::size_t length, std::uint32_t freq) const;
  bool writeRegister8(std::uint8_t address, std::uint8_t reg, std::uint8_t data,
                      std::uint32_t freq) const;
  bool bitOn(std::uint8_t address, std::uint8_t reg, std::uint8_t data, std::uint32_t freq) const;
  bool bitOff(std::uint8_t address, std::uint8_t reg, std::uint8_t data, std::uint32_t freq) const;
};

extern I2C_Class In_I2C;

class Touch_Class {
 public:
  struct touch_detail_t {
    std::int16_t x;
    std::int16_t y;
    bool isPressed(void) const;
  };
  std::uint8_t getCount(void) const;
  const touch_detail_t& getDetail(std::size_t index = 0) const;
};

class M5Unified {
 public:
  struct config_t {
    std::uint32_t serial_baudrate = 0;
    bool clear_display = true;
  };

  m5gfx::M5GFX Display;
  IMU_Class Imu;
  Power_Class Power;
  RTC_Class Rtc;
  Touch_Class Touch;
  Speaker_Class Speaker;
  Mic_Class Mic;
  I2C_Class& In_I2C = m5::In_I2C;

  config_t config(void);  // static, but called as a method by everybody
  void begin(config_t cfg);
  virtual void update(void);
  board_t getBoard(void) const;
  void setTouchButtonHeight(std::uint16_t pixel);
  virtual ~M5Unified() = default;
};

}  // namespace m5

extern m5::M5Unified M5;
