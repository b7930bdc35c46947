#include "lobug/update/attempts.h"

#include <array>
#include <cstddef>

#include "lobug/base/text.h"

namespace lobug {
namespace {

constexpr std::string_view kKey = "tried";
constexpr std::size_t kLongestImage = 24;

/// Stored is the number of attempts, one digit, and then the image that they were of.
unsigned attempts_of(Store& store, std::string_view image) {
  std::array<char, kLongestImage + 1> stored{};
  const int size = store.get(kKey, Span<char>(stored.data(), stored.size()));
  if (size < 1) return 0;
  const std::string_view text(stored.data(), static_cast<std::size_t>(size));
  if (text.substr(1) != image || text[0] < '0' || text[0] > '9') return 0;
  return static_cast<unsigned>(text[0] - '0');
}

}  // namespace

bool may_attempt(Store& store, std::string_view image) {
  return attempts_of(store, image) < kMostAttempts;
}

bool note_attempt(Store& store, std::string_view image) {
  if (image.size() > kLongestImage) return false;
  const unsigned attempts = attempts_of(store, image);
  Text<kLongestImage + 1> text;
  text.append(static_cast<char>('0' + (attempts < 9 ? attempts + 1 : 9)));
  text.append(image);
  return store.put(kKey, text);
}

}  // namespace lobug
