#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "lobug/setup/portal.h"
#include "setup/sample_ca.h"
#include "support/text.h"

namespace lobug {
namespace {

std::string page(const Settings& settings, std::string_view networks = "",
                 Phrase error = Phrase::kNone) {
  std::string html;
  unsigned part = 0;
  while (true) {
    std::vector<char> into(kPortalPiece, '#');  // its own, so that a sanitizer sees its end
    const std::size_t size =
        portal_page(part, settings, networks, error, Span<char>(into.data(), into.size()));
    REQUIRE(size <= kPortalPiece);
    if (size == 0) return html;
    html.append(into.data(), size);
    ++part;
    REQUIRE(part < 100);
  }
}

std::size_t count_of(const std::string& html, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = html.find(text); at != std::string::npos; at = html.find(text, at + 1)) {
    ++count;
  }
  return count;
}

/// Every element that is opened is closed, in the right order.
void check_nesting(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find_first_of(" >", at);
    REQUIRE(end != std::string::npos);
    const std::string tag = html.substr(at + 1, end - at - 1);
    const std::size_t list = html.rfind("<datalist", at);
    const bool in_list = list != std::string::npos && html.find("</datalist", list) > at;
    if (tag == "!doctype" || tag == "meta" || tag == "input" || (tag == "option" && in_list)) {
      continue;
    }
    if (tag[0] == '/') {
      REQUIRE_FALSE(open.empty());
      CHECK(open.back() == tag.substr(1));
      open.pop_back();
    } else {
      open.push_back(tag);
    }
  }
  CHECK(open.empty());
}

TEST_CASE("the page is whole, for phones, and asks nobody else for anything") {
  const std::string html = page(Settings());
  CHECK(html.substr(0, 15) == "<!doctype html>");
  check_nesting(html);
  CHECK(has(html, "name=\"viewport\""));
  CHECK(has(html, "charset=\"utf-8\""));
  CHECK(has(html, "<form method=\"post\" action=\"/\""));
  for (const char* const other : {"<script", "src=", "href=", "@import", "url(", "<link", "//"}) {
    CAPTURE(other);
    const std::string without_example = html.substr(0, html.find("http://192.168.1.5"));
    CHECK_FALSE(has(without_example, other));
  }
  CHECK(count_of(html, "http") == 3);  // words about https, twice, and the example
  for (const SettingInfo& info : describe_settings()) {
    CAPTURE(std::string(info.name));
    CHECK(count_of(html, "name=\"" + std::string(info.name) + "\"") == 1);
  }
  // Each label belongs to a field.
  CHECK(count_of(html, "<label for=") == 18);
  CHECK(count_of(html, " id=\"") == 19);  // those, and the list of networks
}

TEST_CASE("it shows what is set, but no secret") {
  Settings settings;
  settings.wifi_name = Text<32>("My Home");
  settings.wifi_password = Text<64>("geheim geheim");
  settings.server = Text<160>("https://desk:8321");
  settings.ca = Text<2048>(sample_ca(3, 'Q'));
  settings.talk_mode = TalkMode::kConversation;
  settings.volume = 33;
  settings.brightness = 44;
  settings.captions = false;
  settings.light = LightKind::kM5go;
  settings.body = BodyKind::kPortC;
  settings.calibration = {{-30, 120}, true};
  settings.language = Language::kGerman;
  settings.token = Text<128>("lobug_secret");
  settings.client_id = Text<36>("5e5c5a0c-0000-4000-8000-000000000001");
  const std::string html = page(settings);
  check_nesting(html);
  CHECK(has(html, "value=\"My Home\""));
  CHECK(has(html, "value=\"https://desk:8321\""));
  CHECK(has(html, "<option value=\"conversation\" selected>"));
  CHECK(has(html, "<option value=\"off\" selected>"));
  CHECK(has(html, "<option value=\"m5go\" selected>"));
  CHECK(count_of(html, " selected") == 7);
  CHECK(has(html, "<option value=\"port_c\" selected>"));
  CHECK(has(html, "max=\"30\" value=\"-3\""));
  CHECK(has(html, "max=\"30\" value=\"12\""));
  CHECK(has(html, "<html lang=\"de\">"));
  CHECK(has(html, "<option value=\"de\" selected>Deutsch</option>"));
  CHECK(has(html, "<h1>Hallo, ich bin Lo-Bug</h1>"));
  CHECK(has(html, "max=\"100\" value=\"33\""));
  CHECK(has(html, "max=\"100\" value=\"44\""));
  CHECK(has(html, "name=\"forget_ca\""));
  CHECK_FALSE(has(html, "geheim"));
  CHECK_FALSE(has(html, "lobug_secret"));
  CHECK_FALSE(has(html, "QQQQ"));
  CHECK_FALSE(has(html, "5e5c5a0c"));
  CHECK_FALSE(has(page(Settings()), "forget_ca"));
}

