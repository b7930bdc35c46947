// Pictures of characters on their way from the server to the screen.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "device/scripted_world.h"

using namespace lobug;
using lobug::test::World;
using S = DeviceState;

namespace {

const std::string kGood =
    R"({"code":26085,"width":16,"height":16,"bits":"gAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE="})";

std::string message(const std::string& glyphs) {
  return R"({"session_id":"s1","type":"glyphs","glyphs":[)" + glyphs + "]}";
}

}  // namespace

TEST_CASE("a device with a screen for them asks for pictures, and its screen gets them first") {
  auto glyphs = std::make_unique<PushedGlyphs>();
  World w;
  w.screen.glyphs = glyphs.get();
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  REQUIRE_FALSE(w.texts.empty());
  CHECK(w.texts.front().find(R"("glyphs":{"size":16,"keeps":256})") != std::string::npos);
  w.say(message(kGood));
  w.say(R"({"session_id":"s1","type":"alert","status":"","message":"日","emotion":"sad"})");
  CHECK(w.view().caption == "日");
  glyphs->take();
  CHECK(glyphs->find(26085) != nullptr);
}

TEST_CASE("broken pictures and such that find no room are counted and reported") {
  auto glyphs = std::make_unique<PushedGlyphs>();
  World w;
  w.screen.glyphs = glyphs.get();
  w.features = R"({"reports":true})";
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  w.say(message(kGood + R"(,{"code":26086},null)"));
  std::string many;
  for (int count = 0; count < 60; ++count) many += (count > 0 ? "," : "") + kGood;
  for (int round = 0; round < 4; ++round) w.say(message(many));
  const std::size_t sent = w.texts.size();
  w.steps(9100, 100);  // a quarter of an hour
  bool reported = false;
  for (std::size_t at = sent; at < w.texts.size(); ++at) {
    // 2 broken, and of 1 + 240 there was room for 192.
    reported = reported || w.texts[at].find(R"("bad_glyphs":51)") != std::string::npos;
  }
  CHECK(reported);
}

TEST_CASE("a device without a screen for them ignores pictures") {
  World w;
  w.boot();
  w.wifi();
  REQUIRE(w.reach(S::kIdle));
  CHECK(w.texts.front().find("glyphs") == std::string::npos);
  w.say(message(kGood));
  CHECK(w.device->state() == S::kIdle);
}
