#include "lobug/device/conversation.h"

#include <cstring>

#include "lobug/language/phrases.h"

namespace lobug {

Conversation::Conversation(StateMachine& machine, AudioLink& audio, SessionSender& session,
                           const Language& language)
    : machine_(machine), link_(audio), session_(session), language_(language) {}

void Conversation::begin() {
  interrupted_ = false;
  first_sound_ = link_.first_sound.load();
  if (draining_) machine_.go(DeviceState::kSpeaking);
  draining_ = false;
}

void Conversation::lost() {
  opening_ = closing_ = interrupted_ = pressed_ = press_interrupted_ = false;
  limit_.clear();
  if (state() == DeviceState::kSpeaking) {
    link_.downlink.end();
    all_sent_ = draining_ = true;
  } else {
    link_.wanted = AudioMode::kOff;
  }
}

void Conversation::press(Millis now) {
  // While the microphone closes, the end of the utterance before is still on its way.
  if (!has_session(state()) || closing_) return;
  const bool replying = state() == DeviceState::kThinking || state() == DeviceState::kSpeaking;
  if (replying) interrupt(now);
  // What comes now is sent only when the finger turns out to ask for it; while the device listens
  // already, what came before the finger is sent as well.
  if (state() != DeviceState::kListening) link_.uplink.drop(link_.uplink.size());
  link_.wanted = AudioMode::kListen;
  pressed_ = true;
  press_interrupted_ = replying;
  pressed_until_.set(now, kPressMs);
}

void Conversation::press_end() {
  if (!pressed_) return;
  pressed_ = press_interrupted_ = false;
  if (state() != DeviceState::kIdle || standby_) return;
  link_.wanted = AudioMode::kOff;
  link_.uplink.drop(link_.uplink.size());
}

void Conversation::tap(TalkMode mode, Millis now) {
  const bool kept = pressed_;
  if (press_interrupted_ && state() == DeviceState::kIdle && mode != TalkMode::kConversation) {
    press_end();  // it has fallen silent: that is all the tap asks for
    return;
  }
  pressed_ = press_interrupted_ = false;
  switch (state()) {
    case DeviceState::kIdle:
      listen(ListenMode::kAuto, now, kept);
      break;
    case DeviceState::kListening:
      // "That was all", or "never mind" when nobody has spoken.
      stop_listening(heard_voice_ ? DeviceState::kThinking : DeviceState::kIdle, now);
      break;
    case DeviceState::kThinking:
    case DeviceState::kSpeaking:
      interrupt(now);
      if (mode == TalkMode::kConversation) listen(ListenMode::kAuto, now);
      break;
    default:
      break;
  }
}

void Conversation::hold_begin(Millis now) {
  if (!has_session(state())) return;
  const bool kept = pressed_;
  if (state() == DeviceState::kThinking || state() == DeviceState::kSpeaking) interrupt(now);
  listen(ListenMode::kManual, now, kept);
}

void Conversation::hold_end(Millis now) {
  if (state() == DeviceState::kListening && mode_ == ListenMode::kManual) {
    stop_listening(DeviceState::kThinking, now);
  }
}

void Conversation::listen(ListenMode mode, Millis now, bool kept) {
  mode_ = mode;
  heard_voice_ = kept && link_.voice;
  closing_ = pressed_ = press_interrupted_ = false;
  opening_ = true;
  heard_.clear();
  if (!kept) link_.uplink.drop(link_.uplink.size());
  link_.wanted = AudioMode::kListen;
  machine_.go(DeviceState::kListening);
  limit_.set(now, kMicrophoneMs);
}

// The audio thread closes the microphone a little later and hands over its last samples; `step`
// sends those, then the stop.
void Conversation::stop_listening(DeviceState next, Millis now) {
  pressed_ = press_interrupted_ = false;
  link_.wanted = AudioMode::kOff;
  if (opening_) {
    // The server has not been told yet.
    opening_ = false;
    rest(now);
    return;
  }
  closing_ = true;
  machine_.go(next);
  if (next == DeviceState::kThinking) {
    think(now);
  } else {
    limit_.clear();
  }
}

void Conversation::think(Millis now) {
  machine_.go(DeviceState::kThinking);
  limit_.set(now, kAnswerMs);
}

void Conversation::interrupt(Millis now) {
  session_.abort();
  link_.downlink.discard();
  link_.wanted = AudioMode::kOff;
  opening_ = closing_ = pressed_ = press_interrupted_ = false;
  // The server's stop ends the interruption. Where no reply had begun there may be no stop; but the
  // beginning of one may be on its way already.
  const bool thinking = state() == DeviceState::kThinking;
  interrupted_ = thinking || (state() == DeviceState::kSpeaking && !all_sent_);
  interrupted_until_.set(now, thinking ? kThoughtMs : kAbortMs);
  rest(now);
}

void Conversation::rest(Millis now) {
  if (has_session(state())) machine_.go(DeviceState::kIdle);
  limit_.clear();
  caption_until_.set(now, kCaptionMs);
}

void Conversation::message(const ServerMessage& message, Millis now) {
  using Kind = ServerMessage::Kind;
  if (interrupted_) {
    if (message.kind == Kind::kTtsStop) interrupted_ = false;
    if (message.kind != Kind::kAlert) return;
  }
  switch (message.kind) {
    case Kind::kStt:
      heard_.assign(message.text);
      // The newest words are shown, for a time of their own.
      caption_.clear();
      caption_until_.clear();
      // The microphone stays open until the reply: if there is none, the owner may go on.
      if ((state() == DeviceState::kListening && !opening_ && !is_older(now)) || standby_) {
        think(now);
      }
      break;
    case Kind::kLlm:
      emotion_ = message.emotion;
      expect_no_reply(now);
      break;
    case Kind::kTtsStart:
      begin_reply(now);
      break;
    case Kind::kSentence:
      caption_.assign(message.text);
      caption_until_.clear();
      break;
    case Kind::kTtsStop:
      if (state() == DeviceState::kSpeaking) {
        link_.downlink.end();
        all_sent_ = true;
        limit_.clear();
      }
      break;
    case Kind::kAlert:
      caption_.assign(message.text);
      caption_until_.set(now, kCaptionMs);
      emotion_ = message.emotion;
      expect_no_reply(now);
      break;
    default:
      break;
  }
}

// An emotion or an alert came: a reply may follow, but need not.
void Conversation::expect_no_reply(Millis now) {
  if (state() == DeviceState::kThinking) limit_.set(now, heard_.empty() ? kNotHeardMs : kNoReplyMs);
}

// A hold takes precedence: the server drops its reply when it reads `listen start`, but a part of
// it may be on its way. An owner who holds until the server has heard enough gets the answer all
// the same.
bool Conversation::is_older(Millis now) const {
  return mode_ == ListenMode::kManual && (opening_ || elapsed(listened_at_, now) < kOlderMs);
}

void Conversation::begin_reply(Millis now) {
  if (state() == DeviceState::kListening && is_older(now)) return;
  opening_ = closing_ = pressed_ = press_interrupted_ = false;
  machine_.go(DeviceState::kSpeaking);
  all_sent_ = false;
  first_frame_ = true;
  caption_.clear();
  link_.downlink.begin();
  link_.wanted = AudioMode::kPlay;
  limit_.set(now, kSilenceMs);
}

void Conversation::audio(Bytes pcm, Millis now) {
  if (state() != DeviceState::kSpeaking || interrupted_ || all_sent_) return;
  if (first_frame_) {
    first_frame_ = false;
    first_frame_at_ = now;
    first_sound_ = link_.first_sound.load();
  }
  limit_.set(now, kSilenceMs);
  // The frame need not lie at an even address; an odd byte at the end is no sample.
  while (pcm.size() >= sizeof(std::int16_t)) {
    const std::size_t samples = pcm.size() / sizeof(std::int16_t);
    const std::size_t count = samples < pcm_.size() ? samples : pcm_.size();
    std::memcpy(pcm_.data(), pcm.data(), count * sizeof(std::int16_t));
    link_.downlink.add(Span<const std::int16_t>(pcm_.data(), count));
    pcm = pcm.drop(count * sizeof(std::int16_t));
  }
}

void Conversation::step(TalkMode mode, Millis now) {
  if (interrupted_ && interrupted_until_.due(now)) interrupted_ = false;
  if (pressed_ && pressed_until_.due(now)) press_end();  // the news of its end was lost
  if (caption_until_.due(now)) {
    caption_until_.clear();
    caption_.clear();
    heard_.clear();
    emotion_ = Emotion::kNeutral;
  }
  // Captions disappear however their turn ended.
  if (resting() && !caption_until_.is_set() && !(caption_.empty() && heard_.empty())) {
    caption_until_.set(now, kCaptionMs);
  }
  if (opening_ && link_.actual == AudioMode::kListen) {
    opening_ = !session_.listen_start(mode_);
    if (!opening_) {
      listened_at_ = now;
      limit_.set(now, kNobodyMs);
      unheard_until_.set(now, kUnheardMs);
    }
  }
  const bool sends = state() == DeviceState::kListening ||
                     (state() == DeviceState::kThinking && mode_ != ListenMode::kManual);
  if (!opening_ && !pressed_ && (sends || closing_)) send_uplink(closing_);
  stand_by(mode);
  if (playing()) {
    report_first_sound();
    if (all_sent_ && !link_.downlink.active()) after_reply(mode, now);
  }
  watch(mode, now);
}

// `whole`: the microphone is closing; the last part of a frame is sent too, then the stop.
void Conversation::send_uplink(bool whole) {
  const bool closed = link_.actual != AudioMode::kListen;
  while (link_.uplink.size() >= frame_.size()) {
    // Checked before the frame is taken: one that finds no room now is sent later.
    if (!session_.room_for_audio()) return;
    link_.uplink.read({frame_.data(), frame_.size()});
    session_.audio({frame_.data(), frame_.size()});
  }
  if (!whole || !closed) return;
  const std::size_t left = link_.uplink.read({frame_.data(), frame_.size()});
  if (left > 0) {
    std::memset(frame_.data() + left, 0, (frame_.size() - left) * sizeof(std::int16_t));
    session_.audio({frame_.data(), frame_.size()});
  }
  if (session_.listen_stop()) closing_ = false;
}

// In wake-word mode the microphone is open while nobody talks. To keep the stream small, only what
// sounds like a voice is sent, with a little of the sound before it.
void Conversation::stand_by(TalkMode mode) {
  if (pressed_) return;
  const bool wanted = state() == DeviceState::kIdle && mode == TalkMode::kWakeWord && !closing_ &&
                      session_.wake_word();
  if (wanted && !standby_) {
    standby_ = opening_ = true;
    mode_ = ListenMode::kWakeWord;
    link_.uplink.drop(link_.uplink.size());
    link_.wanted = AudioMode::kListen;
  } else if (!wanted && standby_) {
    standby_ = false;
    if (resting()) {
      opening_ = false;
      link_.wanted = AudioMode::kOff;
      session_.listen_stop();
    }
  }
  if (!standby_ || opening_) return;
  if (link_.voice) {
    send_uplink(false);
  } else if (link_.uplink.size() > samples_of(kPrerollMs)) {
    link_.uplink.drop(link_.uplink.size() - samples_of(kPrerollMs));
  }
}

void Conversation::report_first_sound() {
  const std::uint32_t sound = link_.first_sound.load();
  if (sound == first_sound_ || first_frame_) return;
  first_sound_ = sound;
  session_.playing(elapsed(first_frame_at_, first_sound_at(sound, first_frame_at_)));
}

void Conversation::after_reply(TalkMode mode, Millis now) {
  draining_ = false;
  if (has_session(state()) && mode == TalkMode::kConversation) {
    // The audio thread lets the speaker finish before it opens the microphone.
    listen(ListenMode::kAuto, now);
  } else {
    link_.wanted = AudioMode::kOff;
    rest(now);
  }
  caption_until_.set(now, kCaptionMs);
}

void Conversation::watch(TalkMode mode, Millis now) {
  if (state() == DeviceState::kListening && !opening_ && link_.voice) {
    heard_voice_ = true;
    // Voices without a transcript (a television) do not keep the microphone open for ever.
    if (!unheard_until_.due(now)) limit_.set(now, kNobodyMs);
  }
  if (!limit_.due(now)) return;
  limit_.clear();
  switch (state()) {
    case DeviceState::kListening:
      if (mode_ == ListenMode::kManual && !opening_) break;  // as long as the button is held
      if (opening_) {
        caption_.assign(phrases_of(language_)[Phrase::kMicrophoneFailed]);
        emotion_ = Emotion::kConfused;
      }
      stop_listening(DeviceState::kIdle, now);
      break;
    case DeviceState::kThinking:
      if (mode_ == ListenMode::kAuto && mode == TalkMode::kConversation) {
        if (link_.wanted == AudioMode::kListen) {
          machine_.go(DeviceState::kListening);
          limit_.set(now, kNobodyMs);
        } else {
          listen(ListenMode::kAuto, now);  // a tap had closed the microphone
        }
      } else {
        if (caption_.empty() && heard_.empty()) {
          caption_.assign(phrases_of(language_)[Phrase::kNotUnderstood]);
        }
        stop_listening(DeviceState::kIdle, now);
        rest(now);
      }
      break;
    case DeviceState::kSpeaking:
      link_.downlink.end();
      all_sent_ = true;
      break;
    default:
      break;
  }
}

}  // namespace lobug
