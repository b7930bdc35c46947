// What happens to the simulated device, as JSON lines on the standard output.
#pragma once

#include <array>
#include <cstdio>
#include <mutex>
#include <string_view>

#include "host_clock.h"
#include "lobug/json/writer.h"

namespace lobug::sim {

/// Every line has `event`, and `t`: the device's clock in milliseconds. By any thread.
class EventLog {
 public:
  explicit EventLog(std::FILE* out) : out_(out) {}

  /// `fields` is called with the writer, to add fields to the event's object.
  template <typename Fields>
  void emit(std::string_view event, Fields fields) {
    const std::lock_guard<std::mutex> guard(lock_);
    json::Writer json(Span<char>(line_.data(), line_.size()));
    json.begin_object().name("event").text(event).name("t").number(now_ms());
    fields(json);
    json.end_object();
    (void)std::fwrite(line_.data(), 1, json.finish(), out_);
    (void)std::fputc('\n', out_);
    (void)std::fflush(out_);
  }
  void emit(std::string_view event) {
    emit(event, [](json::Writer&) {});
  }

 private:
  std::FILE* out_;
  std::mutex lock_;
  std::array<char, 8192> line_{};
};

}  // namespace lobug::sim
