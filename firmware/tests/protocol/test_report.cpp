#include <doctest/doctest.h>

#include <string>

#include "lobug/json/reader.h"
#include "lobug/protocol/report.h"

using namespace lobug;

namespace {

std::string written(const HealthReport& report, std::size_t room = 1024) {
  std::string buffer(room, '#');
  return buffer.substr(0, write_report(Span<char>(buffer.data(), buffer.size()), report));
}

std::string losses_of(const LossCounts& counts) {
  std::string text;
  for (const LossCounts::Loss& loss : counts.losses()) {
    text += std::to_string(loss.reason) + "x" + std::to_string(loss.times) + " ";
  }
  return text;
}

}  // namespace

TEST_CASE("A report says why the device started, and how it is doing") {
  HealthReport report;
  report.uptime_s = 4300000000;  // more than 32 bits
  report.reset = ResetReason::kBrownout;
  report.gaps = 1;
  report.late_ms = 250;
  report.dropped_ms = 60;
  report.unsent_ms = 20;
  report.rssi = -58;
  report.reconnects = 2;
  report.losses.count(201);
  report.losses.count(201);
  report.losses.count(8);
  report.memory = {81234, 40960, 61234};
  REQUIRE(report.stacks.add("device", 3000));
  CHECK(written(report) ==
        R"({"uptime_s":4300000000,"reset":"brownout",)"
        R"("audio":{"gaps":1,"late_ms":250,"dropped_ms":60,"unsent_ms":20},)"
        R"("wifi":{"rssi":-58,"reconnects":2,"losses":{"201":2,"8":1}},)"
        R"("memory":{"free":81234,"largest":40960,"least":61234},"stacks":{"device":3000},)"
        R"("nvs":"plain"})");
  report.store_encrypted = true;
  report.update_refused = "unsigned";
  CHECK(written(report).find(R"("nvs":"encrypted","update_refused":"unsigned"})") !=
        std::string::npos);
  report.rssi.reset();
  CHECK(written(report).find("rssi") == std::string::npos);
}

TEST_CASE("The last crash is told in short, where there is one") {
  CrashSummary crash;
  crash.task = "device";
  crash.pc = 0x400D1234;
  crash.cause = 28;
  crash.address = 0x10;
  crash.backtrace = {0x400D1234, 0x4008ABCD};
  crash.depth = 2;
  crash.image = "a1b2c3d4e5f60718";
  HealthReport report;
  CHECK(written(report).find("crash") == std::string::npos);
  report.crash = &crash;
  CHECK(
      written(report).find(
          R"("crash":{"task":"device","pc":"400d1234","cause":28,"address":"00000010",)"
          R"("backtrace":["400d1234","4008abcd"],"corrupted":false,"image":"a1b2c3d4e5f60718"})") !=
      std::string::npos);
}

TEST_CASE("The longest report fits, and one that does not fit is not begun") {
  CrashSummary crash;
  crash.task.assign(std::string(12, '\x01'));  // six bytes each in JSON
  crash.backtrace.fill(0xFFFFFFFF);
  crash.depth = 99;  // more than there is
  crash.cause = crash.pc = crash.address = 0xFFFFFFFF;
  crash.image.assign(std::string(64, 'f'));
  HealthReport report;
  report.uptime_s = 0x1FFFFFFFFFFFFF;
  report.reset = ResetReason::kInterruptWatchdog;
  report.crash = &crash;
  report.gaps = report.late_ms = report.dropped_ms = report.unsent_ms = 0xFFFFFFFF;
  report.reconnects = 0xFFFFFFFF;
  report.rssi = -127;
  for (int reason = 255; reason > 100; --reason) {
    report.losses.count(static_cast<std::uint8_t>(reason));
  }
  report.memory = {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF};
  while (report.stacks.add("abcdefghijkl", 0xFFFFFFFF)) continue;
  report.store_encrypted = true;
  report.update_refused = "wrong_signature";
  const std::string whole = written(report);
  REQUIRE_FALSE(whole.empty());
  CHECK(json::parse(whole).exists());
  for (std::size_t room = 0; room < whole.size(); ++room) CHECK(written(report, room).empty());
}

TEST_CASE("Losses of the Wi-Fi are counted by reason, and the many reasons together") {
  LossCounts counts;
  CHECK(losses_of(counts).empty());
  for (std::uint8_t reason = 1; reason <= 8; ++reason) counts.count(reason);
  counts.count(3);
  CHECK(losses_of(counts) == "1x1 2x1 3x2 4x1 5x1 6x1 7x1 8x1 ");
  counts.count(200);
  counts.count(201);
  counts.count(0);
  counts.count(8);
  CHECK(losses_of(counts) == "1x1 2x1 3x2 4x1 5x1 6x1 7x1 8x2 0x3 ");
}

TEST_CASE("Losses without a reason share the place of all others") {
  LossCounts counts;
  for (std::uint8_t reason = 0; reason < 8; ++reason) counts.count(reason);
  counts.count(100);
  CHECK(losses_of(counts) == "0x2 1x1 2x1 3x1 4x1 5x1 6x1 7x1 ");
}

TEST_CASE("Every reason for a start has a name of its own") {
  std::string names;
  for (std::uint8_t number = 0; number < kResetReasonCount; ++number) {
    const std::string name(name_of(static_cast<ResetReason>(number)));
    CHECK_FALSE(name.empty());
    CHECK(names.find(" " + name + " ") == std::string::npos);
    names += " " + name + " ";
  }
}
