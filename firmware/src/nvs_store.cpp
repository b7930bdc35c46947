#include "nvs_store.h"

#include <algorithm>
#include <cstring>

namespace lobug {
namespace {

using Key = Text<15>;

bool is_key(std::string_view key) { return !key.empty() && key.size() <= Key::capacity(); }

}  // namespace

NvsStore::~NvsStore() {
  if (open_) nvs_close(handle_);
}

bool NvsStore::begin() {
  lock_ = xSemaphoreCreateMutex();
  open_ = lock_ != nullptr && nvs_open("lobug", NVS_READWRITE, &handle_) == ESP_OK;
  return open_;
}

int NvsStore::get(std::string_view key, Span<char> into) {
  if (!open_) return -1;
  const Guard guard(lock_);
  if (!is_key(key)) return -1;
  std::size_t size = text_.size();
  if (nvs_get_str(handle_, Key(key).c_str(), text_.data(), &size) != ESP_OK || size == 0) return -1;
  const std::size_t length = size - 1;  // NVS counts the NUL
  if (length > into.size()) return -1;
  std::copy_n(text_.begin(), length, into.begin());
  return static_cast<int>(length);
}

bool NvsStore::put(std::string_view key, std::string_view text) {
  if (!open_) return false;
  const Guard guard(lock_);
  if (!is_key(key) || text.size() > kMostText) return false;
  if (text.find('\0') != std::string_view::npos) return false;
  std::copy(text.begin(), text.end(), text_.begin());
  text_[text.size()] = '\0';
  return nvs_set_str(handle_, Key(key).c_str(), text_.data()) == ESP_OK &&
         nvs_commit(handle_) == ESP_OK;
}

bool NvsStore::erase(std::string_view key) {
  if (!open_) return false;
  const Guard guard(lock_);
  return is_key(key) && nvs_erase_key(handle_, Key(key).c_str()) == ESP_OK &&
         nvs_commit(handle_) == ESP_OK;
}

bool NvsStore::erase_all() {
  if (!open_) return false;
  const Guard guard(lock_);
  return nvs_erase_all(handle_) == ESP_OK && nvs_commit(handle_) == ESP_OK;
}

}  // namespace lobug
