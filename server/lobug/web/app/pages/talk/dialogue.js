// What the page knows of the conversation, and how it changes: pure. `step` takes what has happened
// and returns the new state and what is to be done.

/** How somebody talks: holds a button, taps for each utterance, or leaves the microphone on. */
export const MODES = ["hold", "tap", "free"];
/** Discards what was heard; "stop" would have it answered. */
const DISCARD = { type: "listen", state: "detect", text: "" };
const PROTOCOL_MODE = { hold: "manual", tap: "auto", free: "realtime" };
/** Lines that are kept. */
const MOST_LINES = 200;
/** Time in which a reply may still begin that was interrupted before it began, ms. */
const LATE_START_MS = 1_000;
/** Silence after which an utterance by tap is given up, ms. */
export const SILENCE_MS = 12_000;
/** Pause in a reply from which on Lo-Bug thinks rather than speaks, ms. */
export const PAUSE_MS = 800;
/** Wait for speech after a face; without speech there is no reply, ms. */
export const SPEECH_MS = 2_500;

export const START = {
  link: "connecting",
  mode: "hold",
  /** Whether the page listens: "off", "opening" the microphone, "on". */
  ears: "off",
  /** Whether the button is pressed while the door is still being opened: it counts once that is open. */
  early: false,
  /** Why there is no microphone, as of MicrophoneError; null: nothing is known against it. */
  fault: null,
  /** What is awaited: "words" of what was said, its "reply", or the reply's "speech"; null: nothing. */
  awaited: null,
  /** What is being said: `{source: "door" | "typed", line, ended, paused}`; `line` null: no words yet. */
  voice: null,
  /** Whether speech is ignored until its end, because it was interrupted here. */
  deaf: false,
  interruptedAt: -Infinity,
  /** Whether a typed text is being answered. */
  typing: false,
  ringing: false,
  emotion: "neutral",
  lines: [],
  lastId: 0,
};

/** "connecting", "lost", "replaced", "revoked", "listening", "speaking", "thinking" or "idle". */
export function phaseOf(state) {
  const speaking = state.voice && state.voice.line !== null;
  if (state.link !== "open" && !state.typing && !speaking) return state.link;
  if (state.ears !== "off" && state.mode !== "free") return "listening";
  if (speaking) return state.voice.paused ? "thinking" : "speaking";
  if (state.awaited || state.typing) return "thinking";
  return state.ears === "off" ? "idle" : "listening";
}

/** Whether there is something to interrupt. */
export const interruptible = (state) => Boolean(state.voice || state.awaited || state.typing || state.ringing);

function add(state, line) {
  const id = state.lastId + 1;
  const lines = [...state.lines, { id, ...line }].slice(-MOST_LINES);
  return { ...state, lines, lastId: id };
}

function change(state, id, changes) {
  const lines = state.lines.map((line) =>
    line.id === id ? { ...line, ...(typeof changes === "function" ? changes(line) : changes) } : line,
  );
  return { ...state, lines };
}

const reply = (more) => ({ who: "lobug", sentences: [], shown: 0, current: -1, state: "speaking", message: null, memories: [], unasked: false, ...more });

function play(state, samples, rate, effects) {
  effects.push({ type: "play", samples, rate });
  return state.voice?.paused ? { ...state, voice: { ...state.voice, paused: false } } : state;
}

/** End the line that is being said: "done" or "interrupted". */
function close(state, how) {
  const { voice } = state;
  let next = { ...state, voice: null };
  if (voice?.line != null) {
    next = change(next, voice.line, (line) => ({
      state: how,
      current: -1,
      shown: how === "done" ? line.sentences.length : line.shown,
    }));
  }
  return next;
}

/** Interrupt what is said or awaited; what the server still sends of it is ignored. */
function silence(state, now, effects, { tell = true } = {}) {
  const atDoor = state.voice ? state.voice.source === "door" && !state.voice.ended : state.awaited && !state.typing;
  if (state.voice) effects.push({ type: "cut" });
  if (state.typing) effects.push({ type: "hang_up" });
  if (tell) effects.push({ type: "send", message: { type: "abort" } });
  const deaf = state.deaf || Boolean(state.voice && atDoor);
  const next = { ...close(state, "interrupted"), awaited: null, typing: false, deaf };
  return atDoor ? { ...next, interruptedAt: now } : next;
}

function withoutInterim(state) {
  return { ...state, lines: state.lines.filter((line) => !line.interim) };
}

function heard(state, message) {
  const text = message.text.trim();
  const interim = state.lines.find((line) => line.interim);
  if (message.interim && !text) return withoutInterim(state);
  const line = { who: "person", text, interim: Boolean(message.interim) };
  return interim ? change(state, interim.id, line) : add(state, line);
}

/** Turn the ears off. `message` is what the server is told. */
function stopEars(state, effects, message) {
  effects.push({ type: "close_microphone" });
  if (message) effects.push({ type: "send", message });
  return { ...state, ears: "off" };
}

