// The tools: every answer is whole JSON-RPC, fits its room, and no argument leaves its range.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "lobug/json/reader.h"
#include "lobug/tools/mcp.h"
#include "lobug/tools/tools.h"

namespace {

using lobug::json::Type;
using lobug::json::Value;

void require(bool holds) {
  if (!holds) std::abort();
}

/// A device that insists on what the tools' schemas promise.
class StrictHost : public lobug::ToolHost {
 public:
  void set_volume(std::uint8_t percent) override { require(percent <= 100 && ++uses_ == 1); }
  void set_brightness(std::uint8_t percent) override {
    require(percent >= 1 && percent <= 100 && ++uses_ == 1);
  }
  void show_emotion(lobug::Emotion emotion) override {
    require(static_cast<std::uint8_t>(emotion) < lobug::kEmotionCount && ++uses_ == 1);
  }
  void show_text(std::string_view text, std::uint32_t seconds) override {
    require(!text.empty() && text.size() <= 256 && seconds <= 3600 && ++uses_ == 1);
  }
  bool start_timer(std::uint32_t seconds, std::string_view label) override {
    require(seconds >= 1 && seconds <= 86400 && label.size() <= 160 && ++uses_ == 1);
    return seconds % 2 == 0;
  }
  std::size_t cancel_timers(std::string_view label) override {
    require(label.size() <= 160 && ++uses_ == 1);
    return label.size() % 2;
  }
  bool find_timer(std::size_t place, lobug::TimerState& into) const override {
    if (place == lobug::ToolTimers::kMost) return false;
    into = {"\"\\\n\xFF label of a device that is full of timers", 86400000};
    return true;
  }
  void beep(std::uint8_t times) override { require(times >= 1 && times <= 5 && ++uses_ == 1); }
  const lobug::View& view() const override { return view_; }
  const lobug::Motion& motion() const override { return motion_; }
  bool has_light() const override { return true; }
  void set_light(lobug::LedColor) override { require(++uses_ == 1); }
  void free_light() override { require(++uses_ == 1); }
  bool has_body() const override { return true; }
  std::string_view look(int yaw, int pitch) override {
    require(yaw >= -90 && yaw <= 90 && pitch >= -90 && pitch <= 90 && ++uses_ == 1);
    return yaw > 40 ? "no" : "";
  }
  std::string_view perform(lobug::Deed deed, std::uint8_t times) override {
    require(static_cast<std::uint8_t>(deed) < lobug::kDeedCount && times >= 1 && times <= 5);
    require(++uses_ == 1);
    return {};
  }

  int uses() const { return uses_; }

 private:
  lobug::View view_;
  lobug::Motion motion_;
  int uses_ = 0;
};

void check_answer(std::string_view answer, Value request, int uses) {
  const Value message = lobug::json::parse(answer);
  require(message.type() == Type::kObject && message.raw() == answer);
  require(message.member("jsonrpc").is("2.0"));
  const Value result = message.member("result");
  const Value error = message.member("error");
  require(result.exists() != error.exists());
  require(message.member("id").exists());
  // Only a good call did anything.
  require(uses == 0 || (result.exists() && request.member("method").is("tools/call")));
  if (error.exists()) {
    require(error.member("code").integer(-32768, -32000).has_value());
    require(error.member("message").type() == Type::kString);
  } else {
    require(message.member("id").type() == request.member("id").type());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte chooses the room.
  const std::vector<char> bytes(data + 1, data + size);
  const std::string_view payload(bytes.data(), bytes.size());
  const std::size_t room = static_cast<std::size_t>(data[0]) * 20;
  std::vector<char> buffer(room);
  StrictHost host;
  const std::size_t length =
      lobug::answer_mcp(payload, host, "2.0.0", lobug::Span<char>(buffer.data(), room));
  require(length <= room);
  const Value request = lobug::json::parse(payload);
  if (length > 0) check_answer({buffer.data(), length}, request, host.uses());
  // Without an id nothing is done.
  require(host.uses() == 0 || request.member("id").exists());
  return 0;
}
