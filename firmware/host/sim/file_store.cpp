#include "file_store.h"

#include <fstream>
#include <utility>

namespace lobug::sim {
namespace {

constexpr std::size_t kLongestKey = 15;  // a limit of NVS

std::string escaped(std::string_view text) {
  std::string line;
  for (const char character : text) {
    if (character == '\\') {
      line += "\\\\";
    } else if (character == '\n') {
      line += "\\n";
    } else {
      line += character;
    }
  }
  return line;
}

std::string unescaped(std::string_view line) {
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '\\' || at + 1 == line.size()) {
      text += line[at];
    } else {
      ++at;
      text += line[at] == 'n' ? '\n' : line[at];
    }
  }
  return text;
}

bool valid(std::string_view key) {
  return !key.empty() && key.size() <= kLongestKey &&
         key.find_first_of("=\n") == std::string_view::npos;
}

}  // namespace

FileStore::FileStore(std::filesystem::path file) : file_(std::move(file)) {
  std::ifstream in(file_);
  for (std::string line; std::getline(in, line);) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    texts_[line.substr(0, equals)] = unescaped(std::string_view(line).substr(equals + 1));
  }
}

int FileStore::get(std::string_view key, Span<char> into) {
  const std::lock_guard<std::mutex> guard(lock_);
  const auto found = texts_.find(key);
  if (found == texts_.end() || found->second.size() > into.size()) return -1;
  found->second.copy(into.data(), into.size());
  return static_cast<int>(found->second.size());
}

bool FileStore::put(std::string_view key, std::string_view text) {
  const std::lock_guard<std::mutex> guard(lock_);
  if (!valid(key)) return false;
  const auto before = texts_;
  texts_[std::string(key)] = std::string(text);
  if (save()) return true;
  texts_ = before;
  return false;
}

bool FileStore::erase(std::string_view key) {
  const std::lock_guard<std::mutex> guard(lock_);
  const auto found = texts_.find(key);
  if (found == texts_.end()) return true;
  texts_.erase(found);
  return save();
}

bool FileStore::erase_all() {
  const std::lock_guard<std::mutex> guard(lock_);
  texts_.clear();
  return save();
}

bool FileStore::save() const {
  const std::filesystem::path fresh = file_.string() + ".new";
  {
    std::ofstream out(fresh, std::ios::trunc);
    for (const auto& [key, text] : texts_) out << key << '=' << escaped(text) << '\n';
    out.close();
    if (!out) return false;
  }
  std::error_code error;
  std::filesystem::rename(fresh, file_, error);
  return !error;
}

}  // namespace lobug::sim
