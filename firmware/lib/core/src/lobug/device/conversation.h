// Turn taking: opens and closes microphone and speaker as fingers and server ask for it.
#pragma once

#include <array>
#include <cstdint>

#include "lobug/audio/audio_link.h"
#include "lobug/audio/format.h"
#include "lobug/base/clock.h"
#include "lobug/base/text.h"
#include "lobug/device/session.h"
#include "lobug/device/state_machine.h"
#include "lobug/setup/settings.h"

namespace lobug {

/// A conversation over a session that is ready, half duplex throughout. It moves the device between
/// kIdle, kListening, kThinking and kSpeaking.
class Conversation {
 public:
  static constexpr Millis kMicrophoneMs = 3000;  ///< to open the microphone
  static constexpr Millis kNobodyMs = 15000;     ///< of listening in which nobody speaks
  static constexpr Millis kAnswerMs = 45000;     ///< until a reply must have begun
  static constexpr Millis kNoReplyMs = 6000;     ///< the same, once an emotion came without words
  static constexpr Millis kNotHeardMs = 1500;    ///< the same, when there is no transcript either
  /// Words and replies within this time after the microphone opened belong to an earlier utterance.
  static constexpr Millis kOlderMs = 2000;
  static constexpr Millis kAbortMs = 2000;   ///< from an abort to the server's stop
  static constexpr Millis kThoughtMs = 700;  ///< the same, for a reply that had not begun to sound
  static constexpr Millis kUnheardMs = 120000;  ///< of voices without a transcript
  static constexpr Millis kSilenceMs = 20000;   ///< within a reply, before it is given up
  static constexpr Millis kCaptionMs = 8000;    ///< a caption stays after its reply
  /// From a finger's coming down until it must be known what it means: the screen knows a hold
  /// after 400 ms. Less than the uplink's ring holds.
  static constexpr Millis kPressMs = 1500;
  /// Sound from before a voice was noticed that is sent with it, ms.
  static constexpr std::uint32_t kPrerollMs = 500;

  /// `language`: in which it says what went wrong; it may change.
  Conversation(StateMachine& machine, AudioLink& audio, SessionSender& session,
               const Language& language);

  /// The session is ready, and the state kIdle.
  void begin();
  /// The session is gone, to be called before the state says so: the microphone closes; the part of
  /// a reply that has arrived is played to its end.
  void lost();

  /// A finger came down where a tap or a hold talks. The microphone opens at once, and what it
  /// hears is kept: `tap` and `hold_begin` send it if they begin to listen, so that nobody loses
  /// the words said before the gesture was known. A reply is interrupted.
  void press(Millis now);
  /// The finger slid away: what was heard is discarded.
  void press_end();
  void tap(TalkMode mode, Millis now);
  void hold_begin(Millis now);
  void hold_end(Millis now);
  void message(const ServerMessage& message, Millis now);
  void audio(Bytes pcm, Millis now);
  void step(TalkMode mode, Millis now);

  Emotion emotion() const { return emotion_; }
  std::string_view caption() const { return caption_; }
  std::string_view heard() const { return heard_; }

 private:
  DeviceState state() const { return machine_.state(); }
  /// Whether a reply plays, with a session or without.
  bool playing() const { return draining_ || state() == DeviceState::kSpeaking; }
  /// Whether nobody talks, with a session or without.
  bool resting() const {
    return !playing() && state() != DeviceState::kListening && state() != DeviceState::kThinking;
  }
  /// `kept`: from a press on, what the microphone heard belongs to it.
  void listen(ListenMode mode, Millis now, bool kept = false);
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

  StateMachine& machine_;
  AudioLink& link_;
  SessionSender& session_;
  const Language& language_;
  bool draining_ = false;  ///< the session is gone, the rest of its last reply still plays
  ListenMode mode_ = ListenMode::kAuto;
  bool opening_ = false;  ///< the microphone is asked for and not open yet
  bool closing_ = false;  ///< it closes; its last samples are sent before `listen stop`
  bool standby_ = false;  ///< idle, with the microphone open for the wake word
  bool pressed_ = false;  ///< a finger is down and what it means is not known: nothing is sent
  bool press_interrupted_ = false;  ///< and it has interrupted a reply
  bool heard_voice_ = false;
  bool interrupted_ = false;  ///< until the server's stop, messages and audio are dropped
  bool all_sent_ = false;     ///< the reply's end was announced
  bool first_frame_ = false;  ///< no audio of this reply has come yet
  Millis first_frame_at_ = 0;
  std::uint32_t first_sound_ = 0;
  Millis listened_at_ = 0;  ///< when `listen start` was sent
  Deadline limit_;
  Deadline interrupted_until_;
  Deadline pressed_until_;
  Deadline unheard_until_;
  Deadline caption_until_;
  Emotion emotion_ = Emotion::kNeutral;
  Text<512> caption_;
  Text<256> heard_;
  std::array<std::int16_t, kUplinkFrameSamples> frame_{};
  std::array<std::int16_t, 1024> pcm_{};
};

}  // namespace lobug