function startEars(state, now, effects) {
  // Beginning to listen interrupts by itself, except that in free mode nobody has spoken yet.
  const interrupts = state.mode !== "free" && interruptible(state);
  const next = interrupts ? silence(state, now, effects, { tell: false }) : state;
  effects.push({ type: "send", message: { type: "listen", state: "start", mode: PROTOCOL_MODE[state.mode] } });
  effects.push({ type: "open_microphone" });
  return { ...withoutInterim(next), ears: "opening", fault: null };
}

const ON = {
  link(state, { link, now }, effects) {
    if (link === state.link && link !== "open") return state;
    let next = { ...state, link, early: false };
    if (link === "open") {
      if (state.early) return startEars(next, now, effects);
      if (state.mode === "free" && state.ears !== "off") {
        effects.push({ type: "send", message: { type: "listen", state: "start", mode: "realtime" } });
      }
      return next;
    }
    if (next.voice?.source === "door") {
      effects.push({ type: "cut" });
      next = close(next, "interrupted");
    }
    next = withoutInterim({ ...next, awaited: next.typing ? next.awaited : null, deaf: false, ringing: false });
    const stays = next.mode === "free" && (link === "lost" || link === "connecting");
    return next.ears === "off" || stays ? next : stopEars(next, effects);
  },

  message(state, { message, now }, effects) {
    return MESSAGES[message.type]?.(state, message, effects, now) ?? state;
  },

  audio(state, { samples, rate }, effects) {
    if (state.deaf || state.voice?.source !== "door") return state;
    return play(state, samples, rate, effects);
  },

  /** The button: pressed to hold it, or clicked. */
  press(state, { now }, effects) {
    if (state.link === "connecting" && state.ears === "off") return { ...state, early: !state.early };
    if (state.ears !== "off") return ON.release(state, { now }, effects);
    return state.link === "open" ? startEars(state, now, effects) : state;
  },

  /** The button was let go, or clicked again. */
  release(state, event, effects) {
    if (state.early) return { ...state, early: false };
    if (state.ears === "off") return state;
    if (state.link !== "open") return stopEars(state, effects);
    const next = stopEars(state, effects, { type: "listen", state: "stop" });
    // In free mode nobody may have spoken; then nothing is answered, and nothing is awaited.
    const spoke = state.mode !== "free" || state.lines.some((line) => line.interim);
    return { ...next, awaited: spoke && !state.voice ? "words" : state.awaited };
  },

  microphone(state, { fault }, effects) {
    if (!fault) return state.ears === "opening" ? { ...state, ears: "on" } : state;
    const told = state.ears !== "off" ? DISCARD : null;
    return { ...stopEars(state, effects, told), awaited: null, fault };
  },

  /** It has been quiet for long after a tap. What was `spoken` before is answered: the server may be
      too busy to have noticed its end. */
  quiet(state, { spoken, ...event }, effects) {
    if (state.mode !== "tap" || state.ears === "off") return state;
    if (spoken) return ON.release(state, event, effects);
    return stopEars(withoutInterim(state), effects, DISCARD);
  },

  interrupt(state, { now }, effects) {
    if (interruptible(state)) return { ...silence(state, now, effects), early: false, ringing: false };
    if (state.ears === "off") return { ...state, early: false };
    return stopEars(withoutInterim(state), effects, DISCARD);
  },

  /** Listen no longer, but let a reply go on. */
  leave(state, event, effects) {
    if (state.ears === "off") return { ...state, early: false };
    const goesOn = state.voice || state.awaited || state.ringing;
    const message = goesOn ? { type: "listen", state: "stop" } : DISCARD;
    return stopEars(withoutInterim(state), effects, message);
  },

  mode(state, { mode }, effects) {
    if (mode === state.mode) return state;
    return { ...ON.leave(state, {}, effects), mode };
  },

  ringing(state, { ringing }) {
    return { ...state, ringing };
  },

  /** A face came, but no speech: there is no reply. */
  no_speech(state) {
    return state.awaited === "speech" ? { ...state, awaited: null } : state;
  },

  mark(state, { mark: { line, index } }) {
    return change(state, line, (found) =>
      found.state === "speaking" ? { shown: Math.max(found.shown, index + 1), current: index } : {},
    );
  },

  /** What came of a reply has been played, and the rest is still being made. */
  paused(state) {
    const { voice } = state;
    if (voice?.line == null || voice.ended) return state;
    return change({ ...state, voice: { ...voice, paused: true } }, voice.line, { current: -1 });
  },

  drained(state) {
    return state.voice?.ended ? close(state, "done") : state;
  },

  typed(state, { text, now }, effects) {
    let next = interruptible(state) ? silence(state, now, effects) : state;
    next = add(withoutInterim(next), { who: "person", text, typed: true });
    effects.push({ type: "ask", text });
    return { ...next, typing: true, awaited: "reply", early: false };
  },

  /** The memories that a typed reply used. */
  used(state, { line, entries }) {
    return change(state, line, { memories: entries });
  },

  typed_event(state, { name, data }, effects) {
    return state.typing ? (TYPED[name]?.(state, data, effects) ?? state) : state;
  },
};

