#include <doctest/doctest.h>

#include <string>

#include "lobug/language/phrases.h"
#include "lobug/setup/ca_reader.h"
#include "setup/sample_ca.h"

namespace lobug {
namespace {

/// What is kept of a text; the error when it is refused.
std::string kept(std::string_view text) {
  Text<2048> ca;
  CaReader reader(&ca);
  reader.add(text);
  const Phrase error = reader.finish();
  CaReader checker(nullptr);  // only looking comes to the same
  checker.add(text);
  CHECK(checker.finish() == error);
  if (error != Phrase::kNone) {
    CHECK(ca.empty());
    return std::string(english()[error]);
  }
  return std::string(ca.view());
}

bool is_refused(std::string_view text) { return kept(text).substr(0, 5) != "-----"; }

std::string with(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST_CASE("a PEM is kept, and kept again it is the same") {
  const std::string ca = sample_ca(12);
  CHECK(kept(ca) == ca);
  CHECK(kept(ca + ca) == ca + ca);  // a CA and the one above it
}

TEST_CASE("line ends come as browsers, terminals and clipboards make them") {
  const std::string ca = sample_ca(3);
  CHECK(kept(with(ca, "\n", "\r\n")) == ca);
  CHECK(kept(with(ca, "\n", "\\n")) == ca);
  CHECK(kept(with(ca, "\n", "\\r\\n")) == ca);
  CHECK(kept(with(ca, "\n", "  \n\n   ")) == ca);
  CHECK(kept(ca.substr(0, ca.size() - 1)) == ca);  // without the last one
}

TEST_CASE("what stands around a certificate is left out") {
  const std::string ca = sample_ca(2);
  CHECK(kept("Certificate:\n    Data: my own CA\n" + ca + "\nthat was it") == ca);
  CHECK(kept(std::string(5000, 'x') + "\n" + ca) == ca);
}

TEST_CASE("padding is at the end of the base64") {
  const auto pem = [](const std::string& body) {
    return "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n";
  };
  CHECK(kept(pem("AAA=")) == pem("AAA="));
  CHECK(kept(pem("AA==")) == pem("AA=="));
  CHECK(is_refused(pem("A===")));
  CHECK(is_refused(pem("A=AA")));
  CHECK(is_refused(pem("AA-_")));
  CHECK(is_refused(pem("AAAA BBBB")));
  CHECK(is_refused(pem("AA\\A")));
  CHECK(is_refused(pem("\xC3\xA4")));
  CHECK(is_refused(pem(std::string("AA\0A", 4))));
  CHECK(is_refused(pem("")));
}

TEST_CASE("what is no certificate is refused with a sentence that says what one is") {
  for (const char* const text :
       {"", "none of it", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nAAAA",
        "AAAA\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE----- AAAA -----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----BEGIN CERTIFICATE-----\nAAAA\n"
        "-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"}) {
    CAPTURE(text);
    CHECK(kept(text).find("BEGIN CERTIFICATE") != std::string::npos);
    CHECK(is_refused(text));
  }
  CHECK(is_refused(sample_ca(2) + "-----BEGIN CERTIFICATE-----\nAAAA"));  // the second is cut off
}

TEST_CASE("a private key is refused by name, whatever else is wrong") {
  const std::string key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
  CHECK(kept(key).find("private key") != std::string::npos);
  CHECK(kept(sample_ca(2) + key).find("private key") != std::string::npos);
  CHECK(kept(sample_ca(40) + key).find("private key") != std::string::npos);
}

TEST_CASE("a CA of exactly 2,048 characters fits, one more does not") {
  std::string ca = sample_ca(30);  // 2,004
  ca.insert(ca.size() - 26, std::string(43, 'A') + "\n");
  REQUIRE(ca.size() == 2048);
  CHECK(kept(ca) == ca);
  ca.insert(ca.size() - 27, "A");
  CHECK(kept(ca).find("too long") != std::string::npos);
  CHECK(kept(sample_ca(1000)).find("too long") != std::string::npos);
}

TEST_CASE("a line of base64 has at most 80 characters") {
  const auto pem = [](std::size_t length) {
    return "-----BEGIN CERTIFICATE-----\n" + std::string(length, 'A') +
           "\n-----END CERTIFICATE-----\n";
  };
  CHECK_FALSE(is_refused(pem(80)));
  CHECK(is_refused(pem(81)));
  CHECK(is_refused(pem(100000)));
}

}  // namespace
}  // namespace lobug
