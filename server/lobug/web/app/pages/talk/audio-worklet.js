// What computes sound on the audio thread: the microphone's frames and the playback of replies.
// One file without imports, because not every browser lets a worklet import. The classes that
// decide are pure; tests import them.

const CROSSINGS = 16;
/** Part of the lower band that is kept; the rest is the filter's slope. */
const PASSED = 0.92;

function divisor(a, b) {
  return b ? divisor(b, a % b) : a;
}

/** Changes the sample rate of a stream, with a windowed sinc as low-pass. */
export class Resampler {
  /** Rates in Hz, whole numbers. */
  constructor(from, to) {
    const common = divisor(from, to);
    this.up = to / common;
    this.down = from / common;
    const narrow = Math.min(1, to / from);
    this.half = Math.ceil(CROSSINGS / narrow);
    this.phases = from === to ? null : Array.from({ length: this.up }, (_, phase) => this.taps(phase, narrow));
    this.buffer = new Float32Array(this.half - 1);
    this.at = this.half - 1;
    this.phase = 0;
  }

  taps(phase, narrow) {
    const taps = new Float32Array(2 * this.half);
    const cutoff = narrow * PASSED;
    let sum = 0;
    for (let tap = 0; tap < taps.length; tap++) {
      const x = tap - (this.half - 1) - phase / this.up;
      const place = x / this.half;
      const window = Math.abs(place) < 1 ? 0.42 + 0.5 * Math.cos(Math.PI * place) + 0.08 * Math.cos(2 * Math.PI * place) : 0;
      const angle = Math.PI * cutoff * x;
      taps[tap] = (angle === 0 ? 1 : Math.sin(angle) / angle) * window;
      sum += taps[tap];
    }
    return taps.map((value) => value / sum);
  }

  /** The samples that are ready after these more; it lags by `half` samples. */
  push(samples) {
    if (!this.phases) return samples;
    const buffer = new Float32Array(this.buffer.length + samples.length);
    buffer.set(this.buffer);
    buffer.set(samples, this.buffer.length);
    const out = [];
    let { at, phase } = this;
    for (; at + this.half < buffer.length; at += Math.floor(phase / this.up), phase %= this.up) {
      const taps = this.phases[phase];
      const first = at - this.half + 1;
      let value = 0;
      for (let tap = 0; tap < taps.length; tap++) value += taps[tap] * buffer[first + tap];
      out.push(value);
      phase += this.down;
    }
    const used = Math.min(at - this.half + 1, buffer.length);
    this.buffer = buffer.slice(used);
    this.at = at - used;
    this.phase = phase;
    return Float32Array.from(out);
  }
}

/** Cuts a stream into frames of 16-bit samples, each of exactly `size`. */
export class FrameCutter {
  constructor(size) {
    this.size = size;
    this.frame = new Int16Array(size);
    this.filled = 0;
  }

  /** The frames that these samples (-1 to 1) complete. */
  push(samples) {
    const frames = [];
    for (const sample of samples) {
      this.frame[this.filled++] = Math.round(Math.max(-1, Math.min(1, sample)) * 32_767);
      if (this.filled === this.size) {
        frames.push(this.frame);
        this.frame = new Int16Array(this.size);
        this.filled = 0;
      }
    }
    return frames;
  }

  /** Discard what does not fill a frame. */
  clear() {
    this.filled = 0;
  }
}

const FADE = 256;

/**
 * The queue of what is to be played. It waits until it holds a little, so that a late frame is not
 * heard, and knows what has been played: marks between the samples are told when they are reached.
 */
export class Playback {
  /** `least`: samples to wait for before it begins, and after it has run empty. */
  constructor(least) {
    this.least = least;
    this.clear();
  }

  clear() {
    this.queue = [];
    this.held = 0;
    this.offset = 0;
    this.ended = false;
    this.playing = false;
    this.began = false;
  }

  push(samples) {
    if (samples.length === 0) return;
    this.queue.push(samples);
    this.held += samples.length;
    this.ended = false;
  }