const MESSAGES = {
  stt(state, message, effects, now) {
    let next = heard(state, message);
    // Somebody speaks while a typed text is answered aloud.
    if (message.text && state.typing) next = silence(next, now, effects, { tell: false });
    if (message.interim) return next;
    if (state.voice?.source === "door") {
      effects.push({ type: "cut" });
      next = close(next, "interrupted");
    }
    if (next.ears !== "off" && next.mode === "tap") next = stopEars(next, effects);
    return { ...next, awaited: "reply" };
  },

  llm(state, { emotion }, effects) {
    const next = { ...state, emotion };
    if (state.typing) return next;
    if (state.awaited === "words" && emotion === "confused") return { ...add(withoutInterim(next), { who: "note", key: "not_heard" }), awaited: null };
    if (state.awaited !== "reply") return next;
    effects.push({ type: "expect_speech" });
    return { ...next, awaited: "speech" };
  },

  tts(state, message, effects, now) {
    return SPEECH[message.state]?.(state, message, effects, now) ?? state;
  },

  alert(state, { message, emotion }) {
    const next = add(withoutInterim(state), { who: "fault", text: message });
    return { ...next, emotion: emotion ?? state.emotion, awaited: state.typing ? state.awaited : null };
  },

  memories(state, { entries, message_id }) {
    const last = state.lines.findLast((line) => line.who === "lobug" && !line.unasked);
    return last ? change(state, last.id, { memories: entries ?? [], message: message_id ?? null }) : state;
  },
};

const SPEECH = {
  start(state, message, effects, now) {
    // The start of a reply that was interrupted here a moment before.
    if (now - state.interruptedAt < LATE_START_MS && !state.awaited) return { ...state, deaf: true };
    if (state.typing) return state;
    // A start while something sounds: the server noticed an interruption.
    if (state.voice) effects.push({ type: "cut" });
    const next = close(state, "interrupted");
    return { ...next, deaf: false, voice: { source: "door", line: null, ended: false, unasked: !state.awaited } };
  },

  sentence_start(state, { text }, effects) {
    if (state.deaf || state.voice?.source !== "door") return state;
    let next = state;
    if (next.voice.line === null) {
      next = add(next, reply({ unasked: next.voice.unasked }));
      next = { ...next, voice: { ...next.voice, line: next.lastId } };
    }
    const { line } = next.voice;
    const index = next.lines.find(({ id }) => id === line)?.sentences.length ?? 0;
    effects.push({ type: "mark", mark: { line, index } });
    next = change(next, line, ({ sentences }) => ({ sentences: [...sentences, text] }));
    return { ...next, awaited: null };
  },

  stop(state, message, effects) {
    if (state.deaf) return { ...state, deaf: false, interruptedAt: -Infinity };
    if (state.voice?.source !== "door") return state;
    if (state.voice.line === null) return { ...state, voice: null };
    effects.push({ type: "end" });
    return { ...state, voice: { ...state.voice, ended: true } };
  },
};

/** The line of the reply to a typed text, made when its first words come. */
function typedLine(state) {
  if (state.voice?.source === "typed") return state;
  const next = add(state, reply({ text: "" }));
  return { ...next, voice: { source: "typed", line: next.lastId, ended: false }, awaited: null };
}

const TYPED = {
  notice(state, { text }) {
    return add(state, { who: "note", text });
  },

  reply_delta(state, { text }) {
    const next = typedLine(state);
    return change(next, next.voice.line, (line) => ({ text: line.text + text }));
  },

  piece(state, { index, text }, effects) {
    const next = typedLine(state);
    const { line } = next.voice;
    effects.push({ type: "mark", mark: { line, index } });
    return change(next, line, ({ sentences }) => ({ sentences: [...sentences, text] }));
  },

  audio(state, { samples, rate }, effects) {
    return play(state, samples, rate, effects);
  },

  done(state, { response, message_id }, effects) {
    let next = response ? typedLine(state) : { ...state, awaited: null };
    next = { ...next, typing: false };
    if (next.voice?.source !== "typed") return next;
    const { line } = next.voice;
    next = change(next, line, ({ text }) => ({ text: response || text, message: message_id ?? null }));
    if (message_id) effects.push({ type: "look_up", message_id, line });
    effects.push({ type: "end" });
    return { ...next, voice: { ...next.voice, ended: true } };
  },

  error(state, { response }, effects) {
    if (state.voice) effects.push({ type: "cut" });
    const next = close(state, "interrupted");
    return { ...add(next, { who: "fault", text: response }), typing: false, awaited: null, emotion: "sad" };
  },
};

/** The state after an event, and the effects: `{state, effects}`. Times (`now`) are milliseconds. */
export function step(state, event) {
  const effects = [];
  const next = ON[event.type]?.(state, event, effects) ?? state;
  return { state: next, effects };
}
