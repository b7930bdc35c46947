#include "lobug/device/health_reporter.h"

namespace lobug {
namespace {

constexpr std::uint32_t kSamplesPerMs = kSampleRate / 1000;
constexpr std::int8_t kNoSignal = -127;  // none was measured yet

}  // namespace

void HealthReporter::step(Session& session, Millis now) {
  if (begun_) uptime_ms_ += elapsed(last_, now);
  begun_ = true;
  last_ = now;
  if (!next_.due(now) || !session.takes_reports()) return;
  if (!session.report(write(now))) next_.set(now, kAgainMs);
}

std::string_view HealthReporter::write(Millis now) {
  next_.set(now, kEveryMs);
  report_.uptime_s = uptime_ms_ / 1000;
  report_.reset = platform_.vitals.reset_reason();
  report_.crash = platform_.vitals.crash();
  report_.gaps = audio_.downlink.starved();
  report_.late_ms = audio_.late_ms.load(std::memory_order_relaxed);
  report_.dropped_ms = audio_.downlink.lost() / kSamplesPerMs;
  report_.unsent_ms = audio_.uplink_lost.load(std::memory_order_relaxed) / kSamplesPerMs;
  report_.rssi.reset();
  if (wifi_.is_up() && view_.wifi_dbm != kNoSignal) report_.rssi = view_.wifi_dbm;
  report_.reconnects = wifi_.reconnects();
  report_.losses = wifi_.losses();
  report_.memory = platform_.vitals.memory();
  report_.stacks = platform_.vitals.stacks();
  report_.store_encrypted = platform_.vitals.store_encrypted();
  report_.update_refused = name_of(update_.refused());
  return {text_.data(), write_report(Span<char>(text_.data(), text_.size()), report_)};
}

}  // namespace lobug
