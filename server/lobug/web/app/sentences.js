// The catalogue of all words that a person reads. One file a page and language:
// sentences/LANGUAGE/PAGE.js, loaded when it is needed. A new language is a new folder.

import { signal } from "./preact.js";

const LANGUAGES = ["en"];

/** The language of the page, the best of those there are for this browser. */
export const language =
  (navigator.languages ?? ["en"]).map((tag) => tag.slice(0, 2)).find((tag) => LANGUAGES.includes(tag)) ?? "en";

/** Made at its first use: a browser takes some 30 ms to load what it knows of a language's numbers. */
function lazy(make) {
  let made;
  return () => (made ??= make());
}

const plural = lazy(() => new Intl.PluralRules(language));
const tables = new Map();
const loaded = signal(0);

/** Load the sentences of a page; awaited before the page is shown. */
export async function loadSentences(name) {
  if (tables.has(name)) return;
  const module = await import(`./sentences/${language}/${name}.js`);
  tables.set(name, module.default);
  loaded.value++;
}

/**
 * A sentence, by "page.key". `{name}` in it is replaced by values.name. An entry with the forms
 * `one` and `other` is chosen by values.n. An unknown key is returned itself, so that a test sees it.
 */
export function t(key, values = {}) {
  loaded.value; // what was rendered before its sentences came is rendered again
  const dot = key.indexOf(".");
  let found = tables.get(key.slice(0, dot));
  for (const part of key.slice(dot + 1).split(".")) found = found?.[part];
  if (found && typeof found === "object") found = found[plural().select(values.n)] ?? found.other;
  if (typeof found !== "string") return key;
  return found.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? number(value) : String(value);
  });
}

/** Whether the catalogue has a sentence. */
export const has = (key, values) => t(key, values) !== key;

const numbers = lazy(() => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }));
const times = lazy(() => new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit" }));
const dates = lazy(() => new Intl.DateTimeFormat(language, { dateStyle: "medium" }));
const moments = lazy(() => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }));
const relative = lazy(() => new Intl.RelativeTimeFormat(language, { numeric: "auto" }));

export const number = (value) => numbers().format(value);
/** Times are RFC 3339 strings, Dates, or milliseconds since the epoch. */
export const time = (at) => times().format(new Date(at));
export const date = (at) => dates().format(new Date(at));
export const moment = (at) => moments().format(new Date(at));

const STEPS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** "5 minutes ago", "in 2 hours", "now". */
export function ago(at, now = Date.now()) {
  const seconds = (new Date(at).getTime() - now) / 1000;
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relative().format(Math.trunc(seconds / length), unit);
  }
  return relative().format(0, "second");
}

/** A span as "1:05:09" or "4:30". */
export function span(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const two = (n) => String(n).padStart(2, "0");
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
