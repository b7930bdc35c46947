// The conversation of this page: one door, one microphone and one player for as long as the app is
// open, so that a reply or a ring goes on when somebody looks at another page.

import { get } from "../../api.js";
import { on } from "../../live.js";
import { computed, signal } from "../../preact.js";
import { loadSession, session } from "../../session.js";
import { t } from "../../sentences.js";
import { Microphone, MicrophoneError, Player, SENT_FRAME_MS, SENT_RATE, audible, wake } from "./audio.js";
import { MODES, PAUSE_MS, SILENCE_MS, SPEECH_MS, START, phaseOf, step } from "./dialogue.js";
import { Door, PLAYED_RATE } from "./door.js";
import { hasOpus } from "./opus.js";
import { ask } from "./typed.js";

/** Searches among which that of the last reply is found. */
const LAST_SEARCHES = 5;
const MODE_KEY = "lobug.talk.mode";
const SOUND_KEY = "lobug.talk.sound";
/** Loudness of a frame from which somebody speaks, rather than a room hums. */
const SPOKEN_LEVEL = 0.02;

function remembered(key, allowed, usual) {
  try {
    const value = localStorage.getItem(key);
    return allowed.includes(value) ? value : usual;
  } catch {
    return usual; // storage is forbidden
  }
}

function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // It is forgotten when the page closes.
  }
}

export const state = signal({ ...START, mode: remembered(MODE_KEY, MODES, "hold") });
export const phase = computed(() => phaseOf(state.value));
/** Whether replies are heard, as the person wants it. */
export const sound = signal(remembered(SOUND_KEY, ["on", "off"], "on") === "on");
/** Loudness of what is played, 0 to 1. */
export const level = signal(0);
export { audible };

let door = null;
let player = null;
let microphone = null;
let typed = null;
let quietTimer = 0;
let pauseTimer = 0;
/** Whether somebody has spoken since the microphone was opened. */
let spoken = false;
let arrivedAt = null;

/** Something has happened. */
export function happen(event) {
  const { state: next, effects } = step(state.value, { now: performance.now(), ...event });
  state.value = next;
  for (const effect of effects) EFFECTS[effect.type](effect);
}

const EFFECTS = {
  send: ({ message }) => door.send(message),
  play({ samples, rate }) {
    clearTimeout(pauseTimer);
    arrivedAt ??= performance.now();
    player.push(samples, rate);
  },
  mark: ({ mark }) => player.mark(mark),
  end: () => player.end(),
  cut() {
    arrivedAt = null;
    player.cut();
  },
  open_microphone() {
    spoken = false;
    waitForWords();
    microphone.open().then(
      () => happen({ type: "microphone" }),
      (error) => happen({ type: "microphone", fault: error instanceof MicrophoneError ? error.kind : "failed" }),
    );
  },
  close_microphone() {
    clearTimeout(quietTimer);
    microphone.close();
  },
  expect_speech: () => setTimeout(() => happen({ type: "no_speech" }), SPEECH_MS),
  ask({ text }) {
    const asked = (typed = new AbortController());
    const tell = (name, data) => typed === asked && happen({ type: "typed_event", name, data });
    const answer = () => ask(text, { voice: sound.value && audible.value, signal: asked.signal, tell });
    soundTried().then(answer).catch((error) => {
      if (error.name === "AbortError") return;
      const response = error.code ? error.message : t("shell.unreachable");
      tell("error", { response });
    });
  },
  hang_up: () => typed?.abort(),
  look_up({ message_id, line }) {
    // Not every reply searches memory, so this asks for the last searches rather than for its own.
    get("/memory/recalls", { limit: LAST_SEARCHES }).then(
      ({ recalls }) => {
        const search = recalls.find((one) => one.message_id === message_id);
        if (!search) return;
        const entries = search.hits.filter(({ kind, id }) => search.injected.includes(`${kind}:${id}`));
        happen({ type: "used", line, entries });
      },
      () => {}, // the reply stands without its sources
    );
  },
};

function waitForWords() {
  clearTimeout(quietTimer);
  quietTimer = setTimeout(() => happen({ type: "quiet", spoken }), SILENCE_MS);
}

