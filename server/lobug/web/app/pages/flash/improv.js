// What a device is asked and told over the serial line, by the Improv protocol and by one line of
// its console.

import { LineLost, packet } from "./line.js";

const STATE = 1;
const ERROR = 2;
const COMMAND = 3;
const RESULT = 4;

const SEND_WIFI = 1;
const ASK_STATE = 2;
const ASK_DEVICE = 3;
const ASK_NETWORKS = 4;

export const PROVISIONED = 4;
const UNABLE_TO_CONNECT = 3;

/** How long a device may take, milliseconds. A Core2 starts in about four seconds. */
const START_MS = 20_000;
const ANSWER_MS = 5_000;
const NETWORKS_MS = 15_000;
/** Longer than the device itself tries. */
const JOIN_MS = 60_000;
const ASK_AGAIN_MS = 1_000;

/** A device that refuses or does not answer. `code`: silent, refused, unable_to_connect, server. */
export class DeviceError extends Error {
  /** `said`: what the device printed about it, for a person; may be empty. */
  constructor(code, said = "") {
    super(said || code);
    this.code = code;
    this.said = said;
  }
}

const encode = (text) => [...new TextEncoder().encode(text)];
const withLength = (bytes) => [bytes.length, ...bytes];

/** The strings of a result. */
function strings(data) {
  const found = [];
  for (let at = 2; at < data.length; at += 1 + data[at]) {
    found.push(new TextDecoder().decode(new Uint8Array(data.slice(at + 1, at + 1 + data[at]))));
  }
  return found;
}

export class Improv {
  constructor(line) {
    this.line = line;
  }

  /**
   * Wait until the device answers, which may just be starting: `PROVISIONED` or another state.
   * Throws DeviceError, LineLost.
   */
  async state({ patience = START_MS } = {}) {
    // What was typed before must not become part of a command.
    await this.line.writeText("\n");
    const ask = () => this.#send(ASK_STATE);
    const asking = setInterval(() => ask().catch(() => {}), ASK_AGAIN_MS);
    try {
      return await this.#wait(ask, patience, "silent", ({ type, data }) =>
        type === STATE ? { value: data[0] } : null,
      );
    } finally {
      clearInterval(asking);
    }
  }

  /** `{firmware, version, board, name}`. Throws DeviceError, LineLost. */
  async device() {
    const [firmware, version, board, name] = await this.#ask(ASK_DEVICE, [], ANSWER_MS);
    return { firmware, version, board, name };
  }

  /** `[{name, dbm, secured}]`, the strongest first; none if the device cannot look. Throws LineLost. */
  async networks() {
    const found = new Map();
    try {
      await this.#wait(() => this.#send(ASK_NETWORKS), NETWORKS_MS, "silent", (news) => {
        this.#refuse(news);
        if (news.type !== RESULT || news.data[0] !== ASK_NETWORKS) return null;
        const [name, dbm, secured] = strings(news.data);
        if (name === undefined) return { value: null };
        if (name && !found.has(name)) found.set(name, { name, dbm: Number(dbm), secured: secured !== "NO" });
        return null;
      });
    } catch (error) {
      if (error instanceof LineLost) throw error;
    }
    return [...found.values()].sort((one, other) => other.dbm - one.dbm);
  }

  /** Let the device join a Wi-Fi, and wait until it is in. Throws DeviceError, LineLost. */
  async join(name, password) {
    const settings = [...withLength(encode(name)), ...withLength(encode(password))];
    await this.#ask(SEND_WIFI, settings, JOIN_MS);
  }

  /** Tell it where its server is: `url`, or "auto". Throws DeviceError, LineLost. */
  async server(url) {
    let last = "";
    const said = await this.#wait(
      () => this.line.writeText(`server ${url}\n`),
      ANSWER_MS,
      "server",
      ({ text }) => {
        if (text) last = text;
        return text?.startsWith("Saved") ? { value: text } : null;
      },
      () => last,
    );
    return said;
  }

  /** Send a command and return the strings of its result. */
  #ask(command, data, patience) {
    let said = "";
    return this.#wait(() => this.#send(command, data), patience, "silent", (news) => {
      // Why joining failed is printed before the error, which is a number only.
      if (news.text) said = news.text;
      this.#refuse(news, said);
      return news.type === RESULT && news.data[0] === command ? { value: strings(news.data) } : null;
    });
  }

  #refuse({ type, data }, said = "") {
    if (type !== ERROR || data[0] === 0) return;
    throw new DeviceError(data[0] === UNABLE_TO_CONNECT ? "unable_to_connect" : "refused", said);
  }

  #send(command, data = []) {
    return this.line.write(packet(COMMAND, [command, data.length, ...data]));
  }

  /** Call `begin`, then hand all news to `look` until it returns `{value}` or throws. */
  #wait(begin, patience, code, look, said = () => "") {
    return new Promise((resolve, reject) => {
      const end = (settle, value) => {
        clearTimeout(timer);
        stop();
        settle(value);
      };
      const timer = setTimeout(() => end(reject, new DeviceError(code, said())), patience);
      let stop = () => {};
      stop = this.line.listen((news) => {
        if (news.lost) {
          end(reject, new LineLost());
          return;
        }
        try {
          const found = look(news);
          if (found) end(resolve, found.value);
        } catch (error) {
          end(reject, error);
        }
      });
      Promise.resolve(begin()).catch((error) => end(reject, error));
    });
  }
}