TEST_CASE("networks are offered, up to 32 of them") {
  const std::string html = page(Settings(), "Home\nCafe 24/7\r\n\nLast");
  CHECK(has(html,
            "<datalist id=\"l\"><option value=\"Home\"><option value=\"Cafe 24/7\">"
            "<option value=\"Last\"></datalist>"));
  std::string many;
  for (int i = 0; i < 50; ++i) many += "net" + std::to_string(i) + "\n";
  const std::string full = page(Settings(), many);
  CHECK(has(full, "\"net31\""));
  CHECK_FALSE(has(full, "\"net32\""));
  check_nesting(full);
  // What is too long for a Wi-Fi's name is none.
  CHECK(has(page(Settings(), std::string(33, 'x') + "\nHome"),
            "<datalist id=\"l\"><option value=\"Home\"></datalist>"));
}

TEST_CASE("names that strangers chose stay text") {
  const std::string evil = "\"><script>alert('x')</script>&amp;";
  REQUIRE(evil.size() <= 34);
  const std::string name = evil.substr(0, 32);
  Settings settings;
  settings.wifi_name = Text<32>(name);
  const std::string html = page(settings, name + "\n\x01\x1B[0m\x7F-ok");
  check_nesting(html);
  CHECK_FALSE(has(html, "<script"));
  CHECK_FALSE(has(html, "alert('"));
  CHECK(count_of(html, "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;") == 2);
  CHECK(has(html, "<option value=\"[0m-ok\">"));  // control characters are left out
}

TEST_CASE("an error stands above the form; without one there is no banner") {
  const std::string html = page(Settings(), "", Phrase::kWifiNameMissing);
  const std::size_t banner =
      html.find("class=\"error\" role=\"alert\">The Wi-Fi needs a name.</p>");
  REQUIRE(banner != std::string::npos);
  CHECK(banner < html.find("<form"));
  CHECK_FALSE(has(page(Settings()), "role=\"alert\""));
}

TEST_CASE("every piece fits, whatever is in it") {
  Settings settings;
  settings.wifi_name = Text<32>(std::string(32, '"'));
  settings.wifi_password = Text<64>(std::string(64, '"'));
  settings.server = Text<160>(std::string(160, '"'));
  settings.ca = Text<2048>(sample_ca(3));
  for (const Language language : {Language::kEnglish, Language::kGerman, Language::kSpanish}) {
    settings.language = language;
    const std::string html = page(settings, std::string(32, '\''), Phrase::kCaPrivateKey);
    check_nesting(html);
    CHECK(count_of(html, "&quot;") == 32 + 160);
    CHECK(has(html, "</html>"));
  }
  std::vector<char> small(kPortalPiece - 1);
  CHECK(portal_page(0, settings, "", Phrase::kNone, Span<char>(small.data(), small.size())) == 0);
}

TEST_CASE("the page after saving is whole too") {
  std::vector<char> into(kPortalPiece);
  std::string html;
  for (unsigned part = 0;; ++part) {
    const std::size_t size =
        portal_saved(part, Language::kEnglish, Span<char>(into.data(), into.size()));
    if (size == 0) break;
    html.append(into.data(), size);
    REQUIRE(part < 10);
  }
  CHECK(has(html, "<h1>Saved</h1>"));
  check_nesting(html);
}

TEST_CASE("port 80 may be said or not") {
  for (const std::string_view host : {"192.168.4.1", "192.168.4.1:80", ""}) {
    CAPTURE(host);
    CHECK(is_own_host(host, "192.168.4.1"));
  }
}

TEST_CASE("another port has to be said") {
  CHECK(is_own_host("192.168.4.1:8080", "192.168.4.1:8080"));
  for (const std::string_view host : {"192.168.4.1", "192.168.4.1:80", "192.168.4.1:8080:80"}) {
    CAPTURE(host);
    CHECK_FALSE(is_own_host(host, "192.168.4.1:8080"));
  }
}

TEST_CASE("whom else a request may be for") {
  for (const std::string_view host :
       {"nmcheck.gnome.org", "captive.apple.com", "192.168.4.10", "192.168.4.", "192.168.4.1.",
        "192.168.4.1.example.org", "192.168.4.1:", "192.168.4.1:8", "192.168.4.1:8080",
        "192.168.4.1:80 ", "192.168.4.1/", "1192.168.4.1", ":80", "[::1]:80", "lo-bug.local"}) {
    CAPTURE(host);
    CHECK_FALSE(is_own_host(host, "192.168.4.1"));
  }
}

}  // namespace
}  // namespace lobug
