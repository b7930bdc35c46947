#include "lobug/protocol/report.h"

#include "lobug/json/writer.h"

namespace lobug {
namespace {

using json::Writer;

/// Eight hexadecimal digits, as tools that read addresses expect them.
Text<8> hex_of(std::uint32_t number) {
  Text<8> text;
  for (int digit = 7; digit >= 0; --digit) {
    text.append("0123456789abcdef"[number >> (4U * static_cast<unsigned>(digit)) & 0xFU]);
  }
  return text;
}

void write_crash(Writer& json, const CrashSummary& crash) {
  json.name("crash").begin_object();
  json.name("task").text(crash.task);
  json.name("pc").text(hex_of(crash.pc));
  json.name("cause").number(crash.cause);
  json.name("address").text(hex_of(crash.address));
  json.name("backtrace").begin_array();
  for (std::size_t at = 0; at < crash.depth && at < crash.backtrace.size(); ++at) {
    json.text(hex_of(crash.backtrace[at]));
  }
  json.end_array();
  json.name("corrupted").boolean(crash.corrupted);
  if (!crash.image.empty()) json.name("image").text(crash.image);
  json.end_object();
}

void write_wifi(Writer& json, const HealthReport& report) {
  json.name("wifi").begin_object();
  if (report.rssi) json.name("rssi").number(*report.rssi);
  json.name("reconnects").number(report.reconnects);
  json.name("losses").begin_object();
  for (const LossCounts::Loss& loss : report.losses.losses()) {
    Text<3> reason;
    if (loss.reason >= 100) reason.append(static_cast<char>('0' + loss.reason / 100));
    if (loss.reason >= 10) reason.append(static_cast<char>('0' + loss.reason / 10 % 10));
    reason.append(static_cast<char>('0' + loss.reason % 10));
    json.name(reason).number(loss.times);
  }
  json.end_object().end_object();
}

}  // namespace

std::string_view name_of(ResetReason reason) {
  switch (reason) {
    case ResetReason::kUnknown:
      return "unknown";
    case ResetReason::kPowerOn:
      return "power_on";
    case ResetReason::kExternal:
      return "external";
    case ResetReason::kSoftware:
      return "software";
    case ResetReason::kPanic:
      return "panic";
    case ResetReason::kInterruptWatchdog:
      return "interrupt_watchdog";
    case ResetReason::kTaskWatchdog:
      return "task_watchdog";
    case ResetReason::kWatchdog:
      return "watchdog";
    case ResetReason::kDeepSleep:
      return "deep_sleep";
    case ResetReason::kBrownout:
      return "brownout";
    case ResetReason::kSdio:
      return "sdio";
  }
  return "unknown";
}

void LossCounts::count(std::uint8_t reason) {
  if (find(reason) == nullptr) {
    if (count_ >= kReasons) reason = 0;
    if (find(reason) == nullptr) losses_[count_++] = {reason, 0};
  }
  ++find(reason)->times;
}

LossCounts::Loss* LossCounts::find(std::uint8_t reason) {
  for (std::size_t at = 0; at < count_; ++at) {
    if (losses_[at].reason == reason) return &losses_[at];
  }
  return nullptr;
}

std::size_t write_report(Span<char> into, const HealthReport& report) {
  Writer json(into);
  json.begin_object();
  json.name("uptime_s").number(static_cast<std::int64_t>(report.uptime_s));
  json.name("reset").text(name_of(report.reset));
  if (report.crash != nullptr) write_crash(json, *report.crash);
  json.name("audio").begin_object();
  json.name("gaps").number(report.gaps);
  json.name("late_ms").number(report.late_ms);
  json.name("dropped_ms").number(report.dropped_ms);
  json.name("unsent_ms").number(report.unsent_ms);
  json.end_object();
  write_wifi(json, report);
  if (report.bad_glyphs > 0) json.name("bad_glyphs").number(report.bad_glyphs);
  json.name("memory").begin_object();
  json.name("free").number(report.memory.free);
  json.name("largest").number(report.memory.largest);
  json.name("least").number(report.memory.least);
  json.end_object();
  json.name("stacks").begin_object();
  for (std::size_t at = 0; at < report.stacks.count; ++at) {
    json.name(report.stacks.marks[at].task).number(report.stacks.marks[at].least);
  }
  json.end_object();
  json.name("nvs").text(report.store_encrypted ? "encrypted" : "plain");
  if (!report.update_refused.empty()) json.name("update_refused").text(report.update_refused);
  return json.end_object().finish();
}

}  // namespace lobug
