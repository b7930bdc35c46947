// How often a firmware was tried, so that one that is taken back is not fetched for ever.
#pragma once

#include <cstdint>
#include <string_view>

#include "lobug/ports/store.h"

namespace lobug {

/// An image can fail its trial because the server was away just then, so it has a second chance.
constexpr unsigned kMostAttempts = 2;

/// Whether an image may be tried (again): the first 24 digits of its SHA-256. Only images that were
/// noted and do not run count: ask only about what is worth taking.
bool may_attempt(Store& store, std::string_view image);
/// To be called when an image was activated, before the restart into it. False when it could not
/// be stored: restart anyway.
bool note_attempt(Store& store, std::string_view image);

}  // namespace lobug
