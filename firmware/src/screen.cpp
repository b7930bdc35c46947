#include "screen.h"

#include <Arduino.h>
#include <M5Unified.h>

namespace lobug {
namespace {

constexpr Millis kMotionMs = 10;          // a knock is over within two or three
constexpr Millis kBatteryMs = 3000;       // the screen wakes when it is plugged in
constexpr int kMostRows = 60;             // at once to the display, which takes 8 ms for them
constexpr std::size_t kMostSerial = 256;  // characters a round: a pasted CA must not stop the face

bool has_buttons_below() { return M5.getBoard() == m5::board_t::board_M5StackCore2; }

}  // namespace

Screen::Screen(const Pictures& pictures, AudioLink& audio, ScreenLink& link, Store& store,
               Random& random)
    : pictures_(pictures),
      audio_(audio),
      link_(link),
      canvas_(pictures.drawn, kScreenWidth, kScreenHeight),
      ui_(random, link.inputs, has_buttons_below()),
      wifi_(store, random, link.inputs),
      line_(store, link.inputs, wifi_, serial_) {}

void Screen::begin(std::string_view board, std::string_view device_name) {
  // M5's own buttons are not asked for, but keep them where the picture has ours.
  if (!has_buttons_below()) M5.setTouchButtonHeight(40);
  M5.Display.fillScreen(0);
  canvas_.lend(link_.glyphs);
  wifi_.begin(device_name);
  line_.begin(board, device_name);
}

void Screen::step(Millis now) {
  M5.update();
  view_ = link_.view.read();
  link_.glyphs->take();  // what the view shows came before it
  wifi_.let_radio_sleep(view_.radio_sleeps);
  wifi_.step(view_.state == DeviceState::kSetup, now);
  wifi_.describe(view_);
  // The sign follows the microphone's actual state, not the wanted one.
  view_.microphone = audio_.actual.load() == AudioMode::kListen;
  read_finger(now);
  read_motion(now);
  read_battery(now);
  read_serial(now);
  draw(now);
}

void Screen::read_finger(Millis now) {
  Touch touch;
  if (M5.Touch.getCount() > 0) {
    const auto& finger = M5.Touch.getDetail(0);
    touch.down = finger.isPressed();
    if (touch.down && !touched_) ++link_.touches;
    touch.x = finger.x;
    touch.y = finger.y;
  }
  touched_ = touch.down;
  ui_.touch(touch, now);
}

void Screen::read_motion(Millis now) {
  if (motion_due_.is_set() && !motion_due_.due(now)) return;
  motion_due_.set(now, kMotionMs);
  // `getImuData` returns what the last `update` read: without it the device would never move.
  if (M5.Imu.update() == m5::IMU_Class::sensor_mask_none) return;
  const auto& data = M5.Imu.getImuData();
  MotionSample sample;
  sample.accel_x = data.accel.x;
  sample.accel_y = data.accel.y;
  sample.accel_z = data.accel.z;
  sample.gyro_x = data.gyro.x;
  sample.gyro_y = data.gyro.y;
  sample.gyro_z = data.gyro.z;
  link_.motion.publish(sense_.update(sample, now));
}

void Screen::read_battery(Millis now) {
  if (battery_due_.is_set() && !battery_due_.due(now)) return;
  battery_due_.set(now, kBatteryMs);
  const std::int32_t value = battery_value(read_power_chip());
  if (value == battery_) return;
  Input input;
  input.kind = Input::Kind::kBattery;
  input.value = value;
  if (link_.inputs.push(input)) battery_ = value;
}

void ChipSerial::write(std::string_view bytes) {
  Serial.write(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

void Screen::read_serial(Millis now) {
  for (std::size_t count = 0; count < kMostSerial && Serial.available() > 0; ++count) {
    const int character = Serial.read();
    if (character < 0) break;
    line_.feed(static_cast<char>(character), view_, now);
  }
  line_.step(view_, now);
}

void Screen::draw(Millis now) {
  if (view_.power == PowerState::kSwitchedOff) M5.Power.powerOff();  // does not return
  if (!ui_.frame_due(view_, now)) {
    set_backlight();
    return;
  }
  Damage& damage = *pictures_.damage;
  (void)ui_.draw_changes(canvas_, damage, view_, sense_.motion(), audio_.level.load(), now);
  ++link_.frames;
  // A whole picture takes 31 ms: a knock would fall between two readings.
  for (Rect part = damage.take(kMostRows); part.width > 0; part = damage.take(kMostRows)) {
    read_motion(millis());
    show(part);
  }
  M5.Display.clearClipRect();
  read_motion(millis());
  set_backlight();  // after the picture: what was there before it went dark is not seen again
}

void Screen::set_backlight() {
  if (view_.backlight == backlight_) return;
  backlight_ = view_.backlight;
  // 0 switches the backlight's supply off, on all boards that this is for.
  M5.Display.setBrightness(static_cast<std::uint8_t>(view_.backlight * 255U / 100U));
}

void Screen::show(const Rect& part) const {
  const auto offset = static_cast<std::size_t>(part.y) * kScreenWidth;
  // The clip leaves of whole rows the part's columns, so that nothing has to be copied together.
  M5.Display.setClipRect(part.x, part.y, part.width, part.height);
  // Our colours are RGB565 in the chip's own byte order, which M5GFX calls rgb565_t.
  M5.Display.pushImage(0, part.y, kScreenWidth, part.height,
                       reinterpret_cast<const lgfx::rgb565_t*>(pictures_.drawn.data() + offset));
}

}  // namespace lobug
