// What the owner's Wi-Fi does, and when the setup page is opened for it again.
#pragma once

#include <cstdint>

#include "lobug/base/clock.h"
#include "lobug/device/state_machine.h"
#include "lobug/protocol/report.h"

namespace lobug {

/// Counts refusals and measures absences of the Wi-Fi that is stored. It decides; the controller
/// changes the state.
class WifiWatch {
 public:
  static constexpr Millis kJoinMs = 30000;  ///< joining takes so long before it is a trouble
  /// Refusals in a row of a password that has never worked since the start: it is most likely
  /// mistyped.
  static constexpr std::uint8_t kRefusals = 3;
  /// A Wi-Fi that was never up since the start and is missing for so long most likely has a
  /// mistyped name, or the owner has moved.
  static constexpr Millis kMissingMs = 180000;
  static constexpr Millis kSetupMs = 600000;       ///< then the stored Wi-Fi is tried again
  static constexpr Millis kSetupGuestMs = 180000;  ///< what a guest on the page has at least
  static constexpr std::uint8_t kSetupStays = 30;  ///< extensions for guests

  bool is_up() const { return up_; }
  /// Times that it came back since the start.
  std::uint32_t reconnects() const { return reconnects_; }
  /// Why it was lost or could not be joined, since the start.
  const LossCounts& losses() const { return losses_; }

  /// The device starts to join; the setup page is closed.
  void join(Millis now);
  void went_up();
  /// `in_setup`: the setup page is open, where an absence does not count.
  void went_down(bool in_setup, Millis now);
  /// The driver's reason for a loss, or for a try that failed.
  void count_loss(std::uint8_t reason) { losses_.count(reason); }
  /// Counts a refusal of the password. True: open the setup page.
  bool password_refused();
  /// The owner stored settings. `same`: name and password are as before.
  void settings_changed(bool same);
  /// No Wi-Fi is stored any more.
  void removed() { missing_until_.clear(); }

  /// The setup page opens beside a stored Wi-Fi, which is tried again later.
  void setup_opened(Trouble why, Millis now);
  /// Whether there is a stored Wi-Fi to go back to from the setup page.
  bool setup_is_temporary() const { return setup_until_.is_set(); }
  bool setup_is_over(Millis now) const { return setup_until_.due(now); }
  /// The stored Wi-Fi came into range while the setup page is open. True: try it now, which is
  /// done once, and not for a Wi-Fi whose password was refused.
  bool seen_in_setup();
  /// A guest is on the setup page: it stays open a while longer, but not for ever, because a
  /// neighbour's phone may be the guest.
  void guest_in_setup(Millis now);

  bool join_is_late(Millis now) const { return join_until_.due(now); }
  /// True when the Wi-Fi is missing for so long that the setup page is to be opened.
  bool is_missing(Millis now) const { return missing_until_.due(now); }

 private:
  bool up_ = false;
  bool ever_up_ = false;
  std::uint32_t reconnects_ = 0;
  LossCounts losses_;
  bool was_up_ = false;                 ///< with the stored name and password, since the start
  std::uint8_t refusals_ = 0;           ///< of the password, in a row
  bool tried_as_seen_ = false;          ///< the setup page was left once because the Wi-Fi was seen
  Trouble setup_why_ = Trouble::kNone;  ///< why the setup page is open beside a stored Wi-Fi
  std::uint8_t setup_stays_ = 0;        ///< extensions that are left
  Deadline join_until_;
  Deadline missing_until_;  ///< set while a Wi-Fi that was never up is missing
  Deadline setup_until_;    ///< set while the setup page is open beside a stored Wi-Fi
};

}  // namespace lobug
