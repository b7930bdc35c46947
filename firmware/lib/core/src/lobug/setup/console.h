// Commands over the serial line: everything that the portal can do, for people with a cable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lobug/base/exchange.h"
#include "lobug/base/text.h"
#include "lobug/device/screen_link.h"
#include "lobug/ports/store.h"

namespace lobug {

/// Fed with characters; `help` lists the commands (wifi, server, ca, set, show, status, calibrate,
/// selftest, pair, restart, reset). Passwords and tokens are never printed. A line has at most
/// 2,200 characters (a CA comes as one line with \n for its line ends); longer ones are refused as
/// a whole. Control characters other than backspace are ignored. Used by one thread, the one that
/// pushes `inputs`. Too large for a stack: about 6 KB.
class Console {
 public:
  Console(Store& store, Queue<Input, 16>& inputs);
  /// One character; when a line is complete its answer is in `answer`, else that is empty. It may
  /// have several lines, each of which ends with \n.
  void feed(char character, const View& view);
  const Text<1536>& answer() const { return answer_; }
  /// Once a round: what is answered later (the self-test's result) is in `answer` after it, else
  /// that is empty.
  void step(const View& view);

  enum class Stored : std::uint8_t { kSaved, kInvalid, kFailed };
  /// As the command `wifi`, for a program; `answer` has the sentence. An empty password: an open
  /// network. What is being typed stays.
  Stored store_wifi(std::string_view name, std::string_view password);
  /// The server's address as it is stored; empty: the device finds it.
  std::string_view server();

 private:
  static constexpr std::size_t kMostLine = 2200;
  static constexpr std::size_t kMostWords = 4;
  using Words = std::array<std::string_view, kMostWords>;

  void erase_last();
  void run(const View& view);
  /// Rewrites the line, in which `text` is. False: the answer says why.
  bool split(std::string_view text, Words& words, std::size_t& count);
  void set_wifi(std::string_view text);
  void set_any(std::string_view text);
  void set(std::string_view name, std::string_view value);
  bool save(std::string_view first, std::string_view second);
  void show();
  void status(const View& view);
  void calibrate(const View& view);
  void print_body(const BodyView& body);
  void help();
  /// False when the device is too busy.
  bool push(Input::Kind kind, std::string_view done, std::int32_t value = 0);
  void print(std::string_view line);
  void print(std::string_view name, std::string_view value);

  Store& store_;
  Queue<Input, 16>& inputs_;
  Text<1536> answer_;
  Settings settings_;  // a member, since it is too large for a stack
  std::array<char, kMostLine> line_{};
  std::size_t size_ = 0;
  bool too_long_ = false;
  std::array<char, 1023> result_{};  // a member, since it is too large for a stack
  bool awaits_test_ = false;
  std::uint8_t awaited_run_ = 0;
};

}  // namespace lobug
