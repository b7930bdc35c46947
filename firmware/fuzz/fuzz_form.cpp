// The portal's form: what is taken over is valid, comes back from the store, and shows on a page
// without breaking it; what is refused changes nothing.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lobug/net/url.h"
#include "lobug/setup/portal.h"
#include "lobug/setup/settings.h"
#include "support/memory_store.h"

namespace {

using lobug::Settings;

void demand(bool holds) {
  if (!holds) std::abort();
}

bool same(const Settings& left, const Settings& right) {
  return left.wifi_name == right.wifi_name.view() &&
         left.wifi_password == right.wifi_password.view() && left.server == right.server.view() &&
         left.ca == right.ca.view() && left.talk_mode == right.talk_mode &&
         left.volume == right.volume && left.brightness == right.brightness &&
         left.captions == right.captions && left.light == right.light &&
         left.language == right.language && left.client_id == right.client_id.view() &&
         left.token == right.token.view() && left.token_server == right.token_server.view();
}

void check_valid(const Settings& settings) {
  demand(settings.volume <= 100 && settings.brightness >= 1 && settings.brightness <= 100);
  demand(settings.talk_mode <= lobug::TalkMode::kWakeWord);
  for (const char character : settings.wifi_name.view()) {
    demand(static_cast<unsigned char>(character) >= 0x20);
  }
  if (!settings.server.empty()) {
    lobug::Url url;
    demand(lobug::parse_url(settings.server, url));
    demand(settings.server.view().find('?') == std::string_view::npos);
    demand(!url.endpoint.tls || !settings.ca.empty());  // never https without a CA
  }
}

/// All pieces of the page; nothing of a value that means anything to HTML may be in it.
std::string page(const Settings& settings, std::string_view networks, lobug::Phrase error) {
  std::string html;
  std::array<char, lobug::kPortalPiece> piece;
  for (unsigned part = 0;; ++part) {
    demand(part < 64);
    const std::size_t length = lobug::portal_page(part, settings, networks, error,
                                                  lobug::Span<char>(piece.data(), piece.size()));
    if (length == 0) {
      demand(html.size() > 7 && html.compare(html.size() - 7, 7, "</html>") == 0);
      return html;
    }
    html.append(piece.data(), length);
  }
}

std::size_t count_of(std::string_view html, char character) {
  std::size_t count = 0;
  for (const char other : html) count += other == character ? 1U : 0U;
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  Settings before;
  before.wifi_name = lobug::Text<32>("Home");
  before.wifi_password = lobug::Text<64>("old password");
  before.token = lobug::Text<128>("lobug_secret");
  before.token_server = lobug::Text<160>("http://desk:8321");
  Settings after = before;
  const lobug::SettingResult result = lobug::apply_form(after, body);
  demand(result.ok == (result.error == lobug::Phrase::kNone));
  if (result.ok) {
    check_valid(after);
    demand(after.token == "lobug_secret" && after.token_server == "http://desk:8321");
    Settings again = after;  // the same form a second time changes nothing more
    demand(lobug::apply_form(again, body).ok && same(again, after));
    lobug::MemoryStore store;
    demand(lobug::save_settings(store, after) && !store.bad_key);
    demand(same(lobug::load_settings(store), after));
  } else {
    demand(same(after, before));
  }

  // The page has as many tags and quotes as with harmless words.
  const std::size_t half = size / 2;
  std::string harmless;
  for (const char character : body.substr(0, half)) harmless += character == '\n' ? '\n' : 'x';
  // (A last CR of a line is no part of a name.)
  if (body.find('\r') == std::string_view::npos) {
    Settings plain = after;
    plain.wifi_name = lobug::Text<32>("x");
    const std::string mine = page(after, body.substr(0, half), result.error);
    const std::string theirs = page(plain, harmless, result.error);
    for (const char mark : {'<', '>', '"'}) demand(count_of(mine, mark) == count_of(theirs, mark));
  }
  // Nothing of a secret is on a page: with others it is the same.
  Settings hidden = after;
  if (!hidden.wifi_password.empty()) hidden.wifi_password = lobug::Text<64>("open the door");
  hidden.token = lobug::Text<128>("lobug_hidden");
  demand(page(after, "", lobug::Phrase::kNone) == page(hidden, "", lobug::Phrase::kNone));

  // A field fits in exactly as many bytes as it has, and into none less.
  std::array<char, 64> value{};
  int length = 0;
  if (lobug::form_value(body, "a", lobug::Span<char>(value.data(), value.size()), length)) {
    demand(length >= 0 && length <= 64);
    const auto room = static_cast<std::size_t>(length);
    int other = 0;
    demand(lobug::form_value(body, "a", lobug::Span<char>(value.data(), room), other));
    demand(other == length);
    if (room > 0) {
      demand(!lobug::form_value(body, "a", lobug::Span<char>(value.data(), room - 1), other));
      demand(other == -1);
    }
  }
  return 0;
}
