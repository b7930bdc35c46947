// The captive portal's pages and forms, without a web server.
//
// Who may change the settings this way: whoever is on the device's own access point while the
// device is in setup, which is when no Wi-Fi is set or the owner asks for it on the screen. The
// portal runs at no other time and in no other network, so that no page that the owner visits
// elsewhere can reach it: there is no session to steal and nothing to forge a request to. A web
// server around it should still refuse a POST whose `Origin` is another than the device's own
// address, since a phone may be in two networks at once. Secrets go in and never come out.
#pragma once

#include <cstddef>
#include <string_view>

#include "lobug/base/span.h"
#include "lobug/setup/settings.h"

namespace lobug {

/// One form field, decoded; of several of a name the first. False when the body has none of that
/// name (`length` is 0), or it does not fit (then `length` is -1).
bool form_value(std::string_view body, std::string_view name, Span<char> into, int& length);

/// Applies the whole form to the settings, or nothing of it: the first error is returned.
/// Fields are named like the settings; a missing field leaves its setting unchanged, and so do an
/// empty `ca` and an empty `wifi_password` of the same network. `forget_ca` (with any value) takes
/// the CA away.
SettingResult apply_form(Settings& settings, std::string_view body);

/// Room that the longest piece of a page needs, bytes.
constexpr std::size_t kPortalPiece = 1280;

/// The page, in pieces: `part` counts from 0; returns the length, 0 after the last (or when `into`
/// is smaller than `kPortalPiece`). Networks are names that a scan found, one on each line, of
/// which 32 are shown. Every name is escaped for HTML. An error is shown above the form. The
/// page is in the settings' language.
std::size_t portal_page(unsigned part, const Settings& settings, std::string_view networks,
                        Phrase error, Span<char> into);
/// Like `portal_page`: the page after the form was applied.
std::size_t portal_saved(unsigned part, Language language, Span<char> into);

/// Whether the `Host` of a request names the device. `own` is "192.168.4.1" for port 80, which may
/// be given or not, and "192.168.4.1:8080" for another. A request without a `Host` is
/// accepted.
bool is_own_host(std::string_view host, std::string_view own);

/// Answers a DNS query (the whole datagram): IPv4 is asked for, it points to `address` (4 bytes);
/// IPv6, there is none; anything else is refused. Returns the answer's length (at most 16 more than
/// the query's); 0 when it is not a query and gets no answer.
std::size_t answer_dns(Bytes query, const std::uint8_t address[4], MutableBytes answer);

}  // namespace lobug
