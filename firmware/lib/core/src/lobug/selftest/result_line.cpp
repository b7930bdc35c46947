#include "lobug/selftest/result_line.h"

#include "lobug/json/writer.h"
#include "lobug/selftest/judgement.h"

namespace lobug {
namespace {

using json::Writer;

void write_level(Writer& json, std::string_view name, const std::optional<HeardLevel>& level) {
  if (level) json.name(name).number(level->dbfs);
}

void write_ms(Writer& json, std::string_view name, const std::optional<std::uint16_t>& ms) {
  if (ms) json.name(name).number(*ms);
}

void write_values(Writer& json, TestItem item, const Measurements& m) {
  switch (item) {
    case TestItem::kPsram:
      json.name("bytes").number(m.psram.size).name("wrong").number(m.psram.wrong);
      break;
    case TestItem::kMicrophone:
      write_level(json, "before_dbfs", m.before);
      write_level(json, "after_dbfs", m.after);
      break;
    case TestItem::kSpeaker:
      write_ms(json, "to_speaker_ms", m.to_speaker_ms);
      write_ms(json, "to_microphone_ms", m.to_microphone_ms);
      break;
    case TestItem::kFrames:
      if (m.frames_per_s) json.name("per_s").number(*m.frames_per_s);
      break;
    case TestItem::kTouch:
      json.name("touches").number(m.touches);
      break;
    case TestItem::kMotion:
      json.name("readings").number(m.motion_readings).name("mg").number(m.gravity_mg);
      break;
    case TestItem::kBattery:
      if (m.battery) json.name("percent").number(*m.battery).name("charging").boolean(m.charging);
      break;
    case TestItem::kSignal:
      if (m.wifi_dbm) json.name("dbm").number(*m.wifi_dbm);
      break;
    case TestItem::kMemory:
      json.name("free").number(m.memory.free).name("largest").number(m.memory.largest);
      json.name("least").number(m.memory.least);
      break;
    case TestItem::kStacks:
      for (std::size_t at = 0; at < m.stacks.count; ++at) {
        json.name(m.stacks.marks[at].task).number(m.stacks.marks[at].least);
      }
      break;
  }
}

}  // namespace

std::size_t write_result_line(Span<char> into, const Measurements& measured,
                              std::string_view version) {
  const Findings findings = judge(measured);
  Writer json(into);
  json.begin_object().name("selftest").text(name_of(worst_of(findings)));
  json.name("version").text(version);
  json.name("nvs").text(measured.store_encrypted ? "encrypted" : "plain");
  for (std::uint8_t place = 0; place < kTestItemCount; ++place) {
    const auto item = static_cast<TestItem>(place);
    json.name(name_of(item)).begin_object();
    json.name("is").text(name_of(findings[place].verdict));
    write_values(json, item, measured);
    json.end_object();
  }
  return json.end_object().finish();
}

}  // namespace lobug
