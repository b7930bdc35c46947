#include "host_screen.h"

#include <array>
#include <fstream>

namespace lobug::sim {
namespace {

std::array<char, 3> bytes_of(Colour colour) {
  const unsigned bits = colour;
  return {static_cast<char>(bits >> 8U & 0xF8U), static_cast<char>(bits >> 3U & 0xFCU),
          static_cast<char>(bits << 3U & 0xF8U)};
}

}  // namespace

HostScreen::HostScreen(Random& random, Queue<Input, 16>& inputs, const PushedGlyphs* glyphs,
                       bool buttons_below)
    : pixels_(std::size_t{kScreenWidth} * kScreenHeight),
      canvas_({pixels_.data(), pixels_.size()}, kScreenWidth, kScreenHeight),
      ui_(random, inputs, buttons_below) {
  canvas_.lend(glyphs);
}

void HostScreen::press(std::int16_t x, std::int16_t y, std::uint32_t ms, Millis now) {
  touch_ = {true, x, y};
  lifted_.set(now, ms);
}

bool HostScreen::step(const View& view, const Motion& motion, std::uint8_t level, Millis now) {
  if (lifted_.due(now)) {
    lifted_.clear();
    touch_.down = false;
  }
  ui_.touch(touch_, now);
  lit_ = view.backlight > 0;
  if (!ui_.frame_due(view, now)) return false;
  (void)ui_.draw_changes(canvas_, damage_, view, motion, level, now);
  return true;
}

bool HostScreen::write(const std::string& file) const {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << "P6\n" << kScreenWidth << ' ' << kScreenHeight << "\n255\n";
  for (const Colour colour : pixels_) {
    out.write(bytes_of(lit_ ? colour : Colour{0}).data(), 3);
  }
  out.close();
  return static_cast<bool>(out);
}

}  // namespace lobug::sim
