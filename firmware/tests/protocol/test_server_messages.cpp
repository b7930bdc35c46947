#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "lobug/protocol/messages.h"

using lobug::Emotion;
using lobug::read_server_message;
using lobug::ServerMessage;
using Kind = lobug::ServerMessage::Kind;

TEST_CASE("The server's hello tells the session and the audio") {
  const ServerMessage hello = read_server_message(
      R"({"session_id":"4f0c2a9e","type":"hello","transport":"websocket",)"
      R"("audio_params":{"format":"pcm","sample_rate":16000,"channels":1,"frame_duration":60},)"
      R"("formats":["opus","pcm"],"features":{"wake_word":true}})");
  CHECK(hello.kind == Kind::kHello);
  CHECK(hello.session_id == "4f0c2a9e");
  CHECK(hello.pcm);
  CHECK(hello.sample_rate == 16000);
  CHECK(hello.wake_word);
}

TEST_CASE("A hello with other audio than we asked for is told as such") {
  const auto hello = [](std::string_view audio) {
    return read_server_message(R"({"type":"hello","audio_params":)" + std::string(audio) + "}");
  };
  CHECK(hello(R"({"format":"pcm","sample_rate":16000})").pcm);
  CHECK(hello(R"({"format":"pcm","sample_rate":16000.0,"channels":1.0})").pcm);
  CHECK_FALSE(hello(R"({"format":"opus","sample_rate":16000})").pcm);
  CHECK_FALSE(hello(R"({"format":"pcm","sample_rate":24000})").pcm);
  CHECK(hello(R"({"format":"pcm","sample_rate":24000})").sample_rate == 24000);
  CHECK_FALSE(hello(R"({"format":"pcm","sample_rate":16000,"channels":2})").pcm);
  CHECK_FALSE(hello(R"({"format":"pcm","sample_rate":16000,"channels":"1"})").pcm);
  CHECK_FALSE(hello(R"({"format":"pcm"})").pcm);
  CHECK_FALSE(hello(R"({"format":"pcm","sample_rate":-16000})").pcm);
  CHECK(hello(R"({"format":"pcm","sample_rate":4294983296})").sample_rate == 0);
  CHECK_FALSE(hello("null").pcm);
  CHECK(hello("null").kind == Kind::kHello);
}

TEST_CASE("A hello over another transport is not for us") {
  CHECK(read_server_message(R"({"type":"hello","transport":"udp"})").kind == Kind::kIgnored);
  CHECK(read_server_message(R"({"type":"hello","transport":7})").kind == Kind::kIgnored);
  CHECK(read_server_message(R"({"type":"hello"})").kind == Kind::kHello);
}

TEST_CASE("Sensors and reports are taken by a server that says so") {
  const auto hello = [](std::string_view features) {
    return read_server_message(R"({"type":"hello","features":)" + std::string(features) + "}");
  };
  CHECK(hello(R"({"sensors":true})").sensors);
  CHECK_FALSE(hello(R"({"sensors":true})").reports);
  CHECK(hello(R"({"reports":true})").reports);
  CHECK_FALSE(hello(R"({"reports":1,"sensors":"yes"})").reports);
  CHECK_FALSE(hello(R"({"reports":1,"sensors":"yes"})").sensors);
  CHECK_FALSE(hello("[]").sensors);
}

TEST_CASE("A wake word is offered by true alone") {
  const auto offers = [](std::string_view features) {
    const std::string message = R"({"type":"hello","features":)" + std::string(features) + "}";
    return read_server_message(message).wake_word;
  };
  CHECK(offers(R"({"wake_word":true})"));
  CHECK_FALSE(offers(R"({"wake_word":false})"));
  CHECK_FALSE(offers(R"({"wake_word":"true"})"));
  CHECK_FALSE(offers("{}"));
  CHECK_FALSE(offers("true"));
}

TEST_CASE("What was understood, the face and the reply") {
  const ServerMessage stt =
      read_server_message(R"({"session_id":"4f0c2a9e","type":"stt","text":"What is it like?"})");
  CHECK(stt.kind == Kind::kStt);
  CHECK(stt.text == "What is it like?");

  const ServerMessage llm =
      read_server_message("{\"type\":\"llm\",\"emotion\":\"happy\",\"text\":\"\xF0\x9F\x99\x82\"}");
  CHECK(llm.kind == Kind::kLlm);
  CHECK(llm.emotion == Emotion::kHappy);

  CHECK(read_server_message(R"({"type":"tts","state":"start"})").kind == Kind::kTtsStart);
  CHECK(read_server_message(R"({"type":"tts","state":"stop"})").kind == Kind::kTtsStop);
  const ServerMessage sentence =
      read_server_message(R"({"type":"tts","state":"sentence_start","text":"It is sunny."})");
  CHECK(sentence.kind == Kind::kSentence);
  CHECK(sentence.text == "It is sunny.");
}

TEST_CASE("Alerts and a restart") {
  const ServerMessage alert = read_server_message(
      R"({"type":"alert","status":"Lo-Bug","message":"I cannot think.","emotion":"sad"})");
  CHECK(alert.kind == Kind::kAlert);
  CHECK(alert.status == "Lo-Bug");
  CHECK(alert.text == "I cannot think.");
  CHECK(alert.emotion == Emotion::kSad);
  CHECK(read_server_message(R"({"type":"system","command":"reboot"})").kind == Kind::kSystemReboot);
  CHECK(read_server_message(R"({"type":"system","command":"format"})").kind == Kind::kIgnored);
}

