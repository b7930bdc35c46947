// What this browser is, by what it says of itself. Pure, but for the defaults.

const SYSTEMS = [
  ["ios", /iPhone|iPad|iPod/],
  ["android", /Android/],
  ["windows", /Windows/],
  ["macos", /Mac OS X|Macintosh/],
  ["linux", /Linux|X11|CrOS/],
];

const BROWSERS = [
  ["Firefox", /Firefox|FxiOS/],
  ["Edge", /Edg(e|A|iOS)?\//],
  ["Opera", /OPR\//],
  ["Samsung Internet", /SamsungBrowser/],
  ["Chrome", /Chrome|CriOS|Chromium/],
  ["Safari", /Safari/],
];

const found = (table, agent) => table.find(([, pattern]) => pattern.test(agent))?.[0] ?? null;

/** "ios", "android", "windows", "macos", "linux", or null. An iPad says that it is a Macintosh. */
export function systemOf(agent = navigator.userAgent, touchPoints = navigator.maxTouchPoints) {
  const system = found(SYSTEMS, agent);
  return system === "macos" && touchPoints > 1 ? "ios" : system;
}

/** "Firefox", "Chrome" and the like, or null. */
export const browserOf = (agent = navigator.userAgent) => found(BROWSERS, agent);

/** The browser and the system as a person calls them: `{browser, system}`, either may be null. */
export function thisBrowser() {
  const ipad = /iPad|Macintosh/.test(navigator.userAgent);
  const names = { ios: ipad ? "iPad" : "iPhone", android: "Android", windows: "Windows", macos: "Mac", linux: "Linux" };
  return { browser: browserOf(), system: names[systemOf()] ?? null };
}
