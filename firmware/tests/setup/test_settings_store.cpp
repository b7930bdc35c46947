#include <doctest/doctest.h>

#include <string>

#include "lobug/setup/settings.h"
#include "setup/sample_ca.h"
#include "support/memory_store.h"

namespace lobug {
namespace {

Settings full_settings() {
  Settings settings;
  settings.wifi_name = Text<32>("My Home");
  settings.wifi_password = Text<64>("pass word");
  settings.server = Text<160>("https://desk:8321");
  settings.ca = Text<2048>(sample_ca(20));
  settings.talk_mode = TalkMode::kConversation;
  settings.volume = 0;
  settings.brightness = 100;
  settings.captions = false;
  settings.light = LightKind::kM5go;
  settings.body = BodyKind::kM5Bus;
  settings.calibration = {{-30, 120}, true};
  settings.client_id = Text<36>("5e5c5a0c-0000-4000-8000-000000000001");
  settings.token = Text<128>("lobug_secret");
  settings.token_server = Text<160>("https://desk:8321");
  settings.update_key = Text<64>(std::string(64, 'a'));
  settings.update_key_server = Text<160>("https://" + std::string(152, 'd'));  // the longest
  return settings;
}

void check_same(const Settings& left, const Settings& right) {
  CHECK(left.wifi_name == right.wifi_name.view());
  CHECK(left.wifi_password == right.wifi_password.view());
  CHECK(left.server == right.server.view());
  CHECK(left.ca == right.ca.view());
  CHECK(left.talk_mode == right.talk_mode);
  CHECK(left.volume == right.volume);
  CHECK(left.brightness == right.brightness);
  CHECK(left.captions == right.captions);
  CHECK(left.light == right.light);
  CHECK(left.body == right.body);
  CHECK(left.calibration == right.calibration);
  CHECK(left.client_id == right.client_id.view());
  CHECK(left.token == right.token.view());
  CHECK(left.token_server == right.token_server.view());
  CHECK(left.update_key == right.update_key.view());
  CHECK(left.update_key_server == right.update_key_server.view());
}

TEST_CASE("a new device has the defaults, and saving them writes nothing") {
  MemoryStore store;
  const Settings settings = load_settings(store);
  check_same(settings, Settings());
  CHECK(save_settings(store, settings));
  CHECK(store.writes == 0);
  CHECK_FALSE(store.bad_key);
}

TEST_CASE("what was saved is loaded, in settings that were others before, too") {
  MemoryStore store;
  CHECK(save_settings(store, full_settings()));
  CHECK_FALSE(store.bad_key);
  check_same(load_settings(store), full_settings());

  MemoryStore empty;
  Settings settings = full_settings();
  load_settings(empty, settings);
  check_same(settings, Settings());

  CHECK(save_settings(store, Settings()));
  check_same(load_settings(store), Settings());
}

TEST_CASE("only what differs is written: flash wears out") {
  MemoryStore store;
  Settings settings = full_settings();
  REQUIRE(save_settings(store, settings));
  store.writes = 0;
  CHECK(save_settings(store, settings));
  CHECK(store.writes == 0);
  settings.volume = 33;
  CHECK(save_settings(store, settings));
  CHECK(store.writes == 1);
  CHECK(store.values["volume"] == "33");
}

TEST_CASE("one setting is saved without the others") {
  MemoryStore store;
  Settings settings = full_settings();
  REQUIRE(save_setting(store, settings, "wifi_name"));
  CHECK(store.values.size() == 1);
  CHECK(store.values["wifi_name"] == "My Home");
  CHECK(save_setting(store, settings, "ca"));
  CHECK(load_settings(store).ca == settings.ca.view());
  CHECK_FALSE(save_setting(store, settings, "token"));
  CHECK_FALSE(save_setting(store, settings, ""));
  CHECK(store.values.count("token") == 0);
}

TEST_CASE("what is stored and not valid has its default") {
  MemoryStore store;
  REQUIRE(save_settings(store, full_settings()));
  for (const char* const key :
       {"wifi_name", "wifi_password", "server", "talk_mode", "volume", "brightness", "captions",
        "light", "body", "yaw_offset", "pitch_offset", "yaw_reversed"}) {
    store.values[key] = "\x01 nonsense";
  }
  store.values["ca"] = "nonsense";
  store.values["client_id"] = "a b";
  store.values["token"] = "a\r\nX-Evil: 1";
  store.values["update_key"] = "\x01 nonsense";
  const Settings settings = load_settings(store);
  check_same(settings, Settings());

  for (auto& [key, value] : store.values) value = std::string(5000, 'a');
  check_same(load_settings(store), Settings());
  for (auto& [key, value] : store.values) value.clear();
  check_same(load_settings(store), Settings());
}

TEST_CASE("an https server stays without its CA: nothing goes on unprotected instead") {
  MemoryStore store;
  REQUIRE(save_settings(store, full_settings()));
  store.values.erase("ca");
  const Settings settings = load_settings(store);
  CHECK(settings.ca.empty());
  CHECK(settings.server == "https://desk:8321");
}

TEST_CASE("a token without its server, or a server without its token, is none") {
  MemoryStore store;
  REQUIRE(save_settings(store, full_settings()));
  for (const char* const key : {"token", "token_server"}) {
    MemoryStore half = store;
    half.values.erase(key);
    const Settings settings = load_settings(half);
    CHECK(settings.token.empty());
    CHECK(settings.token_server.empty());
  }
}

TEST_CASE("a key of updates that is not stored with its server is none") {
  MemoryStore store;
  REQUIRE(save_settings(store, full_settings()));
  const std::string key(64, 'a');
  for (const std::string& text :
       {std::string(), key, key + " ", key + "https://desk:8321", " " + key,
        std::string("a https://desk:8321"), key + " \n", std::string(230, 'a')}) {
    store.values["update_key"] = text;
    const Settings settings = load_settings(store);
    CHECK(settings.update_key.empty());
    CHECK(settings.update_key_server.empty());
  }
}

TEST_CASE("a key of updates that is forgotten leaves nothing behind") {
  MemoryStore store;
  Settings settings = full_settings();
  REQUIRE(save_identity(store, settings));
  CHECK(store.values.count("update_key") == 1);
  settings.update_key.clear();
  settings.update_key_server.clear();
  REQUIRE(save_identity(store, settings));
  CHECK(store.values.count("update_key") == 0);
}

TEST_CASE("a CA of every length comes back whole") {
  for (std::size_t lines = 1; lines <= 30; ++lines) {
    MemoryStore store;
    Settings settings;
    settings.ca = Text<2048>(sample_ca(30, 'B'));  // a longer one was there before
    REQUIRE(save_settings(store, settings));
    settings.ca = Text<2048>(sample_ca(lines));
    REQUIRE(save_settings(store, settings));
    CHECK(load_settings(store).ca == sample_ca(lines));
  }
  // Exactly one piece, exactly two, and all there is room for.
  for (const std::size_t size : {std::size_t{512}, std::size_t{1024}, std::size_t{2048}}) {
    std::string ca = sample_ca((size - 56) / 65);
    ca.insert(ca.size() - 26, std::string(size - ca.size() - 1, 'A') + "\n");
    REQUIRE(ca.size() == size);
    MemoryStore store;
    Settings settings;
    settings.ca = Text<2048>(sample_ca(30, 'B'));
    REQUIRE(save_settings(store, settings));
    settings.ca = Text<2048>(ca);
    REQUIRE(save_settings(store, settings));
    CHECK(load_settings(store).ca == ca);
  }
}

TEST_CASE("lost power or a full store at any write leaves nothing mixed") {
  Settings before = full_settings();
  Settings after = full_settings();
  after.wifi_name = Text<32>("Other");
  after.wifi_password = Text<64>("other word");
  after.server = Text<160>("https://other:8321");
  after.ca = Text<2048>(sample_ca(27, 'Z'));
  after.token = Text<128>("lobug_other");
  after.token_server = Text<160>("https://other:8321");
  after.update_key = Text<64>(std::string(64, 'b'));
  after.update_key_server = Text<160>("https://other:8321");
  bool done = false;
  int cuts = 0;
  for (int writes = 0; !done; ++writes) {
    MemoryStore store;
    REQUIRE(save_settings(store, before));
    store.writes_left = writes;
    done = save_settings(store, after);
    if (!done) ++cuts;
    store.writes_left = -1;
    CAPTURE(writes);

    const Settings found = load_settings(store);
    const bool old_ca = found.ca == before.ca.view();
    const bool new_ca = found.ca == after.ca.view();
    CHECK((old_ca || new_ca || found.ca.empty()));
    if (!found.token.empty()) {
      const bool old_pair =
          found.token == "lobug_secret" && found.token_server == "https://desk:8321";
      const bool new_pair =
          found.token == "lobug_other" && found.token_server == "https://other:8321";
      CHECK((old_pair || new_pair));
    }
    const bool new_key = found.update_key == after.update_key.view();
    CHECK((new_key || found.update_key == before.update_key.view()));
    CHECK((found.update_key_server == "https://other:8321") == new_key);
    // Tried again it succeeds, whatever was left.
    CHECK(save_settings(store, after));
    check_same(load_settings(store), after);
  }
  CHECK(cuts >= 10);
}

TEST_CASE("a store that takes nothing is reported") {
  MemoryStore store;
  store.writes_left = 0;
  CHECK_FALSE(save_settings(store, full_settings()));
  CHECK(store.values.empty());
}

}  // namespace
}  // namespace lobug
