// The streaming door of the server (docs/protocol.md): one WebSocket, kept open, opened anew.

import { SENT_FRAME_MS, SENT_RATE } from "./audio.js";

const PLAYED_RATE = 24_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 20_000;
/** Longest wait for the server's hello, ms. */
const HELLO_MS = 10_000;
/** Audio that may wait to be sent, bytes: two seconds. More would arrive too late to be of use. */
const MOST_WAITING = 4 * SENT_RATE;

const HELLO = {
  type: "hello",
  version: 1,
  transport: "websocket",
  features: { mcp: false, drops_on_abort: true, memories: true, interim: true },
  audio_params: { format: "pcm", sample_rate: SENT_RATE, channels: 1, frame_duration: SENT_FRAME_MS },
  downlink: { format: "pcm", sample_rate: PLAYED_RATE, channels: 1, frame_duration: SENT_FRAME_MS },
};

/** What a close code means: "replaced", "revoked" (neither is tried again), "idle" or "lost". */
export function meaningOf(code) {
  return { 4003: "replaced", 4004: "revoked", 4006: "idle" }[code] ?? "lost";
}

/** The wait before the next attempt, ms. `attempt` counts from 0, `chance` is 0 to 1. */
export function retryAfter(attempt, chance) {
  return Math.min(FIRST_RETRY_MS * 2 ** attempt, LONGEST_RETRY_MS) * (0.75 + chance / 2);
}

export class Door {
  /**
   * `tell` gets `{type: "link", link}` ("connecting", "open", "lost", "replaced", "revoked"),
   * `{type: "message", message}` and `{type: "audio", samples, rate}`.
   */
  constructor(tell) {
    this.tell = tell;
    this.socket = null;
    this.session = "";
    this.attempt = 0;
    this.timer = 0;
    this.rate = PLAYED_RATE;
    addEventListener("online", () => this.timer && this.open());
  }

  /** Connect, unless it is connected. */
  open() {
    if (this.socket) return;
    clearTimeout(this.timer);
    this.timer = 0;
    const socket = new WebSocket(new URL("/xiaozhi/v1/", location.href.replace(/^http/, "ws")));
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.session = "";
    const patience = setTimeout(() => socket.close(), HELLO_MS);
    socket.onopen = () => socket.send(JSON.stringify(HELLO));
    socket.onmessage = ({ data }) => {
      if (typeof data !== "string") return this.tell({ type: "audio", samples: data, rate: this.rate });
      const message = JSON.parse(data);
      if (message.type !== "hello") return this.tell({ type: "message", message });
      clearTimeout(patience);
      this.session = message.session_id;
      this.rate = message.audio_params.sample_rate;
      this.attempt = 0;
      this.tell({ type: "link", link: "open" });
    };
    socket.onclose = ({ code }) => {
      clearTimeout(patience);
      this.socket = null;
      const greeted = Boolean(this.session);
      this.session = "";
      const meaning = meaningOf(code);
      if (meaning === "idle" && greeted) return this.open();
      this.tell({ type: "link", link: meaning === "idle" ? "lost" : meaning });
      if (meaning === "replaced" || meaning === "revoked") return;
      this.timer = setTimeout(() => this.open(), retryAfter(this.attempt++, Math.random()));
    };
  }

  /** Connect at once, because somebody asks for it. */
  retry() {
    this.attempt = 0;
    this.open();
  }

  send(message) {
    if (this.session) this.socket.send(JSON.stringify({ session_id: this.session, ...message }));
  }

  /** Send a frame of audio; it is dropped while the network cannot take it. */
  sendAudio(frame) {
    if (this.session && this.socket.bufferedAmount < MOST_WAITING) this.socket.send(frame);
  }
}
