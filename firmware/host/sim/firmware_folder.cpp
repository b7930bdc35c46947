#include "firmware_folder.h"

#include <algorithm>
#include <fstream>
#include <utility>

namespace lobug::sim {
namespace {

constexpr char kMagic = '\xE9';
constexpr std::string_view kVersionKey = "lobug-version=";
constexpr std::string_view kFault = "lobug-fault=no-server\n";

std::string beginning_of(const std::filesystem::path& image) {
  std::ifstream in(image, std::ios::binary);
  std::string bytes(4096, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

std::string version_in(const std::string& bytes) {
  const std::size_t key = bytes.find(kVersionKey);
  if (key == std::string::npos) return {};
  const std::size_t start = key + kVersionKey.size();
  return bytes.substr(start, std::min(bytes.find('\n', start), bytes.size()) - start);
}

bool is_image(const std::filesystem::path& file) {
  const std::string bytes = beginning_of(file);
  return !bytes.empty() && bytes[0] == kMagic;
}

char other(char slot) { return slot == 'a' ? 'b' : 'a'; }

}  // namespace

FirmwareFolder::FirmwareFolder(std::filesystem::path folder, const std::string& factory_version,
                               std::uint32_t capacity, std::function<void()> restart)
    : folder_(std::move(folder)), capacity_(capacity), restart_(std::move(restart)) {
  std::filesystem::create_directories(folder_);
  boot(factory_version);
}

std::filesystem::path FirmwareFolder::image(char slot) const {
  return folder_ / (std::string(1, slot) + ".bin");
}

void FirmwareFolder::boot(const std::string& factory_version) {
  std::string active;
  std::string trial;
  std::ifstream known(folder_ / "boot.txt");
  known >> active >> trial;
  if (active != "a" && active != "b") {
    std::ofstream factory(image('a'), std::ios::binary | std::ios::trunc);
    factory << kMagic << '\n' << kVersionKey << factory_version << '\n';
    active = "a";
    trial = "none";
  }
  running_ = active[0];
  if (trial == "first") {
    on_trial_ = true;
    trial = "running";
  } else if (trial == "running" || !is_image(image(running_))) {
    running_ = other(running_);
    rolled_back_ = true;
    trial = "none";
  }
  (void)note(running_, trial);
  const std::string bytes = beginning_of(image(running_));
  version_ = version_in(bytes);
  finds_no_server_ = bytes.find(kFault) != std::string::npos;
}

bool FirmwareFolder::note(char active, std::string_view trial) {
  const std::filesystem::path file = folder_ / "boot.txt";
  const std::filesystem::path fresh = folder_ / "boot.new";
  {
    std::ofstream out(fresh, std::ios::trunc);
    out << active << ' ' << trial << '\n';
    out.close();
    if (!out) return false;
  }
  std::error_code error;
  std::filesystem::rename(fresh, file, error);
  return !error;
}

bool FirmwareFolder::begin(std::uint32_t size) {
  abandon();
  if (size == 0 || size > capacity_) return false;
  writing_ = std::fopen(image(other(running_)).c_str(), "wb");
  announced_ = size;
  written_ = 0;
  return writing_ != nullptr;
}

bool FirmwareFolder::write(Bytes data) {
  if (writing_ == nullptr || data.size() > announced_ - written_) return false;
  if (std::fwrite(data.data(), 1, data.size(), writing_) != data.size()) return false;
  written_ += static_cast<std::uint32_t>(data.size());
  return true;
}

bool FirmwareFolder::activate() {
  if (writing_ == nullptr || written_ != announced_) return false;
  const bool whole = std::fclose(writing_) == 0;
  writing_ = nullptr;
  // esp_ota_end looks at the image, too: what is none is never started from.
  const std::string bytes = beginning_of(image(other(running_)));
  if (!whole || bytes.empty() || bytes[0] != kMagic || version_in(bytes).empty()) return false;
  return note(other(running_), "first");
}

void FirmwareFolder::abandon() {
  if (writing_ != nullptr) (void)std::fclose(writing_);
  writing_ = nullptr;
}

void FirmwareFolder::confirm() {
  if (!on_trial_) return;
  on_trial_ = false;
  (void)note(running_, "none");
}

void FirmwareFolder::roll_back() {
  if (!on_trial_) return;
  (void)note(other(running_), "none");
  restart_();
}

}  // namespace lobug::sim
