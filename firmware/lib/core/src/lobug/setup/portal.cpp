// The setup page. No scripts and nothing external: a phone on the device's network has no internet.
#include "lobug/setup/portal.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "lobug/language/phrases.h"

namespace lobug {
namespace {

constexpr std::size_t kMostNetworks = 32;

constexpr std::string_view kHead =
    "\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
    "<title>";
constexpr std::string_view kStyle =
    "</title><style>"
    "body{font:1.05em/1.5 system-ui,sans-serif;max-width:28em;margin:0 auto;padding:1em;"
    "color:#222;background:#f6f4ef}"
    "label{display:block;margin:1em 0 .2em;font-weight:600}"
    "input,select,textarea,button{font:inherit;width:100%;box-sizing:border-box;padding:.5em;"
    "border:1px solid #999;border-radius:.4em;background:#fff;color:#222}"
    "input[type=checkbox]{width:auto}small{display:block;color:#555}"
    "button{margin:1.5em 0;background:#1d5c63;color:#fff;border:0;padding:.8em}"
    ".error{background:#fde2e0;border-left:.3em solid #b3261e;padding:.6em}"
    "</style></head><body>";

/// Writes one piece of the page; `size` is 0 when it did not fit.
class Piece {
 public:
  explicit Piece(Span<char> into) : into_(into) {}
  Piece& add(std::string_view html) {
    for (const char character : html) put(character);
    return *this;
  }
  /// Untrusted text, such as the names of networks nearby.
  Piece& escaped(std::string_view text) {
    for (const char character : text) {
      const auto code = static_cast<unsigned char>(character);
      if (character == '&') {
        add("&amp;");
      } else if (character == '<') {
        add("&lt;");
      } else if (character == '>') {
        add("&gt;");
      } else if (character == '"') {
        add("&quot;");
      } else if (character == '\'') {
        add("&#39;");
      } else if (code >= 0x20 && code != 0x7F) {
        put(character);
      }
    }
    return *this;
  }
  std::size_t size() const { return fits_ ? size_ : 0; }

 private:
  void put(char character) {
    if (size_ < into_.size()) {
      into_[size_++] = character;
    } else {
      fits_ = false;
    }
  }