  /** A place in the sound; `pull` tells of it when it is reached. */
  mark(mark) {
    this.queue.push({ mark });
    this.ended = false;
  }

  /** Nothing more comes for now: what is held is played to its end. */
  end() {
    this.ended = true;
  }

  /** Fall silent at once. A few milliseconds fade out, or it would crack. */
  cut() {
    const tail = new Float32Array(FADE);
    const head = this.playing ? this.queue.find((part) => !part.mark) : null;
    if (head) tail.set(head.subarray(this.offset, this.offset + FADE));
    this.clear();
    if (!head) return;
    this.push(tail.map((value, index) => value * (1 - index / FADE)));
    this.playing = this.began = true;
    this.fading = true;
  }

  /** Fill `out` with the next samples; returns what has happened by then. */
  pull(out) {
    const events = [];
    let filled = 0;
    if (!this.playing && (this.held >= this.least || this.ended)) this.playing = true;
    while (this.playing && this.queue.length > 0 && filled < out.length) {
      const part = this.queue[0];
      if (part.mark !== undefined) {
        events.push({ type: "mark", mark: part.mark });
        this.queue.shift();
        continue;
      }
      if (!this.began) {
        this.began = true;
        events.push({ type: "began" });
      }
      const count = Math.min(out.length - filled, part.length - this.offset);
      out.set(part.subarray(this.offset, this.offset + count), filled);
      filled += count;
      this.offset += count;
      this.held -= count;
      if (this.offset === part.length) {
        this.queue.shift();
        this.offset = 0;
      }
    }
    out.fill(0, filled);
    if (this.playing && this.queue.length === 0) {
      this.playing = false;
      if (this.ended) {
        this.ended = this.began = false;
        events.push({ type: "drained" });
      } else if (this.fading) {
        this.began = false;
      } else {
        events.push({ type: "dry" });
      }
      this.fading = false;
    }
    return events;
  }
}

if (globalThis.registerProcessor) {
  const LEVEL_EVERY = 1024;

  class Recorder extends AudioWorkletProcessor {
    constructor({ processorOptions: { rate, frame } }) {
      super();
      this.resampler = new Resampler(sampleRate, rate);
      this.cutter = new FrameCutter(frame);
      this.on = false;
      this.port.onmessage = ({ data }) => {
        this.on = data;
        this.cutter.clear();
      };
    }

    process([channels]) {
      if (!channels?.length) return true;
      const mono = channels.length === 1 ? channels[0] : channels[0].map((_, at) => channels.reduce((sum, one) => sum + one[at], 0) / channels.length);
      const samples = this.resampler.push(mono);
      if (!this.on) return true;
      for (const frame of this.cutter.push(samples)) this.port.postMessage(frame.buffer, [frame.buffer]);
      return true;
    }
  }

  class Player extends AudioWorkletProcessor {
    constructor({ processorOptions: { leastS } }) {
      super();
      this.playback = new Playback(leastS * sampleRate);
      this.rate = 0;
      this.sum = this.count = 0;
      this.port.onmessage = ({ data }) => this[data.type](data);
    }

    push({ samples, rate }) {
      if (rate !== this.rate) {
        this.rate = rate;
        this.resampler = new Resampler(rate, sampleRate);
      }
      const values = Float32Array.from(new Int16Array(samples), (value) => value / 32_768);
      this.playback.push(this.resampler.push(values));
    }

    mark({ mark }) {
      this.playback.mark(mark);
    }

    end() {
      this.playback.end();
    }

    cut() {
      this.playback.cut();
    }

    process(inputs, [[out]]) {
      for (const event of this.playback.pull(out)) this.port.postMessage(event);
      for (const sample of out) this.sum += sample * sample;
      this.count += out.length;
      if (this.count >= LEVEL_EVERY) {
        const level = Math.sqrt(this.sum / this.count);
        if (level > 0 || this.loud) this.port.postMessage({ type: "level", level });
        this.loud = level > 0;
        this.sum = this.count = 0;
      }
      return true;
    }
  }

  registerProcessor("lobug-recorder", Recorder);
  registerProcessor("lobug-player", Player);
}
