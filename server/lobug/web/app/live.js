// What happens on the server, as it happens: one stream of server-sent events for the whole page.

import { signal, useEffect } from "./preact.js";

const NAMES = ["hello", "changed", "turn", "heard", "ringing", "signed_out"];
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;

/** "connecting", "open" or "lost". */
export const connection = signal("connecting");
/** Counts the connections, so that a page fetches anew after each interruption. */
export const connections = signal(0);
/** Version of the server that this page was made for differs from that of the server now. */
export const outdated = signal(false);

const listeners = new Map();
let source = null;
let retryMs = FIRST_RETRY_MS;
let timer = 0;
let version = null;

/** Call `listener` with the data of each event of a name. Returns the function that stops that. */
export function on(name, listener) {
  if (!listeners.has(name)) listeners.set(name, new Set());
  listeners.get(name).add(listener);
  return () => listeners.get(name).delete(listener);
}

function tell(name, data) {
  for (const listener of listeners.get(name) ?? []) listener(data);
}

/** Open the stream; it is opened anew by itself. A second call does nothing. */
export function connect() {
  if (source) return;
  clearTimeout(timer);
  source = new EventSource("/web/events");
  source.onopen = () => {
    retryMs = FIRST_RETRY_MS;
    connection.value = "open";
    connections.value++;
  };
  source.onerror = () => {
    disconnect();
    connection.value = "lost";
    timer = setTimeout(connect, retryMs * (0.75 + Math.random() / 2));
    retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
  };
  for (const name of NAMES) {
    source.addEventListener(name, (event) => tell(name, JSON.parse(event.data)));
  }
}

/** Close the stream. */
export function disconnect() {
  clearTimeout(timer);
  source?.close();
  source = null;
}

/** Close the stream and open it at once, as somebody else now. */
export function reconnect() {
  disconnect();
  connection.value = "connecting";
  connect();
}

on("hello", (hello) => {
  version ??= hello.version;
  outdated.value = hello.version !== version;
});
addEventListener("online", () => connection.value === "lost" && reconnect());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible" && connection.value === "lost") reconnect();
});

/**
 * Hook: call `refresh` at first, after each interruption, and when one of the topics has changed
 * ("devices", "alerts", "lists", "notes", "memory", "settings", "health", "browsers").
 */
export function useTopics(topics, refresh, inputs = []) {
  useEffect(() => {
    refresh();
    const stops = [
      on("changed", ({ topic }) => topics.includes(topic) && refresh()),
      connections.subscribe((count) => count > 1 && refresh()),
    ];
    return () => stops.forEach((stop) => stop());
  }, inputs);
}

/** Hook: call `listener` with each event of a name. */
export function useLive(name, listener) {
  useEffect(() => on(name, listener), []);
}
