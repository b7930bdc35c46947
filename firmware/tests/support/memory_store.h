// A Store in memory that can be told to fail, and that counts what is written.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/ports/store.h"

namespace lobug {

class MemoryStore final : public Store {
 public:
  /// Writes (put, erase, erase_all) that still succeed before all fail; -1: all succeed.
  int writes_left = -1;
  /// Writes that were tried.
  int writes = 0;
  /// Somebody used a key that NVS does not take.
  bool bad_key = false;
  /// What is stored; a test may look and change.
  std::map<std::string, std::string> values;

  int get(std::string_view key, Span<char> into) override {
    check(key);
    const auto found = values.find(std::string(key));
    if (found == values.end() || found->second.size() > into.size()) return -1;
    found->second.copy(into.data(), found->second.size());
    return static_cast<int>(found->second.size());
  }
  /// As NVS: an empty text can be kept, a missing one cannot be erased.
  bool put(std::string_view key, std::string_view text) override {
    if (!check(key) || !may_write()) return false;
    values[std::string(key)] = std::string(text);
    return true;
  }
  bool erase(std::string_view key) override {
    if (!check(key) || !may_write()) return false;
    return values.erase(std::string(key)) == 1;
  }
  bool erase_all() override {
    if (!may_write()) return false;
    values.clear();
    return true;
  }

 private:
  bool check(std::string_view key) {
    const bool good = !key.empty() && key.size() <= 15;
    if (!good) bad_key = true;
    return good;
  }
  bool may_write() {
    ++writes;
    if (writes_left < 0) return true;
    if (writes_left == 0) return false;
    --writes_left;
    return true;
  }
};

}  // namespace lobug