function onFrame(frame) {
  if (state.value.ears === "off") return;
  const samples = new Int16Array(frame);
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  if (Math.sqrt(sum / samples.length) / 32_768 > SPOKEN_LEVEL) {
    spoken = true;
    waitForWords();
  }
  door.sendAudio(frame);
}

function onPlayer(event) {
  if (event.type === "dry") {
    clearTimeout(pauseTimer);
    pauseTimer = setTimeout(() => happen({ type: "paused" }), PAUSE_MS);
    return;
  }
  if (event.type !== "began") return happen(event);
  if (arrivedAt !== null && state.value.voice?.source === "door") {
    const delay_ms = Math.round(performance.now() - arrivedAt + 1000 * player.latencyS);
    door.send({ type: "playing", delay_ms });
  }
}

/** Open the door, unless it is open. */
export function start() {
  if (!door) {
    player = new Player(onPlayer, (loudness) => (level.value = loudness));
    player.muted = !sound.value;
    microphone = new Microphone(onFrame, () => happen({ type: "microphone", fault: "missing" }));
    // At this computer nothing is won by packing sound.
    const opus = !session.value?.at_this_computer && hasOpus(SENT_RATE, SENT_FRAME_MS, PLAYED_RATE);
    door = new Door((event) => {
      if (event.type === "message" && event.message.type === "tts" && event.message.state === "start") arrivedAt = null;
      happen(event);
      if (event.link === "revoked") loadSession().catch(() => {});
    }, opus);
    on("ringing", ({ alert }) => happen({ type: "ringing", ringing: Boolean(alert) }));
    on("signed_out", () => microphone.release());
    for (const name of ["pointerup", "keyup"]) addEventListener(name, wakeUp);
    // Nobody should have to press the button to learn that it does not work here.
    if (!globalThis.isSecureContext) happen({ type: "microphone", fault: "insecure" });
  }
  if (state.value.link !== "replaced") door.open();
}

/** Get ready to be heard, once the page is seen. */
export const openSound = () => player.open();

/** Longest wait for a page's sound before the first typed words are asked without it, ms. */
const SOUND_MS = 500;
let tried = false;
/** Words that were sent before the app had come find its sound closed: it is opened first, once. */
async function soundTried() {
  if (tried || audible.value || !sound.value || !navigator.userActivation?.hasBeenActive) return;
  tried = true;
  const late = new Promise((resolve) => setTimeout(resolve, SOUND_MS));
  await Promise.race([Promise.all([openSound(), wake()]).catch(() => {}), late]);
}

/** The first touch of the page lets sound be heard. */
function wakeUp() {
  wake().then(
    () => ["pointerup", "keyup"].forEach((name) => removeEventListener(name, wakeUp)),
    () => {},
  );
}

/** Listen no longer; the door stays open for what rings. */
export function leave() {
  happen({ type: "leave" });
  microphone?.release();
}

/** Connect at once: after another tab has talked, or when somebody does not want to wait. */
export function connectHere() {
  happen({ type: "link", link: "connecting" });
  door.retry();
}

export function setMode(mode) {
  remember(MODE_KEY, mode);
  happen({ type: "mode", mode });
}

export function setSound(on) {
  sound.value = on;
  player.muted = !on;
  remember(SOUND_KEY, on ? "on" : "off");
  if (!on) {
    player.cut();
    // What was on its way is no longer heard; its words are shown.
    const { voice } = state.value;
    if (voice?.ended) happen({ type: "drained" });
  }
}

const isEntry = ({ kind, id }, ids) => kind !== "turn" && ids.includes(id);

/** Take a memory out of what the replies show: it was forgotten. */
export function dropMemory(ids) {
  const lines = state.value.lines.map((line) =>
    line.memories?.some((one) => isEntry(one, ids))
      ? { ...line, memories: line.memories.filter((one) => !isEntry(one, ids)) }
      : line,
  );
  state.value = { ...state.value, lines };
}

/** Show a memory's new words: it was corrected. */
export function replaceMemory(id, entry) {
  const lines = state.value.lines.map((line) =>
    line.memories?.some((one) => isEntry(one, [id]))
      ? { ...line, memories: line.memories.map((one) => (isEntry(one, [id]) ? { ...one, ...entry, corrected: true } : one)) }
      : line,
  );
  state.value = { ...state.value, lines };
}
