#include <doctest/doctest.h>

#include <string>

#include "lobug/setup/settings.h"
#include "setup/sample_ca.h"

namespace lobug {
namespace {

/// The error, empty when it was taken.
std::string set(Settings& settings, std::string_view name, std::string_view value) {
  const SettingResult result = set_setting(settings, name, value);
  CHECK(result.ok == (result.error == Phrase::kNone));
  return std::string(english()[result.error]);
}

TEST_CASE("the standard values of the table are those of a new device") {
  Settings settings;
  for (const SettingInfo& info : describe_settings()) {
    CAPTURE(std::string(info.name));
    CHECK(info.name.size() <= 15);
    CHECK_FALSE(info.meaning.empty());
    if (info.name == "wifi_name") continue;  // empty on a new device, never set to that
    CHECK(set(settings, info.name, info.standard).empty());
    if (info.name != "ca" && info.name != "wifi_password") {
      CHECK(shown_setting(settings, info.name) == info.standard);
    }
  }
  const Settings fresh;
  CHECK(settings.server == fresh.server.view());
  CHECK(settings.ca == fresh.ca.view());
  CHECK(settings.talk_mode == fresh.talk_mode);
  CHECK(settings.volume == fresh.volume);
  CHECK(settings.brightness == fresh.brightness);
  CHECK(settings.captions == fresh.captions);
  CHECK(settings.clock == fresh.clock);
  CHECK(settings.power.dim_after_s == fresh.power.dim_after_s);
  CHECK(settings.power.off_after_s == fresh.power.off_after_s);
  CHECK(settings.power.off_after_usb_s == fresh.power.off_after_usb_s);
  CHECK(settings.light == fresh.light);
  CHECK(settings.body == fresh.body);
  CHECK(settings.calibration == fresh.calibration);
  CHECK(settings.language == fresh.language);
}

TEST_CASE("a language is one of three codes") {
  Settings settings;
  CHECK(set(settings, "language", "de").empty());
  CHECK(settings.language == Language::kGerman);
  for (const char* const other : {"", "DE", "fr", "de_AT", "german"}) {
    CAPTURE(other);
    CHECK(set(settings, "language", other) == "language must be en, de or es.");
  }
  CHECK(shown_setting(settings, "language") == "de");
  CHECK(set(settings, "language", "es").empty());
  CHECK(settings.language == Language::kSpanish);
}

TEST_CASE("a name that is no setting's is refused, a token's too") {
  Settings settings;
  for (const char* const name :
       {"", "wifi", "Volume", "volume ", "token", "token_server", "client_id", "wifi_name\n"}) {
    CAPTURE(name);
    CHECK(set(settings, name, "5") == "There is no such setting.");
  }
}

TEST_CASE("a Wi-Fi's name has 1 to 32 bytes, of whatever language") {
  Settings settings;
  CHECK(set(settings, "wifi_name", "My \"Home\" <3 & more").empty());
  CHECK(settings.wifi_name == "My \"Home\" <3 & more");
  CHECK(set(settings, "wifi_name", "Käsekuchen").empty());
  CHECK(set(settings, "wifi_name", std::string(32, 'a')).empty());
  CHECK_FALSE(set(settings, "wifi_name", std::string(33, 'b')).empty());
  CHECK_FALSE(set(settings, "wifi_name", "").empty());
  CHECK_FALSE(set(settings, "wifi_name", "a\nb").empty());
  CHECK_FALSE(set(settings, "wifi_name", std::string_view("a\0b", 3)).empty());
  CHECK_FALSE(set(settings, "wifi_name", "a\x7F").empty());
  CHECK(settings.wifi_name == std::string(32, 'a'));  // untouched by what was refused
}

TEST_CASE("a Wi-Fi's password is none, 8 to 63 characters or 64 hexadecimal digits") {
  Settings settings;
  CHECK_FALSE(set(settings, "wifi_password", "1234567").empty());
  CHECK(set(settings, "wifi_password", "12345678").empty());
  CHECK(set(settings, "wifi_password", std::string(63, ' ')).empty());
  CHECK_FALSE(set(settings, "wifi_password", std::string(64, 'x')).empty());
  CHECK(settings.wifi_password.size() == 63);
  CHECK(set(settings, "wifi_password", std::string(64, 'E')).empty());
  CHECK_FALSE(set(settings, "wifi_password", std::string(65, 'e')).empty());
  CHECK_FALSE(set(settings, "wifi_password", "pass\tword").empty());
  CHECK(settings.wifi_password == std::string(64, 'E'));
  CHECK(shown_setting(settings, "wifi_password").empty());
  CHECK(set(settings, "wifi_password", "").empty());
  CHECK(settings.wifi_password.empty());
}

TEST_CASE("a server is written in one way, however it was typed") {
  Settings settings;
  CHECK(set(settings, "server", "http://192.168.1.5:8321").empty());
  CHECK(settings.server == "http://192.168.1.5:8321");
  CHECK(set(settings, "server", "HTTP://Desk.Local:8321/").empty());
  CHECK(settings.server == "http://desk.local:8321");
  CHECK(set(settings, "server", "http://desk:80").empty());
  CHECK(settings.server == "http://desk");
  CHECK(set(settings, "server", "http://[fe80::1]:8321/xiaozhi/ota/").empty());
  CHECK(settings.server == "http://[fe80::1]:8321");
  CHECK(set(settings, "server", "http://desk:8321/xiaozhi/ota").empty());
  CHECK(settings.server == "http://desk:8321");
  CHECK(set(settings, "server", "http://desk/proxy//xiaozhi/ota//xiaozhi/ota/").empty());
  CHECK(settings.server == "http://desk/proxy");
  CHECK(set(settings, "server", "http://desk/proxy/").empty());
  CHECK(settings.server == "http://desk/proxy");
  CHECK(set(settings, "server", settings.server).empty());  // its own value, in place
  CHECK(settings.server == "http://desk/proxy");
  CHECK(set(settings, "server", "auto").empty());
  CHECK(settings.server.empty());
  CHECK(shown_setting(settings, "server") == "auto");
}

TEST_CASE("what is no server is refused and changes nothing") {
  Settings settings;
  REQUIRE(set(settings, "server", "http://desk:8321").empty());
  const std::string long_host = "http://" + std::string(200, 'a');
  const std::string long_path = "http://desk/" + std::string(149, 'a');
  for (const char* const server :
       {"desk", "desk:8321", "ftp://desk", "ws://desk:8321", "wss://desk", "http://",
        "http://desk:0", "http://desk:99999", "http://me@desk", "http://desk/a?b", "http://desk/?a",
        "http://de sk", "http://desk\r\nX-Evil: 1", long_host.c_str(), long_path.c_str()}) {
    CAPTURE(server);
    CHECK(set(settings, "server", server).find("http://192.168.1.5:8321") != std::string::npos);
  }
  CHECK(settings.server == "http://desk:8321");
}

TEST_CASE("https needs a CA, and the CA stays as long as the server is https") {
  Settings settings;
  CHECK(set(settings, "server", "https://desk") ==
        "An https server needs its CA: set the CA first.");
  CHECK(settings.server.empty());
  CHECK(set(settings, "ca", sample_ca(5)).empty());
  CHECK(set(settings, "server", "https://desk").empty());
  CHECK(settings.server == "https://desk");
  for (const char* const nothing : {"", "none"}) {
    CHECK(set(settings, "ca", nothing) ==
          "The https server needs this CA: change the server first.");
  }
  CHECK(settings.ca == sample_ca(5));
  CHECK(set(settings, "ca", sample_ca(6)).empty());
  CHECK_FALSE(set(settings, "ca", "rubbish").empty());
  CHECK(settings.ca == sample_ca(6));
  CHECK(set(settings, "server", "http://desk").empty());
  CHECK(set(settings, "ca", "none").empty());
  CHECK(settings.ca.empty());
}

TEST_CASE("another server leaves the token with the one that gave it") {
  Settings settings;
  settings.token = Text<128>("lobug_secret");
  settings.token_server = Text<160>("http://desk:8321");
  REQUIRE(set(settings, "server", "http://elsewhere:8321").empty());
  CHECK(settings.token == "lobug_secret");
  CHECK(settings.token_server == "http://desk:8321");
}

TEST_CASE("talk mode, volume, brightness, captions and light take their words and numbers alone") {
  Settings settings;
  CHECK(set(settings, "talk_mode", "conversation").empty());
  CHECK(settings.talk_mode == TalkMode::kConversation);
  CHECK(set(settings, "talk_mode", "wake_word").empty());
  CHECK(settings.talk_mode == TalkMode::kWakeWord);
  CHECK(shown_setting(settings, "talk_mode") == "wake_word");
  for (const char* const mode : {"", "Tap", "taps", "0"}) {
    CHECK_FALSE(set(settings, "talk_mode", mode).empty());
  }
  CHECK(settings.talk_mode == TalkMode::kWakeWord);

  CHECK(set(settings, "volume", "0").empty());
  CHECK(settings.volume == 0);
  CHECK(set(settings, "volume", "100").empty());
  CHECK(shown_setting(settings, "volume") == "100");
  CHECK(set(settings, "volume", "007").empty());
  CHECK(shown_setting(settings, "volume") == "7");
  for (const char* const volume :
       {"", "101", "-1", "+5", "5 ", "0x5", "5.0", "1e1", "4294967301", "loud"}) {
    CAPTURE(volume);
    CHECK_FALSE(set(settings, "volume", volume).empty());
    CHECK_FALSE(set(settings, "brightness", volume).empty());
  }
  CHECK(settings.volume == 7);
  CHECK_FALSE(set(settings, "brightness", "0").empty());  // nobody would find it again
  CHECK(set(settings, "brightness", "1").empty());
  CHECK(shown_setting(settings, "brightness") == "1");

  CHECK(set(settings, "captions", "off").empty());
  CHECK_FALSE(settings.captions);
  CHECK(set(settings, "captions", "yes").empty());
  CHECK(settings.captions);
  for (const char* const captions : {"", "On", "2", "maybe"}) {
    CHECK_FALSE(set(settings, "captions", captions).empty());
  }

  CHECK(set(settings, "light", "m5go").empty());
  CHECK(settings.light == LightKind::kM5go);
  CHECK(shown_setting(settings, "light") == "m5go");
  for (const char* const light : {"", "M5GO", "on", "1", "stackchan"}) {
    CHECK_FALSE(set(settings, "light", light).empty());
  }
  CHECK(settings.light == LightKind::kM5go);
  CHECK(set(settings, "light", "none").empty());
  CHECK(settings.light == LightKind::kNone);
  CHECK(set(settings, "light", "auto").empty());
  CHECK(settings.light == LightKind::kAuto);
}

TEST_CASE("a body is one of its words, an offset a few degrees either way") {
  Settings settings;
  CHECK(settings.body == BodyKind::kAuto);
  for (const char* const body : {"none", "port_a", "port_c", "m5bus", "stackchan", "auto"}) {
    CHECK(set(settings, "body", body).empty());
    CHECK(shown_setting(settings, "body") == body);
  }
  for (const char* const body : {"", "pwm", "Port_A", "1"}) {
    CHECK_FALSE(set(settings, "body", body).empty());
  }
  CHECK(settings.body == BodyKind::kAuto);
  for (const char* const name : {"yaw_offset", "pitch_offset"}) {
    CAPTURE(name);
    for (const char* const offset : {"30", "-30", "7", "-7", "0"}) {
      CHECK(set(settings, name, offset).empty());
      CHECK(shown_setting(settings, name) == offset);
    }
    for (const char* const offset : {"", "-", "31", "-31", "007", "+3", "1.5", "--3", "3-", "x"}) {
      CAPTURE(offset);
      CHECK_FALSE(set(settings, name, offset).empty());
    }
  }
  CHECK(set(settings, "yaw_offset", "-12").empty());
  CHECK(set(settings, "pitch_offset", "4").empty());
  CHECK(settings.calibration.offset == Attitude{-120, 40});
  CHECK(set(settings, "yaw_reversed", "on").empty());
  CHECK(settings.calibration.yaw_reversed);
  CHECK_FALSE(set(settings, "yaw_reversed", "maybe").empty());
}

TEST_CASE("times of the screen are seconds, or never") {
  Settings settings;
  for (const char* const name : {"dim_after", "off_after", "off_after_usb"}) {
    CAPTURE(name);
    CHECK(set(settings, name, "10").empty());
    CHECK(shown_setting(settings, name) == "10");
    CHECK(set(settings, name, "86400").empty());
    CHECK(shown_setting(settings, name) == "86400");
    for (const char* const wrong :
         {"", "9", "0", "86401", "999999", "-60", "1e3", "60 ", "Never"}) {
      CAPTURE(wrong);
      CHECK_FALSE(set(settings, name, wrong).empty());
    }
    CHECK(shown_setting(settings, name) == "86400");
    CHECK(set(settings, name, "never").empty());
    CHECK(shown_setting(settings, name) == "never");
  }
  CHECK(settings.power.dim_after_s == 0);
  CHECK(set(settings, "off_after", "120").empty());
  CHECK(settings.power.off_after_s == 120);
  CHECK(set(settings, "clock", "off").empty());
  CHECK_FALSE(settings.clock);
  CHECK_FALSE(set(settings, "clock", "12h").empty());
}

}  // namespace
}  // namespace lobug
