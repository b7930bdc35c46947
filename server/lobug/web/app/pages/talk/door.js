// The streaming door of the server (docs/protocol.md): one WebSocket, kept open, opened anew.

import { SENT_FRAME_MS, SENT_RATE } from "./audio.js";
import { OpusDecoder, OpusEncoder, Sequence } from "./opus.js";

export const PLAYED_RATE = 24_000;
/** Length of a packet of a reply in Opus, ms: three times the sound for little more than one head. */
const PLAYED_PACKET_MS = 60;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 20_000;
/** Longest wait for the server's hello, ms. */
const HELLO_MS = 10_000;
/** Audio that may wait to be sent, bytes: two seconds. More would arrive too late to be of use. */
const MOST_WAITING = 4 * SENT_RATE;

const helloIn = (format) => ({
  type: "hello",
  version: 1,
  transport: "websocket",
  features: { mcp: false, drops_on_abort: true, memories: true, interim: true },
  audio_params: { format, sample_rate: SENT_RATE, channels: 1, frame_duration: SENT_FRAME_MS },
  downlink: {
    format,
    sample_rate: PLAYED_RATE,
    channels: 1,
    frame_duration: format === "opus" ? PLAYED_PACKET_MS : SENT_FRAME_MS,
  },
});

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
   * `{type: "message", message}` and `{type: "audio", samples, rate}`. `opus`: whether sound goes in
   * Opus, or a promise of that; if Opus fails, plain samples go from then on.
   */
  constructor(tell, opus = false) {
    this.tell = tell;
    this.opus = opus;
    this.socket = null;
    this.session = "";
    this.attempt = 0;
    this.timer = 0;
    this.rate = PLAYED_RATE;
    this.encoder = this.decoder = null;
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
    // Sound and messages leave and arrive in their order, though Opus takes a moment.
    this.leaving = new Sequence((data) => socket.readyState === WebSocket.OPEN && socket.send(data));
    this.arriving = new Sequence((event) => this.tell(event));
    socket.onopen = async () => {
      const hello = helloIn((await this.opus) ? "opus" : "pcm");
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(hello));
    };
    socket.onmessage = ({ data }) => {
      if (typeof data !== "string") return this.hear(data);
      const message = JSON.parse(data);
      if (message.type !== "hello") return this.arriving.push({ type: "message", message });
      clearTimeout(patience);
      this.session = message.session_id;
      this.rate = message.audio_params.sample_rate;
      if (message.audio_params.format === "opus") this.openCodecs(message.audio_params, socket);
      this.attempt = 0;
      this.tell({ type: "link", link: "open" });
    };
    socket.onclose = ({ code }) => {
      clearTimeout(patience);
      this.closeCodecs();
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

  openCodecs({ sample_rate, frame_duration }, socket) {
    const failed = () => {
      this.opus = false;
      socket.close();
    };
    this.encoder = new OpusEncoder(SENT_RATE, SENT_FRAME_MS, this.leaving, failed);
    this.decoder = new OpusDecoder(sample_rate, frame_duration, this.arriving, failed);
  }

  closeCodecs() {
    this.encoder?.close();
    this.decoder?.close();
    this.encoder = this.decoder = null;
  }

  /** Take sound that has arrived, an ArrayBuffer. */
  hear(data) {
    if (this.decoder) this.decoder.push(data);
    else this.arriving.push({ type: "audio", samples: data, rate: this.rate });
  }

  send(message) {
    if (!this.session) return;
    if (!this.leaving.empty) this.encoder?.settle();
    this.leaving.push(JSON.stringify({ session_id: this.session, ...message }));
  }

  /** Send a frame of 16-bit samples; it is dropped while the network cannot take it. */
  sendAudio(frame) {
    if (!this.session || this.socket.bufferedAmount >= MOST_WAITING) return;
    if (this.encoder) this.encoder.push(frame);
    else this.leaving.push(frame);
  }
}
