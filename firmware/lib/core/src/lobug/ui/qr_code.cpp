#include "lobug/ui/qr_code.h"

#include <algorithm>
#include <cstdlib>

namespace lobug {
namespace {

/// Of a version at level M. All blocks of a code are of the same length.
struct Capacity {
  std::uint8_t codewords;   ///< in all
  std::uint8_t correction;  ///< of each block
  std::uint8_t blocks;

  constexpr std::size_t data() const {
    return std::size_t{codewords} - std::size_t{correction} * blocks;
  }
};
constexpr Capacity kCapacities[] = {{26, 10, 1},  {44, 16, 1},  {70, 26, 1},
                                    {100, 18, 2}, {134, 24, 2}, {172, 16, 4}};
constexpr std::size_t kMostCodewords = 172;
constexpr std::size_t kMostCorrection = 26;
constexpr std::size_t kFraming = 2;  ///< bytes of mode, length and end: 4 + 8 + 4 bits
static_assert(kCapacities[5].data() == QrCode::kMostBytes + kFraming, "version 6");

/// Product in the field of 256 elements by x^8 + x^4 + x^3 + x^2 + 1.
constexpr std::uint8_t product(std::uint8_t a, std::uint8_t b) {
  unsigned result = 0;
  for (int index = 7; index >= 0; --index) {
    result = result << 1U ^ (result >> 7U) * 0x11DU;
    if ((b >> index & 1U) != 0) result ^= a;
  }
  return static_cast<std::uint8_t>(result);
}

/// The remainder of the data by the generator polynomial of `count` roots: what corrects errors.
void correct(const std::uint8_t* data, std::size_t length, std::uint8_t* remainder,
             std::size_t count) {
  std::array<std::uint8_t, kMostCorrection> generator{};  // without its leading 1
  generator[count - 1] = 1;
  std::uint8_t root = 1;
  for (std::size_t round = 0; round < count; ++round) {
    for (std::size_t index = 0; index < count; ++index) {
      generator[index] = product(generator[index], root);
      if (index + 1 < count) generator[index] ^= generator[index + 1];
    }
    root = product(root, 2);
  }
  std::fill_n(remainder, count, std::uint8_t{0});
  for (std::size_t at = 0; at < length; ++at) {
    const auto factor = static_cast<std::uint8_t>(data[at] ^ remainder[0]);
    std::copy(remainder + 1, remainder + count, remainder);
    remainder[count - 1] = 0;
    for (std::size_t index = 0; index < count; ++index) {
      remainder[index] ^= product(generator[index], factor);
    }
  }
}

bool masked(int mask, int x, int y) {
  switch (mask) {
    case 0:
      return (x + y) % 2 == 0;
    case 1:
      return y % 2 == 0;
    case 2:
      return x % 3 == 0;
    case 3:
      return (x + y) % 3 == 0;
    case 4:
      return (x / 3 + y / 2) % 2 == 0;
    case 5:
      return x * y % 2 + x * y % 3 == 0;
    case 6:
      return (x * y % 2 + x * y % 3) % 2 == 0;
    default:
      return ((x + y) % 2 + x * y % 3) % 2 == 0;
  }
}

// How much a row or column could mislead a reader.
constexpr int kRun = 3;
constexpr int kBlock = 3;
constexpr int kFinderLike = 40;
constexpr int kUnbalanced = 10;

template <typename Dark>
int line_penalty(int size, Dark dark) {
  int penalty = 0;
  int run = 0;
  unsigned last = 0;  // the last 11 modules
  for (int at = 0; at < size; ++at) {
    run = at > 0 && dark(at) == dark(at - 1) ? run + 1 : 1;
    if (run == 5) penalty += kRun;
    if (run > 5) ++penalty;
    last = (last << 1U | (dark(at) ? 1U : 0U)) & 0x7FFU;
    if (at >= 10 && (last == 0x05DU || last == 0x5D0U)) penalty += kFinderLike;
  }
  return penalty;
}

}  // namespace

void QrCode::set(Modules& modules, int x, int y, bool dark) {
  const std::uint64_t place = std::uint64_t{1} << x;
  std::uint64_t& row = modules[static_cast<std::size_t>(y)];
  row = dark ? row | place : row & ~place;
}

void QrCode::place(int x, int y, bool dark) {
  set(dark_, x, y, dark);
  set(fixed_, x, y, true);
}

// With the light line around it, as far as it lies in the code. `x`, `y`: its centre.
void QrCode::place_finder(int x, int y) {
  for (int dy = -4; dy <= 4; ++dy) {
    for (int dx = -4; dx <= 4; ++dx) {
      if (x + dx < 0 || x + dx >= size_ || y + dy < 0 || y + dy >= size_) continue;
      const int ring = std::max(std::abs(dx), std::abs(dy));
      place(x + dx, y + dy, ring != 2 && ring != 4);
    }
  }
}

void QrCode::place_patterns(int version) {
  for (int at = 0; at < size_; ++at) {
    place(6, at, at % 2 == 0);
    place(at, 6, at % 2 == 0);
  }
  place_finder(3, 3);
  place_finder(size_ - 4, 3);
  place_finder(3, size_ - 4);
  if (version >= 2) {
    const int centre = size_ - 7;
    for (int dy = -2; dy <= 2; ++dy) {
      for (int dx = -2; dx <= 2; ++dx) {
        place(centre + dx, centre + dy, std::max(std::abs(dx), std::abs(dy)) != 1);
      }
    }
  }
  place_format(0);  // takes its place
}

// Level M and the mask, twice, with ten bits that correct errors.
void QrCode::place_format(int mask) {
  const auto data = static_cast<unsigned>(mask);
  unsigned rest = data;
  for (int step = 0; step < 10; ++step) rest = rest << 1U ^ (rest >> 9U) * 0x537U;
  const unsigned bits = (data << 10U | rest) ^ 0x5412U;
  const auto dark = [bits](int index) { return (bits >> index & 1U) != 0; };
  for (int index = 0; index <= 5; ++index) place(8, index, dark(index));
  place(8, 7, dark(6));
  place(8, 8, dark(7));
  place(7, 8, dark(8));
  for (int index = 9; index < 15; ++index) place(14 - index, 8, dark(index));
  for (int index = 0; index < 8; ++index) place(size_ - 1 - index, 8, dark(index));
  for (int index = 8; index < 15; ++index) place(8, size_ - 15 + index, dark(index));
  place(8, size_ - 8, true);
}

// In columns of two, from the right, up and down by turns.
void QrCode::place_codewords(const std::uint8_t* codewords, std::size_t count) {
  std::size_t next = 0;
  bool up = true;
  for (int right = size_ - 1; right > 0; right -= 2, up = !up) {
    if (right == 6) --right;  // a fixed pattern
    for (int step = 0; step < size_; ++step) {
      const int y = up ? size_ - 1 - step : step;
      for (const int x : {right, right - 1}) {
        if (is_set(fixed_, x, y) || next == count * 8) continue;
        set(dark_, x, y, (codewords[next / 8] >> (7 - next % 8) & 1U) != 0);
        ++next;
      }
    }
  }
}

void QrCode::apply_mask(int mask) {
  for (int y = 0; y < size_; ++y) {
    for (int x = 0; x < size_; ++x) {
      if (!is_set(fixed_, x, y) && masked(mask, x, y)) set(dark_, x, y, !is_set(dark_, x, y));
    }
  }
}

int QrCode::penalty() const {
  int penalty = 0;
  int dark = 0;
  for (int line = 0; line < size_; ++line) {
    penalty += line_penalty(size_, [&](int at) { return is_dark(at, line); });
    penalty += line_penalty(size_, [&](int at) { return is_dark(line, at); });
    for (int at = 0; at < size_; ++at) {
      dark += is_dark(at, line) ? 1 : 0;
      if (line == 0 || at == 0) continue;
      const bool one = is_dark(at, line);
      if (one == is_dark(at - 1, line) && one == is_dark(at, line - 1) &&
          one == is_dark(at - 1, line - 1)) {
        penalty += kBlock;
      }
    }
  }
  // For each twentieth that the share of dark modules is away from a half.
  const int all = size_ * size_;
  return penalty + std::abs(dark * 20 - all * 10) / all * kUnbalanced;
}

bool QrCode::encode(std::string_view text) {
  size_ = 0;
  std::size_t index = 0;
  while (index < 6 && kCapacities[index].data() < text.size() + kFraming) ++index;
  if (index == 6) return false;
  const Capacity& capacity = kCapacities[index];
  const auto version = static_cast<int>(index) + 1;
  size_ = 17 + 4 * version;
  dark_.fill(0);
  fixed_.fill(0);

  // Mode "bytes" (0100), the length, the text, the end (0000); every byte of the text lies across
  // two codewords. Then a filling.
  std::array<std::uint8_t, kMostCodewords> data{};
  data[0] = static_cast<std::uint8_t>(0x40U | text.size() >> 4U);
  data[1] = static_cast<std::uint8_t>(text.size() << 4U);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<std::uint8_t>(text[at]);
    data[at + 1] = static_cast<std::uint8_t>(data[at + 1] | byte >> 4U);
    data[at + 2] = static_cast<std::uint8_t>(byte << 4U);
  }
  for (std::size_t at = text.size() + kFraming; at < capacity.data(); ++at) {
    data[at] = (at - text.size()) % 2 == 0 ? 0xEC : 0x11;
  }

