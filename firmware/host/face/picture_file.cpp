#include "picture_file.h"

#include <cstdio>

#include "lobug/ui/ui.h"

namespace lobug {

bool write_picture(Span<const Colour> pixels, const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  std::fprintf(file, "P6\n%d %d\n255\n", kScreenWidth, kScreenHeight);
  for (const Colour colour : pixels) {
    std::fputc((colour >> 11) * 255 / 31, file);
    std::fputc(((colour >> 5) & 63) * 255 / 63, file);
    std::fputc((colour & 31) * 255 / 31, file);
  }
  return std::fclose(file) == 0;
}

}  // namespace lobug
