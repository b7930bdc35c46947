#include <doctest/doctest.h>

#include "lobug/update/updater.h"
#include "support/memory_store.h"
#include "support/scripted_slot.h"

namespace lobug {
namespace {

/// A device that has just started into a new image.
ScriptedSlot updated() {
  ScriptedSlot slot;
  slot.begin(4);
  slot.activate();
  slot.power_cycle();
  return slot;
}

TEST_CASE("an image that reaches the server is confirmed, once, and stays") {
  ScriptedSlot slot = updated();
  Trial trial(slot);
  trial.begin(1000);
  trial.step(61000, true);
  CHECK(slot.confirmed == 0);
  trial.reached_server();
  trial.reached_server();
  CHECK(slot.confirmed == 1);
  trial.step(10000000, true);
  CHECK(slot.rolled_back == 0);
  slot.power_cycle();
  CHECK(slot.running_version() == "2.1.0");
  CHECK_FALSE(slot.on_trial());
}

TEST_CASE("without the server it is taken back after two minutes of Wi-Fi, not a moment before") {
  ScriptedSlot slot = updated();
  Trial trial(slot);
  trial.begin(1000);
  trial.step(1000, true);
  trial.step(120999, true);
  CHECK(slot.rolled_back == 0);
  trial.step(121000, true);
  CHECK(slot.rolled_back == 1);
  CHECK(slot.running_version() == "2.0.0");
  CHECK_FALSE(slot.on_trial());
  trial.step(400000, true);  // a host lives on after it
  CHECK(slot.rolled_back == 1);
  slot.power_cycle();
  CHECK(slot.running_version() == "2.0.0");
}

TEST_CASE("time without Wi-Fi does not count, time with it adds up") {
  ScriptedSlot slot = updated();
  Trial trial(slot, 100);
  trial.begin(0);
  Millis now = 0;
  for (int i = 0; i < 10; ++i) {
    trial.step(now, true);  // up for 9 ms
    now += 9;
    trial.step(now, false);  // down for 1000 ms
    now += 1000;
  }
  CHECK(slot.rolled_back == 0);  // 90 ms of Wi-Fi in 10 s
  trial.step(now, true);
  trial.step(now + 9, true);
  CHECK(slot.rolled_back == 0);
  trial.step(now + 10, true);
  CHECK(slot.rolled_back == 1);
}

TEST_CASE("an image that never finds the Wi-Fi is taken back after the longest trial") {
  ScriptedSlot slot = updated();
  Trial trial(slot);
  trial.begin(5);
  for (Millis now = 5; now < 5 + kMostTrialMs; now += 1000) trial.step(now, false);
  CHECK(slot.rolled_back == 0);
  trial.step(5 + kMostTrialMs - 1, false);
  CHECK(slot.rolled_back == 0);
  trial.step(5 + kMostTrialMs, false);
  CHECK(slot.rolled_back == 1);
}

TEST_CASE("the trial goes on when the clock wraps") {
  ScriptedSlot slot = updated();
  Trial trial(slot);
  const Millis began = 0xFFFFFF00U;
  trial.begin(began);
  trial.step(began, true);
  trial.step(began + 119999, true);
  CHECK(slot.rolled_back == 0);
  trial.step(began + 120000, true);
  CHECK(slot.rolled_back == 1);
}

TEST_CASE("an image that is not on trial is neither confirmed nor taken back") {
  ScriptedSlot slot;
  Trial trial(slot);
  trial.step(500000, true);  // begin was not even called
  trial.begin(0);
  trial.reached_server();
  trial.step(0, true);
  trial.step(kMostTrialMs + 1, true);
  CHECK(slot.confirmed == 0);
  CHECK(slot.rolled_back == 0);
}

TEST_CASE("a restart or lost power during the trial goes back to the old image for good") {
  ScriptedSlot slot = updated();
  Trial trial(slot);
  trial.begin(0);
  trial.step(1000, true);
  slot.power_cycle();
  CHECK(slot.running_version() == "2.0.0");
  CHECK_FALSE(slot.on_trial());
  slot.power_cycle();
  CHECK(slot.running_version() == "2.0.0");
}

TEST_CASE("a version that is taken back twice is not tried a third time") {
  MemoryStore store;
  ScriptedSlot slot;
  int tries = 0;
  for (int day = 0; day < 10; ++day) {
    if (!may_attempt(store, "2.1.0")) continue;
    ++tries;
    REQUIRE(slot.begin(4));
    REQUIRE(slot.activate());
    CHECK(note_attempt(store, "2.1.0"));
    slot.power_cycle();
    Trial trial(slot);
    trial.begin(0);
    trial.step(0, true);
    trial.step(120000, true);
    CHECK(slot.running_version() == "2.0.0");
  }
  CHECK(tries == 2);
  CHECK(slot.rolled_back == 2);
  CHECK(may_attempt(store, "2.1.1"));  // the next one has its own two
  CHECK(note_attempt(store, "2.1.1"));
  CHECK(may_attempt(store, "2.1.1"));
  CHECK_FALSE(store.bad_key);
}

TEST_CASE("attempts are counted from what is stored, whatever that is") {
  MemoryStore store;
  CHECK(may_attempt(store, "2.1.0"));
  for (const char* const stored :
       {"", "2", "x2.1.0", "12.1.0", "2 2.1.0", "99999999999999999999"}) {
    store.values["tried"] = stored;
    CHECK(may_attempt(store, "2.1.0"));
  }
  store.values["tried"] = "92.1.0";
  CHECK_FALSE(may_attempt(store, "2.1.0"));
  CHECK(note_attempt(store, "2.1.0"));
  CHECK(store.values["tried"] == "92.1.0");
  store.writes_left = 0;
  CHECK_FALSE(note_attempt(store, "2.2.0"));
  store.writes_left = -1;
  CHECK_FALSE(note_attempt(store, "2.2.0000000000000000000000"));
}

}  // namespace
}  // namespace lobug