TEST_CASE("The message to the tools is passed on as it lies in the frame") {
  const std::string frame =
      R"({"type":"mcp","payload": {"jsonrpc":"2.0","id":1,"method":"ping"} ,"session_id":"x"})";
  const ServerMessage message = read_server_message(frame);
  CHECK(message.kind == Kind::kMcp);
  CHECK(message.payload == R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  CHECK(message.payload.data() >= frame.data());
  CHECK(message.payload.data() + message.payload.size() <= frame.data() + frame.size());
  // Whatever it is: the tools say what is wrong with it.
  CHECK(read_server_message(R"({"type":"mcp","payload":[1]})").payload == "[1]");
  CHECK(read_server_message(R"({"type":"mcp"})").kind == Kind::kIgnored);
}

TEST_CASE("What is not known is skipped") {
  for (const std::string_view message :
       {R"({})", R"({"type":"iot","states":[]})", R"({"type":7})", R"({"type":null})",
        R"({"type":["stt"]})", R"({"typ":"stt","text":"x"})", R"({"type":"STT"})",
        R"({"type":"tts"})", R"({"type":"tts","state":"pause"})", R"({"type":"system"})",
        R"({"type":"llm ","emotion":"sad"})"}) {
    CAPTURE(std::string(message));
    CHECK(read_server_message(message).kind == Kind::kIgnored);
  }
}

TEST_CASE("Any number of unknown fields changes nothing") {
  std::string message = "{";
  for (int i = 0; i < 1000; ++i) message += "\"f" + std::to_string(i) + R"(":{"type":[1,"}"]},)";
  message += R"("type":"stt","text":"still here"})";
  CHECK(read_server_message(message).kind == Kind::kStt);
  CHECK(read_server_message(message).text == "still here");
}

TEST_CASE("Known fields of a wrong kind are as if they were not there") {
  CHECK(read_server_message(R"({"type":"stt","text":7})").kind == Kind::kStt);
  CHECK(read_server_message(R"({"type":"stt","text":{"text":"x"}})").text.empty());
  CHECK(read_server_message(R"({"type":"llm"})").emotion == Emotion::kNeutral);
  CHECK(read_server_message(R"({"type":"llm","emotion":"grumpy"})").emotion == Emotion::kNeutral);
  CHECK(read_server_message(R"({"type":"llm","emotion":"happy and much longer"})").emotion ==
        Emotion::kNeutral);
  CHECK(read_server_message(R"({"type":"alert","message":null})").kind == Kind::kAlert);
}

TEST_CASE("What is no JSON object is broken") {
  for (const std::string_view message :
       {"", " ", "stt", "[]", R"(["type","stt"])", R"("stt")", "null", "12",
        R"({"type":"stt","text":"x")", R"({"type":"stt"}{})", R"({"type":"stt",})"}) {
    CAPTURE(std::string(message));
    CHECK(read_server_message(message).kind == Kind::kBroken);
  }
  std::string deep = R"({"type":"stt","x":)";
  deep += std::string(40, '[') + std::string(40, ']') + "}";
  CHECK(read_server_message(deep).kind == Kind::kBroken);
}

TEST_CASE("Texts of a large frame are cut to their place, between characters") {
  std::string umlauts;
  for (int i = 0; i < 8000; ++i) umlauts += "\xC3\xA9";
  const ServerMessage stt = read_server_message(R"({"type":"stt","text":"x)" + umlauts + "\"}");
  CHECK(stt.text.size() == 511);  // 1 and 255 of two bytes: the 256th has no room
  CHECK(stt.text.view().substr(509) == "\xC3\xA9");
  const ServerMessage alert = read_server_message(R"({"type":"alert","message":"m","status":")" +
                                                  std::string(16000, 'a') + "\"}");
  CHECK(alert.status.size() == 48);
  CHECK(alert.text == "m");
  const ServerMessage hello =
      read_server_message(R"({"type":"hello","session_id":")" + std::string(16000, 'a') + "\"}");
  CHECK(hello.session_id.size() == 64);
}

TEST_CASE("Every emotion has a word of its own, and the word the emotion") {
  for (std::uint8_t place = 0; place < lobug::kEmotionCount; ++place) {
    const auto emotion = static_cast<Emotion>(place);
    CAPTURE(static_cast<int>(place));
    CHECK(lobug::emotion_named(name_of(emotion)) == emotion);
  }
  CHECK(lobug::name_of(Emotion::kNeutral) == "neutral");
  CHECK(lobug::name_of(Emotion::kThinking) == "thinking");
  CHECK(lobug::name_of(Emotion::kConfused) == "confused");
}

TEST_CASE("Other words are neutral") {
  CHECK(lobug::emotion_named("") == Emotion::kNeutral);
  CHECK(lobug::emotion_named("Happy") == Emotion::kNeutral);
  CHECK(lobug::emotion_named("happy ") == Emotion::kNeutral);
  CHECK(name_of(static_cast<Emotion>(200)) == "neutral");
}
