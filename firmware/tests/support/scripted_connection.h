// A Connection without a network: the test is the server, and decides how bytes trickle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/ports/connection.h"

namespace lobug {

class ScriptedConnection final : public Connection {
 public:
  static constexpr std::size_t kAll = static_cast<std::size_t>(-1);

  // How it behaves, from the next `open` on:
  /// Calls of `state` for which it is still opening; a large number: nobody ever answers.
  int polls_to_open = 0;
  /// What opening ends with, instead of an open connection.
  ConnectionFailure open_fails = ConnectionFailure::kNone;
  /// What this endpoint's opening ends with, where it is set.
  std::function<ConnectionFailure(const Endpoint&)> judge;
  /// Called when it has opened; the server may `deliver` at once.
  std::function<void()> on_open;
  /// Called with what the device wrote, at once; the server may `deliver`, `end` or `lose`.
  std::function<void(std::string_view)> on_write;

  // How it behaves, at any time:
  /// The most that one `read` gives.
  std::size_t most_read = kAll;
  /// The most that one `write` takes; 0: the way out is full.
  std::size_t most_write = kAll;

  // What happened:
  Endpoint endpoint;    ///< of the last `open`
  std::string written;  ///< since the last `open`
  int opened = 0;
  int closed = 0;  ///< calls of `close` that closed something

  /// Bytes from the server.
  void deliver(std::string_view bytes) {
    arriving_.insert(arriving_.end(), bytes.begin(), bytes.end());
  }
  /// The server closes in order: seen once everything was read.
  void end() { ending_ = Ending::kEnd; }
  /// The connection breaks: seen once everything was read.
  void lose() { ending_ = Ending::kLoss; }
  /// What was written since it was last asked.
  std::string take_written() {
    std::string taken = written.substr(taken_);
    taken_ = written.size();
    return taken;
  }
  bool is_open() const { return state_ == ConnectionState::kOpen; }
  /// Bytes that the device has not read yet.
  std::size_t unread() const { return arriving_.size(); }

  void open(const Endpoint& to) override {
    endpoint = to;
    ++opened;
    written.clear();
    taken_ = 0;
    arriving_.clear();
    ending_ = Ending::kNone;
    failure_ = ConnectionFailure::kNone;
    state_ = ConnectionState::kOpening;
    polls_left_ = polls_to_open;
  }
  ConnectionState state() override {
    if (state_ == ConnectionState::kOpening && polls_left_-- <= 0) {
      const ConnectionFailure fault = judge ? judge(endpoint) : open_fails;
      if (fault != ConnectionFailure::kNone) {
        fail(fault);
      } else {
        state_ = ConnectionState::kOpen;
        if (on_open) on_open();
      }
    }
    if (state_ == ConnectionState::kOpen && arriving_.empty()) {
      if (ending_ == Ending::kEnd) state_ = ConnectionState::kClosed;
      if (ending_ == Ending::kLoss) fail(ConnectionFailure::kLost);
    }
    return state_;
  }
  ConnectionFailure failure() const override { return failure_; }
  std::size_t read(MutableBytes into) override {
    if (state_ != ConnectionState::kOpen) return 0;
    const std::size_t count = std::min({into.size(), most_read, arriving_.size()});
    std::copy_n(arriving_.begin(), count, into.begin());
    arriving_.erase(arriving_.begin(), arriving_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }
  std::size_t write(Bytes from) override {
    if (state_ != ConnectionState::kOpen || ending_ != Ending::kNone) return 0;
    const std::size_t count = std::min(from.size(), most_write);
    const std::string bytes(reinterpret_cast<const char*>(from.data()), count);
    written += bytes;
    if (count > 0 && on_write) on_write(bytes);
    return count;
  }
  void close() override {
    if (state_ == ConnectionState::kOpening || state_ == ConnectionState::kOpen) ++closed;
    state_ = ConnectionState::kClosed;
    failure_ = ConnectionFailure::kNone;
    arriving_.clear();
    ending_ = Ending::kNone;
  }

 private:
  enum class Ending { kNone, kEnd, kLoss };

  void fail(ConnectionFailure why) {
    state_ = ConnectionState::kFailed;
    failure_ = why;
  }

  ConnectionState state_ = ConnectionState::kClosed;
  ConnectionFailure failure_ = ConnectionFailure::kNone;
  Ending ending_ = Ending::kNone;
  int polls_left_ = 0;
  std::size_t taken_ = 0;
  std::deque<char> arriving_;
};

}  // namespace lobug
