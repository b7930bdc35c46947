// Discovery's replies: what is taken from them can go into headers and addresses as it is.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "lobug/json/reader.h"
#include "lobug/protocol/messages.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void require_word(std::string_view word) {
  for (const char c : word) require(c > ' ' && c <= '~');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> bytes(data, data + size);
  const std::string_view reply(bytes.data(), bytes.size());
  const lobug::Discovery read = lobug::read_discovery(reply);
  for (const std::string_view word :
       {read.code.view(), read.challenge.view(), read.websocket_url.view(), read.token.view(),
        read.firmware_version.view(), read.firmware_url.view(), read.firmware_sha256.view(),
        read.update_key.view(), read.firmware_signature.view()}) {
    require_word(word);
    require(read.ok || word.empty());
  }
  require(read.update_key.empty() || read.update_key.size() == 64);
  require(read.firmware_signature.empty() || read.firmware_signature.size() == 128);
  require(read.firmware_sha256.empty() || read.firmware_sha256.size() == 64);
  require(read.server_time_ms >= 0);
  require(!read.ok || lobug::json::parse(reply).type() == lobug::json::Type::kObject);
  // A token is the server's own word or none, never a part of it.
  const auto token = lobug::json::parse(reply).member("websocket").member("token");
  require(read.token.empty() || token.is(read.token));
  return 0;
}
