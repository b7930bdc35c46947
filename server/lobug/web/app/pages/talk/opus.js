// Opus by WebCodecs: a tenth of what plain samples weigh, for phones on a slow network.

const US_PER_MS = 1_000;
/** Bits per second of what is sent; speech at 16 kHz loses nothing that is heard. */
const BIT_RATE = 24_000;

const encoderFor = (rate, frameMs) => ({
  codec: "opus",
  sampleRate: rate,
  numberOfChannels: 1,
  bitrate: BIT_RATE,
  opus: { format: "opus", application: "voip", frameDuration: US_PER_MS * frameMs },
});
const decoderFor = (rate) => ({ codec: "opus", sampleRate: rate, numberOfChannels: 1 });

/** Whether this browser can write and read Opus. `sent` and `played`: sample rates in Hz. */
export async function hasOpus(sent, frameMs, played) {
  if (!globalThis.AudioEncoder || !globalThis.AudioDecoder) return false;
  try {
    const answers = await Promise.all([
      AudioEncoder.isConfigSupported(encoderFor(sent, frameMs)),
      AudioDecoder.isConfigSupported(decoderFor(played)),
    ]);
    return answers.every(({ supported }) => supported);
  } catch {
    return false; // it does not know what is asked
  }
}

/** Hands out events in the order in which their places were taken. */
export class Sequence {
  /** `out` gets each event. */
  constructor(out) {
    this.out = out;
    this.places = [];
  }

  get empty() {
    return this.places.length === 0;
  }

  /** Take the next place; `fill` puts the event there, or nothing (null). */
  reserve() {
    const place = { filled: false, event: null };
    this.places.push(place);
    return place;
  }

  fill(place, event) {
    place.filled = true;
    place.event = event;
    while (this.places[0]?.filled) {
      const first = this.places.shift();
      if (first.event !== null) this.out(first.event);
    }
  }

  push(event) {
    this.fill(this.reserve(), event);
  }
}

/** One direction of a codec: what goes in keeps its place among the messages until it comes out. */
class Direction {
  /** `failed` is called when the codec gives up. */
  constructor(Codec, config, output, sequence, failed) {
    this.sequence = sequence;
    this.places = [];
    this.at = 0;
    this.codec = new Codec({
      output: (coded) => {
        const place = this.places.shift();
        if (place) sequence.fill(place, output(coded));
      },
      error: failed,
    });
    this.codec.configure(config);
  }

  /** Where the next piece of sound begins, µs. */
  next(durationUs) {
    const timestamp = this.at;
    this.at += durationUs;
    this.places.push(this.sequence.reserve());
    return timestamp;
  }

  /** Let what is inside come out; what then is still missing gives up its place. */
  settle() {
    const waiting = [...this.places];
    this.codec.flush().then(
      () => {
        for (const place of waiting.filter((one) => !one.filled)) {
          this.places.splice(this.places.indexOf(place), 1);
          this.sequence.fill(place, null);
        }
      },
      () => {}, // it was closed
    );
  }

  close() {
    if (this.codec.state !== "closed") this.codec.close();
  }
}

/** Turns frames of 16-bit samples into packets. */
export class OpusEncoder extends Direction {
  constructor(rate, frameMs, sequence, failed) {
    const output = (chunk) => {
      const packet = new ArrayBuffer(chunk.byteLength);
      chunk.copyTo(packet);
      return packet;
    };
    super(AudioEncoder, encoderFor(rate, frameMs), output, sequence, failed);
    this.rate = rate;
    this.frameUs = US_PER_MS * frameMs;
  }

  push(frame) {
    const data = new AudioData({
      format: "s16",
      sampleRate: this.rate,
      numberOfChannels: 1,
      numberOfFrames: frame.byteLength / 2,
      timestamp: this.next(this.frameUs),
      data: frame,
    });
    this.codec.encode(data);
    data.close();
  }
}

/** Turns packets into `{samples, rate}`, 16-bit samples as the player takes them. */
export class OpusDecoder extends Direction {
  constructor(rate, frameMs, sequence, failed) {
    const output = (data) => {
      const values = new Float32Array(data.numberOfFrames);
      data.copyTo(values, { planeIndex: 0, format: "f32-planar" });
      const rate = data.sampleRate;
      data.close();
      const samples = Int16Array.from(values, (value) => Math.round(Math.max(-1, Math.min(1, value)) * 32_767));
      return { type: "audio", samples: samples.buffer, rate };
    };
    super(AudioDecoder, decoderFor(rate), output, sequence, failed);
    this.frameUs = US_PER_MS * frameMs;
  }

  push(packet) {
    const timestamp = this.next(this.frameUs);
    this.codec.decode(new EncodedAudioChunk({ type: "key", timestamp, duration: this.frameUs, data: packet }));
  }
}
