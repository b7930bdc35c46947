// What each setting may be: shared by the store, the form and the serial commands.
#pragma once

#include <cstddef>
#include <string_view>

#include "lobug/setup/settings.h"

namespace lobug {

/// The longest value of a setting that is not the CA, characters as they are typed.
constexpr std::size_t kLongestValue = 200;

/// The value by itself, without regard to the others: empty when it is good, else a sentence.
std::string_view check_setting(std::string_view name, std::string_view value);
/// Takes over what `check_setting` found good.
void assign_setting(Settings& settings, std::string_view name, std::string_view value);
/// As it is stored and as `assign_setting` takes it, the password too; not for the CA.
Text<160> setting_text(const Settings& settings, std::string_view name);
/// Whether a value of "server" asks for TLS.
bool asks_for_tls(std::string_view server);

}  // namespace lobug