  // The blocks' bytes by turns: first those of the data, then those that correct.
  std::array<std::uint8_t, kMostCodewords> codewords{};
  const std::size_t length = capacity.data() / capacity.blocks;
  for (std::size_t block = 0; block < capacity.blocks; ++block) {
    std::array<std::uint8_t, kMostCorrection> correction{};
    correct(data.data() + block * length, length, correction.data(), capacity.correction);
    for (std::size_t at = 0; at < length; ++at) {
      codewords[at * capacity.blocks + block] = data[block * length + at];
    }
    for (std::size_t at = 0; at < capacity.correction; ++at) {
      codewords[capacity.data() + at * capacity.blocks + block] = correction[at];
    }
  }

  place_patterns(version);
  place_codewords(codewords.data(), capacity.codewords);
  int least = 0;
  for (int mask = 0; mask < 8; ++mask) {
    place_format(mask);
    apply_mask(mask);
    const int now = penalty();
    if (mask == 0 || now < least) {
      least = now;
      mask_ = mask;
    }
    apply_mask(mask);  // twice is not at all
  }
  place_format(mask_);
  apply_mask(mask_);
  return true;
}

Text<224> wifi_code_text(std::string_view network, std::string_view key) {
  Text<224> text;
  const auto append = [&text](std::string_view value) {
    while (!value.empty()) {
      const std::size_t length = std::max<std::size_t>(utf8_length(value), 1);
      if (std::string_view("\\;,:\"").find(value[0]) != std::string_view::npos) text.append('\\');
      text.append(value.substr(0, length));
      value.remove_prefix(length);
    }
  };
  text.append("WIFI:S:");
  append(network);
  text.append(key.empty() ? ";T:nopass" : ";T:WPA;P:");
  append(key);
  text.append(";;");
  return text;
}

}  // namespace lobug
