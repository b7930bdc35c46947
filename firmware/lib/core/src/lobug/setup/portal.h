// The captive portal's pages and forms, without a web server.
#pragma once

#include <cstddef>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/setup/settings.h"

namespace lobug {

/// One form field, decoded. False when the body has none of that name, or it does not fit (then
/// `length` is -1).
bool form_value(std::string_view body, std::string_view name, Span<char> into, int& length);

/// Takes the whole form over into the settings, or nothing of it: the first error is returned.
SettingResult apply_form(Settings& settings, std::string_view body);

/// The page, in pieces: `part` counts from 0; returns the length, 0 after the last. Networks are
/// names that a scan found, one on each line. Every name is escaped for HTML.
std::size_t portal_page(unsigned part, const Settings& settings, std::string_view networks,
                        std::string_view error, Span<char> into);

/// Whether a DNS query (the whole datagram) asks for an address; writes the answer that points to
/// `address` (4 bytes) and returns its length, 0 for what is not answered.
std::size_t answer_dns(Bytes query, const std::uint8_t address[4], MutableBytes answer);

}  // namespace lobug
