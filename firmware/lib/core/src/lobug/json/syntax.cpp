#include "lobug/json/syntax.h"

#include <cstdint>

namespace lobug::json {
namespace {

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Reads a document from front to back, one token after the other.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::string_view only_value();

 private:
  /// What has to come next.
  enum class Expect : std::uint8_t {
    kValue,
    kValueOrEnd,  ///< behind '['
    kName,
    kNameOrEnd,  ///< behind '{'
    kCommaOrEnd,
    kNothing,
  };

  bool token(Expect& expect);
  bool open(bool object, Expect& expect);
  void close(Expect& expect);
  bool scalar();
  bool string();
  bool number();
  bool word(std::string_view expected);
  bool digits();

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool in_object() const { return (objects_ & 1U) != 0; }
  Expect after_value() const { return depth_ == 0 ? Expect::kNothing : Expect::kCommaOrEnd; }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  /// One bit for each open bracket, the innermost lowest: whether it is an object's.
  std::uint32_t objects_ = 0;
};
static_assert(kMaxDepth <= 32, "a bit for each level");

std::string_view Scanner::only_value() {
  at_ = skip_space(text_, 0);
  const std::size_t begin = at_;
  std::size_t end = begin;
  Expect expect = Expect::kValue;
  while (at_ < text_.size()) {
    if (!token(expect)) return {};
    end = at_;
    at_ = skip_space(text_, at_);
  }
  return expect == Expect::kNothing ? text_.substr(begin, end - begin) : std::string_view();
}

bool Scanner::token(Expect& expect) {
  const char c = peek();
  switch (expect) {
    case Expect::kNameOrEnd:
    case Expect::kName:
      if (c == '}' && expect == Expect::kNameOrEnd) {
        close(expect);
        return true;
      }
      if (!string()) return false;
      at_ = skip_space(text_, at_);
      expect = Expect::kValue;
      return take(':');
    case Expect::kValueOrEnd:
    case Expect::kValue:
      if (c == ']' && expect == Expect::kValueOrEnd) {
        close(expect);
        return true;
      }
      if (c == '{' || c == '[') return open(c == '{', expect);
      expect = after_value();
      return scalar();
    case Expect::kCommaOrEnd:
      if (c == (in_object() ? '}' : ']')) {
        close(expect);
        return true;
      }
      expect = in_object() ? Expect::kName : Expect::kValue;
      return take(',');
    case Expect::kNothing:
      return false;
  }
  return false;
}

bool Scanner::open(bool object, Expect& expect) {
  if (depth_ == kMaxDepth) return false;
  ++at_;
  ++depth_;
  objects_ = (objects_ << 1U) | (object ? 1U : 0U);
  expect = object ? Expect::kNameOrEnd : Expect::kValueOrEnd;
  return true;
}

void Scanner::close(Expect& expect) {
  ++at_;
  --depth_;
  objects_ >>= 1U;
  expect = after_value();
}

bool Scanner::scalar() {
  switch (peek()) {
    case '"':
      return string();
    case 't':
      return word("true");
    case 'f':
      return word("false");
    case 'n':
      return word("null");
    default:
      return number();
  }
}

bool Scanner::string() {
  if (!take('"')) return false;
  while (at_ < text_.size()) {
    const char c = text_[at_++];
    if (c == '"') return true;
    if (static_cast<unsigned char>(c) < 0x20) return false;
    if (c != '\\') continue;
    const char escape = peek();
    if (std::string_view("\"\\/bfnrtu").find(escape) == std::string_view::npos) return false;
    ++at_;
    if (escape != 'u') continue;
    for (int i = 0; i < 4; ++i) {
      if (!is_hex(peek())) return false;
      ++at_;
    }
  }
  return false;
}

bool Scanner::number() {
  take('-');
  if (!take('0') && !digits()) return false;
  if (take('.') && !digits()) return false;
  if (take('e') || take('E')) {
    if (!take('+')) take('-');
    if (!digits()) return false;
  }
  return true;
}

bool Scanner::digits() {
  const std::size_t begin = at_;
  while (is_digit(peek())) ++at_;
  return at_ > begin;
}

bool Scanner::word(std::string_view expected) {
  if (text_.substr(at_, expected.size()) != expected) return false;
  at_ += expected.size();
  return true;
}

/// Behind the string that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at < text.size() ? at + 1 : text.size();
}

}  // namespace

std::string_view only_value(std::string_view document) { return Scanner(document).only_value(); }

std::size_t end_of_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
    } else if (c == '{' || c == '[') {
      ++at;
      ++depth;
      continue;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return at;
      ++at;
      --depth;
    } else if (depth > 0) {
      ++at;
      continue;
    } else {
      while (at < text.size() && !is_space(text[at]) && text[at] != ',' && text[at] != ']' &&
             text[at] != '}') {
        ++at;
      }
    }
    if (depth == 0) return at;
  }
  return text.size();
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

}  // namespace lobug::json
