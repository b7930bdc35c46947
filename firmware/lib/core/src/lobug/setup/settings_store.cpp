// Settings in a Store: what is written, in which order, and what is valid when it is read.
#include <array>
#include <cstddef>

#include "lobug/setup/ca_reader.h"
#include "lobug/setup/settings.h"

namespace lobug {
namespace {

constexpr std::string_view kClientId = "client_id";
constexpr std::string_view kToken = "token";
constexpr std::string_view kTokenServer = "token_server";
// The key and its server in one text, with a space between them, so that they are never of two.
constexpr std::string_view kUpdateKey = "update_key";
constexpr std::size_t kLongestUpdateKey = decltype(Settings::update_key)::capacity() + 1 +
                                          decltype(Settings::update_key_server)::capacity();

// A CA is kept in pieces: NVS wants a text in one stretch of a 4 KB page, and no function here
// needs a large stack. A piece that is not full is the last.
constexpr std::size_t kPiece = 512;
constexpr std::array<std::string_view, 4> kCaKeys = {"ca", "ca_2", "ca_3", "ca_4"};
static_assert(kCaKeys.size() * kPiece >= decltype(Settings::ca)::capacity());
static_assert(kClientId.size() <= 15 && kToken.size() <= 15 && kTokenServer.size() <= 15 &&
              kUpdateKey.size() <= 15 && kCaKeys.back().size() <= 15);

/// The text stored under a key; empty when it is longer than `N` bytes.
template <std::size_t N = kLongestValue>
class StoredText {
 public:
  StoredText(Store& store, std::string_view key)
      : size_(store.get(key, Span<char>(text_.data(), text_.size()))) {}
  bool is_there() const { return size_ >= 0; }
  std::string_view view() const {
    return {text_.data(), is_there() ? static_cast<std::size_t>(size_) : 0};
  }

 private:
  std::array<char, N> text_{};
  int size_;
};

/// Whether a text can be sent in an HTTP header: visible ASCII.
bool is_visible(std::string_view text) {
  for (const char c : text) {
    if (c <= ' ' || c > '~') return false;
  }
  return !text.empty();
}

/// An empty text is erased.
template <std::size_t N = kLongestValue>
bool write(Store& store, std::string_view key, std::string_view text) {
  const StoredText<N> stored(store, key);
  if (text.empty()) return !stored.is_there() || store.erase(key);
  if (stored.is_there() && stored.view() == text) return true;
  return store.put(key, text);
}

std::string_view ca_piece(const Settings& settings, std::size_t index) {
  const std::string_view ca = settings.ca;
  return index * kPiece < ca.size() ? ca.substr(index * kPiece, kPiece) : std::string_view();
}

bool ca_is_stored(Store& store, const Settings& settings) {
  for (std::size_t index = 0; index < kCaKeys.size(); ++index) {
    if (StoredText<kPiece>(store, kCaKeys[index]).view() != ca_piece(settings, index)) return false;
  }
  return true;
}

/// The first piece is erased first and written last: without it there is no CA.
bool save_ca(Store& store, const Settings& settings) {
  if (ca_is_stored(store, settings)) return true;
  if (!write<kPiece>(store, kCaKeys[0], "")) return false;
  for (std::size_t index = kCaKeys.size() - 1; index > 0; --index) {
    if (!write<kPiece>(store, kCaKeys[index], ca_piece(settings, index))) return false;
  }
  return write<kPiece>(store, kCaKeys[0], ca_piece(settings, 0));
}

void load_ca(Store& store, Settings& settings) {
  for (const std::string_view key : kCaKeys) {
    const StoredText<kPiece> piece(store, key);
    settings.ca.append(piece.view());
    if (piece.view().size() < kPiece) break;
  }
  CaReader reader(nullptr);
  reader.add(settings.ca);
  if (reader.finish() != Phrase::kNone) settings.ca.clear();
}

void load_client(Store& store, Settings& settings) {
  settings.client_id.clear();
  const StoredText<> client(store, kClientId);
  if (is_visible(client.view()) && !settings.client_id.assign(client.view())) {
    settings.client_id.clear();
  }
}

/// The token is erased before its server changes, and written after it.
bool save_token(Store& store, const Settings& settings) {
  const bool same = StoredText<>(store, kToken).view() == settings.token.view() &&
                    StoredText<>(store, kTokenServer).view() == settings.token_server.view();
  return same || (write(store, kToken, "") && write(store, kTokenServer, settings.token_server) &&
                  write(store, kToken, settings.token));
}

void load_token(Store& store, Settings& settings) {
  settings.token.clear();
  settings.token_server.clear();
  const StoredText<> token(store, kToken);
  const StoredText<> server(store, kTokenServer);
  if (!is_visible(token.view()) || !is_visible(server.view())) return;
  if (settings.token.assign(token.view()) && settings.token_server.assign(server.view())) return;
  settings.token.clear();
  settings.token_server.clear();
}

bool save_update_key(Store& store, const Settings& settings) {
  Text<kLongestUpdateKey> text(settings.update_key);
  if (!text.empty()) {
    text.append(' ');
    text.append(settings.update_key_server);
  }
  return write<kLongestUpdateKey>(store, kUpdateKey, text);
}

void load_update_key(Store& store, Settings& settings) {
  settings.update_key.clear();
  settings.update_key_server.clear();
  const StoredText<kLongestUpdateKey> stored(store, kUpdateKey);
  const std::string_view key = stored.view().substr(0, decltype(Settings::update_key)::capacity());
  const std::string_view rest = stored.view().substr(key.size());
  const bool has_server = !rest.empty() && rest.front() == ' ' && is_visible(rest.substr(1));
  if (!is_visible(key) || !has_server) return;
  if (settings.update_key_server.assign(rest.substr(1))) settings.update_key.assign(key);
}

}  // namespace

Settings load_settings(Store& store) {
  Settings settings;
  load_settings(store, settings);
  return settings;
}

void load_settings(Store& store, Settings& settings) {
  for (const SettingInfo& info : describe_settings()) {
    assign_setting(settings, info.name, info.standard);
    if (info.name == kCaKeys[0]) continue;
    const StoredText<> stored(store, info.name);
    if (stored.is_there() && check_setting(info.name, stored.view()) == Phrase::kNone) {
      assign_setting(settings, info.name, stored.view());
    }
  }
  load_ca(store, settings);
  load_client(store, settings);
  load_token(store, settings);
  load_update_key(store, settings);
}

bool save_setting(Store& store, const Settings& settings, std::string_view name) {
  if (name == kCaKeys[0]) return save_ca(store, settings);
  for (const SettingInfo& info : describe_settings()) {
    if (info.name != name) continue;
    const Text<160> text = setting_text(settings, name);
    // Default values need not be written.
    const bool standard = text == info.standard && !StoredText<>(store, name).is_there();
    return standard || write(store, name, text);
  }
  return false;
}

bool save_identity(Store& store, const Settings& settings) {
  const bool saved = write(store, kClientId, settings.client_id);
  const bool key_saved = save_update_key(store, settings);
  return save_token(store, settings) && key_saved && saved;
}

bool save_settings(Store& store, const Settings& settings) {
  bool saved = true;
  for (const SettingInfo& info : describe_settings()) {
    if (!save_setting(store, settings, info.name)) saved = false;
  }
  return save_identity(store, settings) && saved;
}

}  // namespace lobug
