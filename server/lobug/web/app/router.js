// Which page is shown: the part of the address behind the #, such as #/memory/entries/12?layer=knowledge.

import { signal } from "./preact.js";

/** What the address asks for now: `{page, rest, query}`, the page's name, what follows it in the path,
 * and the query. */
export function addressed() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [page, ...rest] = path.split("/").map(decodeURIComponent);
  return { page: page || "talk", rest, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The same as a signal. It follows the address a moment later. */
export const route = signal(addressed());

addEventListener("hashchange", () => {
  route.value = addressed();
});

/** The address of a page, for a link. */
export function link(page, ...rest) {
  return `#/${[page, ...rest].map(encodeURIComponent).join("/")}`;
}

/** Go to a page. `replace`: without a step in the history. */
export function go(address, { replace = false } = {}) {
  if (replace) {
    history.replaceState(null, "", address);
    route.value = addressed();
  } else {
    location.hash = address;
  }
}