  Span<char> into_;
  std::size_t size_ = 0;
  bool fits_ = true;
};

/// The `index`th network that can be shown; empty when there are not as many.
std::string_view network_at(std::string_view networks, std::size_t index) {
  while (!networks.empty()) {
    const std::size_t end = networks.find('\n');
    std::string_view name = networks.substr(0, end);
    if (!name.empty() && name.back() == '\r') name.remove_suffix(1);
    // A Wi-Fi's name is not longer.
    if (!name.empty() && name.size() <= 32 && index-- == 0) return name;
    if (end == std::string_view::npos) break;
    networks.remove_prefix(end + 1);
  }
  return {};
}

void add_option(Piece& piece, std::string_view value, std::string_view label, bool selected) {
  piece.add("<option value=\"").add(value).add(selected ? "\" selected>" : "\">");
  piece.add(label).add("</option>");
}

void head(Piece& piece, Language language) {
  piece.add("<!doctype html><html lang=\"").add(code_of(language)).add(kHead);
  piece.add(phrases_of(language)[Phrase::kPageTitle]).add(kStyle);
}

/// A label for the field with that id.
void label(Piece& piece, std::string_view id, std::string_view text) {
  piece.add("<label for=\"").add(id).add("\">").add(text).add("</label>");
}

void hint(Piece& piece, std::string_view text) { piece.add("<small>").add(text).add("</small>"); }

void language_field(Piece& piece, const Settings& settings, const Phrases& phrases) {
  label(piece, "a", phrases[Phrase::kPageLanguage]);
  piece.add("<select id=\"a\" name=\"language\">");
  for (std::uint8_t place = 0; place < kLanguageCount; ++place) {
    const auto language = static_cast<Language>(place);
    add_option(piece, code_of(language), name_of(language), settings.language == language);
  }
  piece.add("</select>");
}

void wifi_fields(Piece& piece, const Settings& settings, const Phrases& phrases) {
  label(piece, "n", phrases[Phrase::kPageWifi]);
  piece.add("<input id=\"n\" name=\"wifi_name\" list=\"l\" ")
      .add("maxlength=\"32\" required autocapitalize=\"none\" autocorrect=\"off\" value=\"")
      .escaped(settings.wifi_name)
      .add("\">");
  hint(piece, phrases[Phrase::kPageWifiHelp]);
  label(piece, "p", phrases[Phrase::kPagePassword]);
  piece.add("<input id=\"p\" name=\"wifi_password\" ")
      .add("type=\"password\" maxlength=\"64\" autocomplete=\"off\">");
  hint(piece, settings.wifi_password.empty() ? phrases[Phrase::kPagePasswordNone]
                                             : phrases[Phrase::kPagePasswordSet]);
}

void server_field(Piece& piece, const Settings& settings, const Phrases& phrases) {
  label(piece, "s", phrases[Phrase::kPageServer]);
  piece.add("<input id=\"s\" name=\"server\" ")
      .add("maxlength=\"160\" inputmode=\"url\" autocapitalize=\"none\" placeholder=\"auto\" ")
      .add("value=\"")
      .escaped(settings.server)
      .add("\">");
  hint(piece, phrases[Phrase::kPageServerHelp]);
}

void ca_field(Piece& piece, const Settings& settings, const Phrases& phrases) {
  piece.add("<details><summary>").add(phrases[Phrase::kPageHttps]).add("</summary>");
  label(piece, "c", phrases[Phrase::kPageCa]);
  piece.add("<textarea id=\"c\" name=\"ca\" rows=\"4\" spellcheck=\"false\" ")
      .add("placeholder=\"-----BEGIN CERTIFICATE-----\"></textarea>");
  hint(piece, settings.ca.empty() ? phrases[Phrase::kPageCaNone] : phrases[Phrase::kPageCaSet]);
  if (!settings.ca.empty()) {
    piece.add("<label><input type=\"checkbox\" name=\"forget_ca\" value=\"yes\"> ")
        .add(phrases[Phrase::kPageCaForget])
        .add("</label>");
  }
  piece.add("</details>");
}

void talk_fields(Piece& piece, const Settings& settings, const Phrases& phrases) {
  const TalkMode mode = settings.talk_mode;
  label(piece, "t", phrases[Phrase::kPageTalk]);
  piece.add("<select id=\"t\" name=\"talk_mode\">");
  add_option(piece, "tap", phrases[Phrase::kPageTalkTap], mode == TalkMode::kTap);
  add_option(piece, "conversation", phrases[Phrase::kPageTalkConversation],
             mode == TalkMode::kConversation);
  add_option(piece, "wake_word", phrases[Phrase::kPageTalkWakeWord], mode == TalkMode::kWakeWord);
  piece.add("</select>");
  label(piece, "w", phrases[Phrase::kPageCaptions]);
  piece.add("<select id=\"w\" name=\"captions\">");
  add_option(piece, "on", phrases[Phrase::kPageCaptionsOn], settings.captions);
  add_option(piece, "off", phrases[Phrase::kPageCaptionsOff], !settings.captions);
  piece.add("</select>");
  label(piece, "g", phrases[Phrase::kPageLight]);
  piece.add("<select id=\"g\" name=\"light\">");
  add_option(piece, "auto", phrases[Phrase::kPageLightAuto], settings.light == LightKind::kAuto);
  add_option(piece, "none", phrases[Phrase::kPageLightNone], settings.light == LightKind::kNone);
  add_option(piece, "m5go", phrases[Phrase::kPageLightM5go], settings.light == LightKind::kM5go);
  piece.add("</select>");
}

void offset_field(Piece& piece, std::string_view id, std::string_view name, std::string_view text,
                  const Settings& settings) {
  label(piece, id, text);
  piece.add("<input id=\"").add(id).add("\" name=\"").add(name);
  piece.add("\" type=\"number\" min=\"-30\" max=\"30\" value=\"");
  piece.add(shown_setting(settings, name)).add("\">");
}

void body_fields(Piece& piece, const Settings& settings, const Phrases& phrases) {
  constexpr Phrase kShown[] = {Phrase::kPageBodyAuto,  Phrase::kPageBodyNone,
                               Phrase::kPageBodyPortA, Phrase::kPageBodyPortC,
                               Phrase::kPageBodyM5Bus, Phrase::kPageBodyStackChan};
  label(piece, "q", phrases[Phrase::kPageBody]);
  piece.add("<select id=\"q\" name=\"body\">");
  for (std::size_t place = 0; place < std::size(kShown); ++place) {
    const bool selected = static_cast<std::size_t>(settings.body) == place;
    add_option(piece, kBodyNames[place], phrases[kShown[place]], selected);
  }
  piece.add("</select>");
  offset_field(piece, "x", "yaw_offset", phrases[Phrase::kPageYawOffset], settings);
  offset_field(piece, "y", "pitch_offset", phrases[Phrase::kPagePitchOffset], settings);
  label(piece, "z", phrases[Phrase::kPageYawReversed]);
  piece.add("<select id=\"z\" name=\"yaw_reversed\">");
  add_option(piece, "off", phrases[Phrase::kPageNo], !settings.calibration.yaw_reversed);
  add_option(piece, "on", phrases[Phrase::kPageYes], settings.calibration.yaw_reversed);
  piece.add("</select>");
}

void duration_field(Piece& piece, std::string_view id, std::string_view name, std::string_view text,
                    const Settings& settings) {
  label(piece, id, text);
  piece.add("<input id=\"").add(id).add("\" name=\"").add(name);
  piece.add("\" maxlength=\"5\" pattern=\"never|[0-9]{2,5}\" autocapitalize=\"none\" value=\"");
  piece.add(shown_setting(settings, name)).add("\">");
}

void screen_fields(Piece& piece, const Settings& settings, const Phrases& phrases) {
  label(piece, "k", phrases[Phrase::kPageClock]);
  piece.add("<select id=\"k\" name=\"clock\">");
  add_option(piece, "on", phrases[Phrase::kPageCaptionsOn], settings.clock);
  add_option(piece, "off", phrases[Phrase::kPageCaptionsOff], !settings.clock);
  piece.add("</select>");
  duration_field(piece, "d", "dim_after", phrases[Phrase::kPageDim], settings);
  duration_field(piece, "o", "off_after", phrases[Phrase::kPageOff], settings);
  duration_field(piece, "u", "off_after_usb", phrases[Phrase::kPageOffUsb], settings);
  hint(piece, phrases[Phrase::kPageSeconds]);
}

void level_fields(Piece& piece, const Settings& settings, const Phrases& phrases) {
  label(piece, "v", phrases[Phrase::kPageVolume]);
  piece.add("<input id=\"v\" name=\"volume\" type=\"range\" ")
      .add("min=\"0\" max=\"100\" value=\"")
      .add(shown_setting(settings, "volume"))
      .add("\">");
  label(piece, "b", phrases[Phrase::kPageBrightness]);
  piece.add("<input id=\"b\" name=\"brightness\" ")
      .add("type=\"range\" min=\"1\" max=\"100\" value=\"")
      .add(shown_setting(settings, "brightness"))
      .add("\"><button>")
      .add(phrases[Phrase::kPageSave])
      .add("</button></form></body></html>");
}

}  // namespace

std::size_t portal_page(unsigned part, const Settings& settings, std::string_view networks,
                        Phrase error, Span<char> into) {
  if (into.size() < kPortalPiece) return 0;
  Piece piece(into);
  const Phrases& phrases = phrases_of(settings.language);
  switch (part) {
    case 0:
      head(piece, settings.language);
      return piece.size();
    case 1:
      piece.add("<h1>").add(phrases[Phrase::kPageHello]).add("</h1>");
      if (error != Phrase::kNone) {
        piece.add("<p class=\"error\" role=\"alert\">").escaped(phrases[error]).add("</p>");
      }
      piece.add("<form method=\"post\" action=\"/\" accept-charset=\"utf-8\">");
      language_field(piece, settings, phrases);
      return piece.size();
    case 2:
      wifi_fields(piece, settings, phrases);
      return piece.size();
    case 3:
      piece.add("<datalist id=\"l\">");
      return piece.size();
    default:
      break;
  }
  const std::size_t index = part - 4;
  std::size_t count = 0;
  while (count < kMostNetworks && count <= index && !network_at(networks, count).empty()) ++count;
  if (index < count) {
    piece.add("<option value=\"").escaped(network_at(networks, index)).add("\">");
    return piece.size();
  }
  switch (index - count) {
    case 0:
      piece.add("</datalist>");
      break;
    case 1:
      server_field(piece, settings, phrases);
      break;
    case 2:
      ca_field(piece, settings, phrases);
      break;
    case 3:
      talk_fields(piece, settings, phrases);
      break;
    case 4:
      body_fields(piece, settings, phrases);
      break;
    case 5:
      screen_fields(piece, settings, phrases);
      break;
    case 6:
      level_fields(piece, settings, phrases);
      break;
    default:
      return 0;
  }
  return piece.size();
}

std::size_t portal_saved(unsigned part, Language language, Span<char> into) {
  if (into.size() < kPortalPiece || part > 1) return 0;
  Piece piece(into);
  if (part == 0) {
    head(piece, language);
  } else {
    const Phrases& phrases = phrases_of(language);
    piece.add("<h1>").add(phrases[Phrase::kPageSavedTitle]).add("</h1><p>");
    piece.add(phrases[Phrase::kPageSaved]).add("</p></body></html>");
  }
  return piece.size();
}

bool is_own_host(std::string_view host, std::string_view own) {
  constexpr std::string_view kHttpPort = ":80";
  if (host.empty() || host == own) return true;
  const bool at_http_port = own.find(':') == std::string_view::npos;
  return at_http_port && host.substr(0, own.size()) == own && host.substr(own.size()) == kHttpPort;
}

}  // namespace lobug
