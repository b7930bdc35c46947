#include "lobug/update/signature.h"

#include <array>
#include <cstddef>

#include "lobug/base/text.h"

namespace lobug {
namespace {

Text<10> decimal(std::uint32_t number) {
  std::array<char, 10> digits{};
  std::size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  Text<10> text;
  while (count > 0) text.append(digits[--count]);
  return text;
}

}  // namespace

std::string_view name_of(SignatureFault fault) {
  switch (fault) {
    case SignatureFault::kNone:
      return "";
    case SignatureFault::kNoKey:
      return "no_key";
    case SignatureFault::kUnsigned:
      return "unsigned";
    case SignatureFault::kWrong:
      return "wrong_signature";
  }
  return "";
}

Text<256> signed_message(const FirmwareOffer& offer, const UpdateTrust& trust) {
  const Text<10> size = decimal(offer.size);
  const std::array<std::string_view, 7> fields = {"lobug firmware update 1",
                                                  trust.board,
                                                  offer.version.view(),
                                                  size.view(),
                                                  offer.sha256.view(),
                                                  offer.force ? "force" : "newer",
                                                  trust.nonce};
  Text<256> message;
  for (const std::string_view field : fields) {
    if (!message.append(field) || !message.append('\n')) return {};
  }
  return message;
}

SignatureFault check_signature(const FirmwareOffer& offer, const UpdateTrust& trust,
                               Crypto& crypto) {
  Ed25519Key key{};
  if (!parse_hex(trust.key, {key.data(), key.size()})) return SignatureFault::kNoKey;
  Ed25519Signature signature{};
  if (!parse_hex(offer.signature, {signature.data(), signature.size()})) {
    return SignatureFault::kUnsigned;
  }
  const Text<256> message = signed_message(offer, trust);
  const Bytes bytes(reinterpret_cast<const unsigned char*>(message.c_str()), message.size());
  const bool valid =
      !message.empty() && !trust.nonce.empty() && crypto.ed25519_verify(key, bytes, signature);
  return valid ? SignatureFault::kNone : SignatureFault::kWrong;
}

}  // namespace lobug
