// Who speaks now: opens and closes microphone and speaker as fingers and server ask for it.
#pragma once

#include <array>
#include <cstdint>

#include "lobug/audio/audio_link.h"
#include "lobug/audio/format.h"
#include "lobug/base/clock.h"
#include "lobug/base/text.h"
#include "lobug/device/session.h"
#include "lobug/device/state.h"
#include "lobug/setup/settings.h"

namespace lobug {

/// A conversation over a session that is ready. Its states are kIdle, kListening, kThinking and
/// kSpeaking; it is half duplex throughout.
class Conversation {
 public:
  static constexpr Millis kMicrophoneMs = 3000;  ///< to open the microphone
  static constexpr Millis kNobodyMs = 15000;     ///< of listening in which nobody speaks
  static constexpr Millis kAnswerMs = 45000;     ///< until a reply must have begun
  static constexpr Millis kNoReplyMs = 6000;     ///< ... after a face came instead of words
  static constexpr Millis kNotHeardMs = 1500;    ///< ... when nothing was understood either
  static constexpr Millis kOlderMs = 2000;       ///< what comes so soon is of an utterance before
  static constexpr Millis kAbortMs = 2000;       ///< until the server's stop must have come
  static constexpr Millis kThoughtMs = 700;      ///< ... of a reply that had not begun to sound
  static constexpr Millis kUnheardMs = 120000;   ///< of voices without a transcript
  static constexpr Millis kSilenceMs = 20000;    ///< within a reply, before it is given up
  static constexpr Millis kCaptionMs = 8000;     ///< a caption stays after its reply
  static constexpr std::uint32_t kPrerollMs =
      500;  ///< sent of what came before a voice was noticed

  Conversation(AudioLink& audio, SessionSender& session);

  /// The session is ready. / It is gone: the microphone closes, what came of a reply still sounds.
  void begin();
  void lost();

  void tap(TalkMode mode, Millis now);
  void hold_begin(Millis now);
  void hold_end(Millis now);
  void message(const ServerMessage& message, Millis now);
  void audio(Bytes pcm, Millis now);
  void step(TalkMode mode, Millis now);

  DeviceState state() const { return state_; }
  /// Steps that the table of states refused; always 0, unless something is wrong here.
  unsigned refused() const { return refused_; }
  Emotion emotion() const { return emotion_; }
  std::string_view caption() const { return caption_; }
  std::string_view heard() const { return heard_; }

 private:
  void go(DeviceState next);
  void listen(ListenMode mode, Millis now);
  void stop_listening(DeviceState next, Millis now);
  void think(Millis now);
  void expect_no_reply(Millis now);
  /// Whether words and replies that come now belong to an utterance before this one.
  bool is_older(Millis now) const;
  void begin_reply(Millis now);
  void after_reply(TalkMode mode, Millis now);
  void interrupt(Millis now);
  void rest(Millis now);
  void send_uplink(bool whole);
  void stand_by(TalkMode mode);
  void report_first_sound();
  void watch(TalkMode mode, Millis now);

  AudioLink& link_;
  SessionSender& session_;
  DeviceState state_ = DeviceState::kIdle;
  unsigned refused_ = 0;
  bool open_ = false;  ///< there is a session
  ListenMode mode_ = ListenMode::kAuto;
  bool opening_ = false;  ///< the microphone is asked for and not open yet
  bool closing_ = false;  ///< it closes; what it still has goes out before `listen stop`
  bool standby_ = false;  ///< idle, with the microphone open for the wake word
  bool heard_voice_ = false;
  bool interrupted_ = false;  ///< until the server's stop, nothing that comes counts
  bool all_sent_ = false;     ///< the reply's end was announced
  bool first_frame_ = false;  ///< no audio of this reply has come yet
  Millis first_frame_at_ = 0;
  std::uint32_t first_sound_ = 0;
  Millis listened_at_ = 0;  ///< when `listen start` was sent
  Deadline limit_;
  Deadline interrupted_until_;
  Deadline unheard_until_;
  Deadline caption_until_;
  Emotion emotion_ = Emotion::kNeutral;
  Text<512> caption_;
  Text<256> heard_;
  std::array<std::int16_t, kUplinkFrameSamples> frame_{};
  std::array<std::int16_t, 1024> pcm_{};
};

}  // namespace lobug
