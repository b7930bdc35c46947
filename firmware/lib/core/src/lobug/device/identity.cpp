#include "lobug/device/identity.h"

#include <array>
#include <cinttypes>
#include <cstdio>

#include "lobug/sentences.h"

namespace lobug {
namespace {

/// A random UUID (RFC 9562, version 4).
Text<36> new_client_id(Random& random) {
  std::array<std::uint32_t, 4> bits{};
  for (std::uint32_t& word : bits) word = random.next();
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(),
                "%08" PRIx32 "-%04" PRIx32 "-4%03" PRIx32 "-%04" PRIx32 "-%04" PRIx32 "%08" PRIx32,
                bits[0], bits[1] >> 16U, bits[1] & 0xFFFU, ((bits[2] >> 16U) & 0x3FFFU) | 0x8000U,
                bits[2] & 0xFFFFU, bits[3]);
  return Text<36>(text.data());
}

}  // namespace

void Identity::ensure_client_id() {
  if (!settings_.client_id.empty()) return;
  settings_.client_id = new_client_id(platform_.random);
  save_identity(platform_.store, settings_);
}

std::string_view Identity::server_name() const {
  return settings_.server.empty() ? std::string_view("mdns") : settings_.server.view();
}

std::string_view Identity::token() const {
  return settings_.token_server == server_name() ? settings_.token.view() : std::string_view();
}

void Identity::keep_token(std::string_view token) {
  settings_.token.assign(token);
  settings_.token_server.assign(server_name());
  if (!save_identity(platform_.store, settings_)) platform_.system.log(sentences::kTokenNotSaved);
}

void Identity::forget_token() {
  settings_.token.clear();
  settings_.token_server.clear();
  save_identity(platform_.store, settings_);
}

void Identity::unpair() {
  settings_.client_id = new_client_id(platform_.random);
  forget_token();
}

std::string_view Identity::update_key() const {
  return settings_.update_key_server == server_name() ? settings_.update_key.view()
                                                      : std::string_view();
}

void Identity::keep_update_key(std::string_view key) {
  if (key.empty() || !update_key().empty()) return;
  settings_.update_key.assign(key);
  settings_.update_key_server.assign(server_name());
  if (!save_identity(platform_.store, settings_)) {
    platform_.system.log(sentences::kUpdateKeyNotSaved);
  }
}

void Identity::forget_update_key() {
  settings_.update_key.clear();
  settings_.update_key_server.clear();
  save_identity(platform_.store, settings_);
}

Introduction Identity::introduction() const {
  return Introduction{platform_.system.device_id(), settings_.client_id.view(),
                      platform_.system.board(), platform_.firmware.running_version(),
                      platform_.system.free_memory()};
}

HttpRequest Identity::request(std::string_view method, std::string_view path) const {
  HttpRequest request;
  request.method = method;
  request.path = path;
  request.token = token();
  request.device_id = platform_.system.device_id();
  request.client_id = settings_.client_id.view();
  request.user_agent = platform_.system.board();
  return request;
}

}  // namespace lobug
