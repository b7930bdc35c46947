#include "lobug/setup/ca_reader.h"

namespace lobug {
namespace {

constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view kEnd = "-----END CERTIFICATE-----";

bool is_base64(std::string_view line) {
  const std::size_t padding = line.find('=');
  const std::string_view end =
      padding == std::string_view::npos ? std::string_view() : line.substr(padding);
  if (end.size() > 2 || end.find_first_not_of('=') != std::string_view::npos) return false;
  for (const char c : line.substr(0, line.size() - end.size())) {
    const bool good = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                      c == '+' || c == '/';
    if (!good) return false;
  }
  return true;
}

}  // namespace

void CaReader::add(char character) {
  if (backslash_) {
    backslash_ = false;
    if (character == 'n') {
      end_line();
      return;
    }
    if (character == 'r') return;
    put('\\');
  }
  if (character == '\\') {
    backslash_ = true;
  } else if (character == '\n') {
    end_line();
  } else if (character != '\r') {
    put(character);
  }
}

void CaReader::put(char character) {
  if (line_size_ == 0 && character == ' ') return;
  if (line_size_ < line_.size()) {
    line_[line_size_++] = character;
  } else if (character != ' ') {
    line_too_long_ = true;
  }
}

void CaReader::end_line() {
  std::string_view line(line_.data(), line_size_);
  while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
  if (line.find("PRIVATE KEY") != std::string_view::npos) fail(Fault::kPrivateKey);
  if (place_ == Place::kOutside) {
    if (line == kBegin && !line_too_long_) {
      place_ = Place::kInside;
      body_lines_ = 0;
      keep(line);
    }
  } else if (line_too_long_) {
    fail(Fault::kNoPem);
  } else if (line == kEnd) {
    if (body_lines_ == 0) fail(Fault::kNoPem);
    place_ = Place::kOutside;
    ++certificates_;
    keep(line);
  } else if (!line.empty()) {
    if (!is_base64(line)) fail(Fault::kNoPem);
    ++body_lines_;
    keep(line);
  }
  line_size_ = 0;
  line_too_long_ = false;
}

void CaReader::keep(std::string_view line) {
  kept_ += line.size() + 1;
  if (kept_ > Text<2048>::capacity()) {
    kept_ = Text<2048>::capacity();  // an endless text must not wrap it to 0
    fail(Fault::kTooLong);
    return;
  }
  if (into_ == nullptr || fault_ != Fault::kNone) return;
  into_->append(line);
  into_->append('\n');
}

// The first fault counts, except that a private key is always reported.
void CaReader::fail(Fault fault) {
  if (fault_ == Fault::kNone || fault == Fault::kPrivateKey) fault_ = fault;
}

Phrase CaReader::finish() {
  if (backslash_) put('\\');
  backslash_ = false;
  end_line();
  if (fault_ == Fault::kNone && (place_ == Place::kInside || certificates_ == 0)) {
    fault_ = Fault::kNoPem;
  }
  if (fault_ != Fault::kNone && into_ != nullptr) into_->clear();
  switch (fault_) {
    case Fault::kNone:
      return Phrase::kNone;
    case Fault::kPrivateKey:
      return Phrase::kCaPrivateKey;
    case Fault::kTooLong:
      return Phrase::kCaTooLong;
    case Fault::kNoPem:
      break;
  }
  return Phrase::kCaNotPem;
}

}  // namespace lobug
