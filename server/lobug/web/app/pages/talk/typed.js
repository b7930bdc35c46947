// Typed words: asked over HTTP, answered as server-sent events. The conversation is the same.

import { post } from "../../api.js";

/** The whole events in a text of server-sent events, and the rest of it: `{events, rest}`. Pure. */
export function parseEvents(text) {
  const blocks = text.split("\n\n");
  const rest = blocks.pop();
  const events = [];
  for (const block of blocks) {
    const fields = { event: "", data: "" };
    for (const line of block.split("\n")) {
      const [, name, value] = /^(event|data): ?(.*)$/.exec(line) ?? [];
      if (name) fields[name] += value;
    }
    if (fields.event) events.push({ name: fields.event, data: JSON.parse(fields.data) });
  }
  return { events, rest };
}

/** The samples of a base64 WAV with a header of 44 bytes, an ArrayBuffer. */
export function wavSamples(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return bytes.slice(44).buffer;
}

/** Ask, and hand each event of the answer to `tell(name, data)`. Throws ApiError, AbortError. */
export async function ask(text, { voice, signal, tell }) {
  const options = { headers: { Accept: "text/event-stream" }, signal, raw: true };
  const response = await post("/chat/text", { text, voice }, options);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  let over = false;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const { events, rest } = parseEvents(waiting + value);
    waiting = rest;
    for (const { name, data } of events) {
      over ||= name === "done" || name === "error";
      if (name !== "audio") tell(name, data);
      else tell(name, { samples: wavSamples(data.audio_b64), rate: data.sample_rate });
    }
  }
  if (!over) throw new TypeError("the answer ended early");
}
