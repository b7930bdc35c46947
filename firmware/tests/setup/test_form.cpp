#include <doctest/doctest.h>

#include <array>
#include <string>

#include "lobug/setup/portal.h"
#include "setup/sample_ca.h"

namespace lobug {
namespace {

/// As a browser encodes it.
std::string encoded(std::string_view text) {
  std::string body;
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    const bool plain = (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') ||
                       (code >= 'a' && code <= 'z');
    if (character == ' ') {
      body += '+';
    } else if (plain) {
      body += character;
    } else {
      body += '%';
      body += "0123456789ABCDEF"[code >> 4U];
      body += "0123456789ABCDEF"[code & 15U];
    }
  }
  return body;
}

/// The value of a field; "(none)" and "(long)" when there is none.
std::string value_of(std::string_view body, std::string_view name, std::size_t room = 64) {
  std::array<char, 64> into{};
  int length = -7;
  const bool found = form_value(body, name, Span<char>(into.data(), room), length);
  if (length == -1) {
    CHECK_FALSE(found);
    return "(long)";
  }
  if (!found) {
    CHECK(length == 0);
    return "(none)";
  }
  return {into.data(), static_cast<std::size_t>(length)};
}

Settings configured() {
  Settings settings;
  settings.wifi_name = Text<32>("Home");
  settings.wifi_password = Text<64>("old password");
  settings.server = Text<160>("http://desk:8321");
  return settings;
}

TEST_CASE("a field is found by its name and decoded") {
  const std::string_view body = "a=1&name=My+%22Home%22&empty=&flag&b=x%3dy%26z";
  CHECK(value_of(body, "a") == "1");
  CHECK(value_of(body, "name") == "My \"Home\"");
  CHECK(value_of(body, "empty").empty());
  CHECK(value_of(body, "flag").empty());
  CHECK(value_of(body, "b") == "x=y&z");
  CHECK(value_of(body, "am") == "(none)");
  CHECK(value_of(body, "nam") == "(none)");
  CHECK(value_of(body, "names") == "(none)");
  CHECK(value_of("", "a") == "(none)");
  CHECK(value_of("&&&=&a=1", "a") == "1");
  CHECK(value_of("a=1=2", "a") == "1=2");
  CHECK(value_of("%61=1", "a") == "1");
  CHECK(value_of("my+name=1", "my name") == "1");
  CHECK(value_of("a=first&a=second", "a") == "first");
}

TEST_CASE("a percent sign without two digits stands for itself") {
  CHECK(value_of("a=100%", "a") == "100%");
  CHECK(value_of("a=%4", "a") == "%4");
  CHECK(value_of("a=%zz%4g", "a") == "%zz%4g");
  CHECK(value_of("a=%%41", "a") == "%A");
  CHECK(value_of("a=%4&b=1", "a") == "%4");  // the digits do not come out of the next field
  CHECK(value_of("a=%00%ff", "a") == std::string("\0\xFF", 2));
}

TEST_CASE("a value fits exactly or not at all") {
  CHECK(value_of("a=12345", "a", 5) == "12345");
  CHECK(value_of("a=123456", "a", 5) == "(long)");
  CHECK(value_of("a=%31%32%33%34%35", "a", 5) == "12345");
  CHECK(value_of("a=", "a", 0).empty());
  CHECK(value_of("a=1", "a", 0) == "(long)");
}

TEST_CASE("whatever bytes a value has, they come back from the form") {
  for (int first = 0; first < 256; ++first) {
    const std::string text = {static_cast<char>(first), '%', static_cast<char>(255 - first), '+'};
    CHECK(value_of("x=1&a=" + encoded(text) + "&y", "a") == text);
  }
}

TEST_CASE("the whole form is taken over") {
  Settings settings;
  const std::string ca = sample_ca(10);
  const SettingResult result = apply_form(
      settings, "wifi_name=" + encoded("Käse & Co") + "&wifi_password=" + encoded("ge heim 1") +
                    "&server=" + encoded("https://desk:8321/") + "&ca=" + encoded(ca) +
                    "&talk_mode=conversation&volume=33&brightness=44&captions=off&other=1");
  CHECK(result.error == Phrase::kNone);
  CHECK(result.ok);
  CHECK(settings.wifi_name == "Käse & Co");
  CHECK(settings.wifi_password == "ge heim 1");
  CHECK(settings.server == "https://desk:8321");
  CHECK(settings.ca == ca);
  CHECK(settings.talk_mode == TalkMode::kConversation);
  CHECK(settings.volume == 33);
  CHECK(settings.brightness == 44);
  CHECK_FALSE(settings.captions);
}

TEST_CASE("after an error nothing was taken over, wherever in the form it stands") {
  const std::string good =
      "wifi_name=New&wifi_password=new+password&server=http%3A%2F%2Fnew%3A1&talk_mode=wake_word"
      "&volume=1&brightness=2&captions=off&ca=" +
      encoded(sample_ca(3));
  for (const char* const bad :
       {"wifi_name=", "wifi_password=short", "server=nowhere", "talk_mode=x", "volume=101",
        "brightness=0", "captions=perhaps", "ca=rubbish"}) {
    CAPTURE(bad);
    const std::string body = std::string(bad) + "&" + good;  // of two, the first counts
    Settings settings = configured();
    const SettingResult result = apply_form(settings, body);
    CHECK_FALSE(result.ok);
    CHECK(result.error != Phrase::kNone);
    CHECK(settings.wifi_name == "Home");
    CHECK(settings.wifi_password == "old password");
    CHECK(settings.server == "http://desk:8321");
    CHECK(settings.ca.empty());
    CHECK(settings.talk_mode == TalkMode::kTap);
    CHECK(settings.volume == Settings().volume);
    CHECK(settings.brightness == Settings().brightness);
    CHECK(settings.captions);
  }
}

TEST_CASE("an empty form changes nothing, and nor does rubbish") {
  for (const char* const body : {"", "&&&", "=&=", "%", "a=b", "WIFI_NAME=X", "\xFF\xFE"}) {
    Settings settings = configured();
    CHECK(apply_form(settings, body).ok);
    CHECK(settings.wifi_name == "Home");
    CHECK(settings.wifi_password == "old password");
    CHECK(settings.server == "http://desk:8321");
  }
}

TEST_CASE("an empty password means the one that is set, of this network alone") {
  Settings settings = configured();
  REQUIRE(apply_form(settings, "wifi_name=Home&wifi_password=").ok);
  CHECK(settings.wifi_password == "old password");
  REQUIRE(apply_form(settings, "wifi_password=").ok);
  CHECK(settings.wifi_password == "old password");
  REQUIRE(apply_form(settings, "wifi_name=Cafe&wifi_password=").ok);
  CHECK(settings.wifi_name == "Cafe");
  CHECK(settings.wifi_password.empty());  // another network never hears of it
  REQUIRE(apply_form(settings, "wifi_password=new+password&wifi_name=Cafe").ok);
  CHECK(settings.wifi_password == "new password");
}

TEST_CASE("https and its CA come in one form, in either order, or not") {
  const std::string ca = encoded(sample_ca(5));
  const std::string server = encoded("https://desk");
  Settings settings;
  CHECK_FALSE(apply_form(settings, "server=" + server).ok);
  CHECK_FALSE(apply_form(settings, "server=" + server + "&ca=").ok);
  CHECK_FALSE(apply_form(settings, "server=" + server + "&ca=+%0D%0A").ok);
  CHECK(settings.server.empty());
  CHECK(apply_form(settings, "server=" + server + "&ca=" + ca).ok);
  CHECK(settings.server == "https://desk");

  CHECK(apply_form(settings, "volume=5&ca=").ok);  // an empty one leaves it
  CHECK(settings.ca == sample_ca(5));
  CHECK_FALSE(apply_form(settings, "forget_ca=yes").ok);
  CHECK_FALSE(apply_form(settings, "forget_ca=yes&server=" + server).ok);
  CHECK(settings.ca == sample_ca(5));
  CHECK(apply_form(settings, "forget_ca=&volume=5").ok);  // not ticked
  CHECK(settings.ca == sample_ca(5));
  CHECK(apply_form(settings, "forget_ca=yes&server=auto").ok);
  CHECK(settings.ca.empty());
  CHECK(settings.server.empty());
}

TEST_CASE("a CA comes with the line ends of a browser") {
  std::string ca;
  for (const char character : sample_ca(4)) {
    if (character == '\n') ca += '\r';
    ca += character;
  }
  Settings settings;
  REQUIRE(apply_form(settings, "ca=" + encoded(ca)).ok);
  CHECK(settings.ca == sample_ca(4));
}

TEST_CASE("the largest form there can be is taken, a longer one is refused as a whole") {
  std::string ca = sample_ca(30);
  ca.insert(ca.size() - 26, std::string(43, '+') + "\n");
  REQUIRE(ca.size() == 2048);
  std::string everything;  // even if a browser encoded every single character
  for (const char character : ca) {
    everything += '%';
    everything += "0123456789ABCDEF"[static_cast<unsigned char>(character) >> 4U];
    everything += "0123456789ABCDEF"[static_cast<unsigned char>(character) & 15U];
  }
  std::string body = "ca=" + everything + "&wifi_name=" + encoded(std::string(32, '"')) +
                     "&wifi_password=" + encoded(std::string(63, '"')) + "&server=auto&volume=1";
  Settings settings;
  CHECK(apply_form(settings, body).ok);
  CHECK(settings.ca == ca);
  CHECK(settings.volume == 1);

  body += "&volume=2&padding=" + std::string(10240 - body.size() - 18, 'x');
  REQUIRE(body.size() == 10240);
  CHECK(apply_form(settings, body).ok);
  const SettingResult result = apply_form(settings, body + "x");
  CHECK_FALSE(result.ok);
  CHECK(result.error == Phrase::kFormTooLong);
  CHECK(apply_form(settings, "volume=" + std::string(300, '1')).error == Phrase::kValueTooLong);
}

}  // namespace
}  // namespace lobug
