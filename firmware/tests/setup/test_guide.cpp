// The owner's guide says what the firmware does. When the table of settings fails, the right one is
// in the output: put it between the marks in firmware/README.md.
#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "lobug/device/state_machine.h"
#include "lobug/setup/settings.h"

namespace lobug {
namespace {

constexpr const char* kBegin = "<!-- settings: begin -->\n";
constexpr const char* kEnd = "<!-- settings: end -->";

std::string table() {
  std::string lines = "| setting | values | on a new device | |\n|---|---|---|---|\n";
  for (const SettingInfo& info : describe_settings()) {
    const std::string standard =
        info.standard.empty() ? "none" : "`" + std::string(info.standard) + "`";
    lines += "| `" + std::string(info.name) + "` | " + std::string(info.values) + " | " + standard +
             " | " + std::string(info.meaning) + " |\n";
  }
  return lines;
}

std::string read_guide() {
  const auto firmware = std::filesystem::path(__FILE__).parent_path() / ".." / "..";
  std::ifstream file(firmware / "README.md");
  REQUIRE(file.good());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_CASE("the guide's table of settings is that of the code") {
  const std::string readme = read_guide();
  const std::size_t begin = readme.find(kBegin);
  const std::size_t end = readme.find(kEnd);
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  const std::size_t first = begin + std::string(kBegin).size();
  CHECK(readme.substr(first, end - first) == table());
}

TEST_CASE("the guide helps with every trouble that the face can name") {
  const std::string readme = read_guide();
  int troubles = 0;
  for (std::uint8_t number = 1; number < 100; ++number) {
    const std::string_view sentence = english()[sentence_of(static_cast<Trouble>(number))];
    if (sentence.empty()) break;
    ++troubles;
    CAPTURE(std::string(sentence));
    CHECK(readme.find("| " + std::string(sentence) + " |") != std::string::npos);
  }
  CHECK(troubles == static_cast<int>(Trouble::kLowMemory));
}

TEST_CASE("the guide names every command of the serial line") {
  const std::string readme = read_guide();
  for (const char* const command : {"| `wifi ", "| `server ", "| `ca ", "| `set ", "| `show`",
                                    "`status` |", "| `pair`", "| `restart`", "| `reset yes`"}) {
    CAPTURE(command);
    CHECK(readme.find(command) != std::string::npos);
  }
}

}  // namespace
}  // namespace lobug
