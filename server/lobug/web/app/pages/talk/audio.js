// The page's one AudioContext, what plays replies and what listens. All of it needs a secure context:
// HTTPS, or this very computer.

import { signal } from "../../preact.js";

const LEAST_S = 0.08;
/** Sample rate and length of the frames that are sent. */
export const SENT_RATE = 16_000;
export const SENT_FRAME_MS = 20;

/** Whether sound can be heard: browsers keep a page silent until somebody touches it. */
export const audible = signal(false);

let opening = null;

async function openContext() {
  const context = new AudioContext({ latencyHint: "interactive" });
  context.onstatechange = () => (audible.value = context.state === "running");
  await context.audioWorklet.addModule(new URL("./audio-worklet.js", import.meta.url));
  audible.value = context.state === "running";
  return context;
}

/** The context, opened at the first call. Rejects where there is none. */
function sharedContext() {
  opening ??= openContext().catch((error) => {
    opening = null;
    throw error;
  });
  return opening;
}

/** Let sound be heard; call it while somebody touches the page. */
export async function wake() {
  if (!globalThis.isSecureContext) return;
  const context = await sharedContext();
  if (context.state !== "running") await context.resume();
}

/** Plays what it is given, one piece after the other; it can fall silent at once. */
export class Player {
  /** `tell` gets `{type: "mark", mark}`, `began`, `dry` and `drained`; `level` the loudness, 0 to 1. */
  constructor(tell, level) {
    this.tell = tell;
    this.level = level;
    this.node = null;
    this.muted = false;
    this.opening = null;
  }

  /** Get ready to be heard; until then it is silent. It takes a browser some 20 ms. */
  open() {
    this.opening ??= sharedContext().then((context) => this.connect(context), () => {});
  }

  connect(context) {
    this.context = context;
    this.node = new AudioWorkletNode(context, "lobug-player", {
      numberOfInputs: 0,
      outputChannelCount: [1],
      processorOptions: { leastS: LEAST_S },
    });
    this.node.port.onmessage = ({ data }) => (data.type === "level" ? this.level(data.level) : this.tell(data));
    this.node.connect(context.destination);
  }

  get silent() {
    return !this.node || this.muted || this.context.state !== "running";
  }

  /** Seconds from the worklet to the ear. */
  get latencyS() {
    return this.context?.outputLatency || this.context?.baseLatency || 0;
  }

  /** 16-bit samples (ArrayBuffer) at a rate in Hz. Without sound they are dropped. */
  push(samples, rate) {
    if (!this.silent) this.node.port.postMessage({ type: "push", samples, rate }, [samples]);
  }

  /** Tell `mark` when what was pushed before it has been played. */
  mark(mark) {
    if (this.silent) queueMicrotask(() => this.tell({ type: "mark", mark }));
    else this.node.port.postMessage({ type: "mark", mark });
  }

  /** Nothing more comes: tell `drained` at the end. */
  end() {
    if (this.silent) queueMicrotask(() => this.tell({ type: "drained" }));
    else this.node.port.postMessage({ type: "end" });
  }

  /** Fall silent at once; marks that were not reached are forgotten. */
  cut() {
    this.node?.port.postMessage({ type: "cut" });
  }
}

/** Why there is no microphone: "insecure", "refused", "missing", "busy" or "failed". */
export class MicrophoneError extends Error {
  constructor(kind) {
    super(kind);
    this.kind = kind;
  }
}

const KINDS = {
  NotAllowedError: "refused",
  SecurityError: "refused",
  NotFoundError: "missing",
  OverconstrainedError: "missing",
  NotReadableError: "busy",
  AbortError: "busy",
};

/** Longest time that an unused microphone stays open, so that the next word is not lost. */
const KEPT_MS = 15_000;

/** Hears, and hands out frames of 16-bit samples while it is on. */
export class Microphone {
  /** `frame` gets each frame, an ArrayBuffer; `lost` is called when the device has gone. */
  constructor(frame, lost) {
    this.frame = frame;
    this.lost = lost;
    this.stream = null;
    this.wanted = false;
    this.timer = 0;
  }

  /** Listen. Throws MicrophoneError. */
  async open() {
    clearTimeout(this.timer);
    this.wanted = true;
    if (!this.stream) await this.take();
    if (this.wanted) this.node.port.postMessage(true);
  }

  async take() {
    if (!globalThis.isSecureContext || !navigator.mediaDevices) throw new MicrophoneError("insecure");
    let stream;
    let context;
    try {
      [stream, context] = await Promise.all([
        navigator.mediaDevices.getUserMedia({
          audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true },
        }),
        sharedContext(),
      ]);
      await context.resume();
    } catch (error) {
      throw new MicrophoneError(KINDS[error.name] ?? "failed");
    }
    if (this.stream) {
      stream.getTracks().forEach((track) => track.stop()); // opened twice at once
      return;
    }
    this.stream = stream;
    stream.getAudioTracks()[0].onended = () => {
      this.release();
      this.lost();
    };
    this.source = context.createMediaStreamSource(stream);
    this.node = new AudioWorkletNode(context, "lobug-recorder", {
      numberOfOutputs: 0,
      processorOptions: { rate: SENT_RATE, frame: (SENT_RATE * SENT_FRAME_MS) / 1000 },
    });
    this.node.port.onmessage = ({ data }) => this.wanted && this.frame(data);
    this.source.connect(this.node);
  }

  /** Hand out nothing more; the device is released a little later. */
  close() {
    this.wanted = false;
    this.node?.port.postMessage(false);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.release(), KEPT_MS);
  }

  /** Give the device back at once. */
  release() {
    this.wanted = false;
    clearTimeout(this.timer);
    this.source?.disconnect();
    this.stream?.getTracks().forEach((track) => track.stop());
    this.stream = this.source = this.node = null;
  }
}
