// The device's NVS as a file of `key=text` lines.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "lobug/ports/store.h"
#include "lobug/setup/settings.h"
#include "lobug_sockets/ca_source.h"

namespace lobug::sim {

/// Each change is written to a new file that takes the old one's place, so that a process that is
/// killed leaves the one or the other. By any thread, as NVS. As strict as NVS about keys.
class FileStore final : public Store {
 public:
  explicit FileStore(std::filesystem::path file);
  int get(std::string_view key, Span<char> into) override;
  bool put(std::string_view key, std::string_view text) override;
  bool erase(std::string_view key) override;
  bool erase_all() override;

 private:
  bool save() const;

  const std::filesystem::path file_;
  std::mutex lock_;
  std::map<std::string, std::string, std::less<>> texts_;
};

/// The CA among the stored settings.
class StoredCa final : public CaSource {
 public:
  explicit StoredCa(Store& store) : store_(store) {}
  const Text<2048>& ca() override {
    load_settings(store_, settings_);
    return settings_.ca;
  }

 private:
  Store& store_;
  Settings settings_;
};

}  // namespace lobug::sim
