// A serial port, read as lines of text and packets of Improv, and written.
//
// Improv (https://www.improv-wifi.com/serial/), version 1:
//   IMPROV 01 TYPE LENGTH DATA... CHECKSUM    the checksum is the sum of all bytes before it

const HEADER = [..."IMPROV"].map((letter) => letter.charCodeAt(0)).concat(1);
const LINE_END = 10;
const BAUD = 115_200;
/** A device prints short lines; more without an end is noise. */
const LONGEST_LINE = 1_000;
/** Errors after which a port goes on: noise, such as that of a restart. */
const PASSING = new Set(["BufferOverrunError", "FramingError", "BreakError", "ParityError"]);

/** The port is gone: the cable was pulled, or another program took it. */
export class LineLost extends Error {}

const sum = (bytes) => bytes.reduce((total, byte) => total + byte, 0) & 0xff;

/** A packet as bytes, with a line end. */
export function packet(type, data) {
  const bytes = [...HEADER, type, data.length, ...data];
  return new Uint8Array([...bytes, sum(bytes), LINE_END]);
}

/** Splits bytes into packets and lines. `onPacket` gets type and data, `onText` a line. */
export class Splitter {
  constructor({ onPacket, onText }) {
    this.onPacket = onPacket;
    this.onText = onText;
    this.held = [];
    this.text = [];
  }

  feed(bytes) {
    for (const byte of bytes) this.#take(byte);
  }

  #take(byte) {
    const { held } = this;
    if (held.length < HEADER.length && byte !== HEADER[held.length]) {
      // Only the first byte of the header is an I, so what was held begins no packet.
      for (const one of held.splice(0)) this.#type(one);
      if (byte === HEADER[0]) held.push(byte);
      else this.#type(byte);
      return;
    }
    held.push(byte);
    const length = held[HEADER.length + 1];
    if (length === undefined || held.length < HEADER.length + 2 + length + 1) return;
    const whole = held.splice(0);
    const checksum = whole.pop();
    if (sum(whole) === checksum) this.onPacket(whole[HEADER.length], whole.slice(HEADER.length + 2));
  }

  #type(byte) {
    if (byte !== LINE_END && this.text.length < LONGEST_LINE) {
      this.text.push(byte);
      return;
    }
    const line = new TextDecoder().decode(new Uint8Array(this.text.splice(0))).trim();
    if (line) this.onText(line);
  }
}

/** An open port. */
export class Line {
  /** Open a port. Throws what `SerialPort.open` throws. */
  static async open(port) {
    await port.open({ baudRate: BAUD });
    return new Line(port);
  }

  constructor(port) {
    this.port = port;
    this.listeners = new Set();
    this.lost = false;
    this.writing = Promise.resolve();
    this.splitter = new Splitter({
      onPacket: (type, data) => this.#tell({ type, data }),
      onText: (text) => this.#tell({ text }),
    });
    this.reading = this.#read();
  }

  /** Call `listener` with each `{type, data}`, `{text}` and, at last, `{lost}`. Returns what ends that. */
  listen(listener) {
    this.listeners.add(listener);
    if (this.lost) listener({ lost: true });
    return () => this.listeners.delete(listener);
  }

  /** Write bytes, after what is being written. Throws LineLost. */
  write(bytes) {
    this.writing = this.writing.catch(() => {}).then(() => this.#write(bytes));
    return this.writing;
  }

  async #write(bytes) {
    if (this.lost || !this.port.writable) throw new LineLost();
    const writer = this.port.writable.getWriter();
    try {
      await writer.write(bytes);
    } catch {
      this.#lose();
      throw new LineLost();
    } finally {
      writer.releaseLock();
    }
  }

  writeText(text) {
    return this.write(new TextEncoder().encode(text));
  }

  /** Close the port. Never throws. */
  async close() {
    this.closing = true;
    this.listeners.clear();
    try {
      await this.reader?.cancel();
      await this.reading;
      await this.port.close();
    } catch {
      // It is gone already.
    }
  }

  async #read() {
    while (this.port.readable && !this.closing) {
      this.reader = this.port.readable.getReader();
      try {
        for (;;) {
          const { value, done } = await this.reader.read();
          if (done) break;
          this.splitter.feed(value);
        }
        break;
      } catch (error) {
        if (!PASSING.has(error.name)) break;
      } finally {
        this.reader.releaseLock();
      }
    }
    if (!this.closing) this.#lose();
  }

  #lose() {
    if (this.lost) return;
    this.lost = true;
    this.#tell({ lost: true });
  }

  #tell(news) {
    for (const listener of [...this.listeners]) listener(news);
  }
}
