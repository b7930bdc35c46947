#include "lobug/face/pushed_glyphs.h"

namespace lobug {

void PushedGlyphs::take() {
  while (arriving_.pop(kept_[next_])) {
    codes_[next_] = kept_[next_].code;
    next_ = (next_ + 1) % kKept;
  }
}

const PushedGlyph* PushedGlyphs::find(std::uint32_t code) const {
  if (code == 0 || code > 0xFFFF) return nullptr;
  for (std::size_t back = 1; back <= kKept; ++back) {
    const std::size_t place = (next_ + kKept - back) % kKept;
    if (codes_[place] == code) return &kept_[place];
  }
  return nullptr;
}

std::uintptr_t PushedGlyphs::mark_of(const PushedGlyph& glyph) const {
  const auto place = static_cast<std::uintptr_t>(&glyph - kept_.data());
  return (place << 16U) | glyph.code;
}

}  // namespace lobug
