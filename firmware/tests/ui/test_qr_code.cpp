// Module by module QR codes are compared with those of another encoder in
// tests/firmware/test_qr.py.
#include <doctest/doctest.h>

#include <string>

#include "lobug/ui/qr_code.h"

using namespace lobug;

TEST_CASE("the smallest version that holds the text is taken, and too long a text is refused") {
  const struct {
    std::size_t bytes;
    int size;
  } kCases[] = {{0, 21},  {14, 21}, {15, 25}, {26, 25}, {27, 29}, {42, 29},
                {43, 33}, {62, 33}, {63, 37}, {84, 37}, {85, 41}, {106, 41}};
  for (const auto& each : kCases) {
    CAPTURE(each.bytes);
    QrCode code;
    CHECK(code.encode(std::string(each.bytes, 'a')));
    CHECK(code.size() == each.size);
  }
  QrCode code;
  CHECK_FALSE(code.encode(std::string(QrCode::kMostBytes + 1, 'a')));
  CHECK(code.size() == 0);
}

TEST_CASE("finders are in three corners, whatever was encoded before") {
  QrCode code;
  for (const std::size_t bytes : {100U, 5U, 60U}) {
    REQUIRE(code.encode(std::string(bytes, 'x')));
    const int last = code.size() - 1;
    for (int at = 0; at < 7; ++at) {
      CHECK(code.is_dark(at, 0));
      CHECK(code.is_dark(last - at, 0));
      CHECK(code.is_dark(0, last - at));
    }
    CHECK_FALSE(code.is_dark(7, 0));
    CHECK_FALSE(code.is_dark(1, 1));
    CHECK(code.is_dark(8, last - 7));
  }
}

TEST_CASE("a Wi-Fi's name and key are read as they are, whatever is in them") {
  CHECK(wifi_code_text("Lo-Bug-eeff", "40718253") == "WIFI:S:Lo-Bug-eeff;T:WPA;P:40718253;;");
  CHECK(wifi_code_text("a;b,c:d\"e\\f", "\\;") ==
        "WIFI:S:a\\;b\\,c\\:d\\\"e\\\\f;T:WPA;P:\\\\\\;;;");
  CHECK(wifi_code_text("Caf\xC3\xA9", "") == "WIFI:S:Caf\xC3\xA9;T:nopass;;");
}
