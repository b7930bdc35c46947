// Which page is shown: the part of the address behind the #, such as #/memory/entries/12?layer=knowledge.

import { signal } from "./preact.js";

function read() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [page, ...rest] = path.split("/").map(decodeURIComponent);
  return { page: page || "talk", rest, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** `{page, rest, query}`: the page's name, what follows it in the path, and the query. */
export const route = signal(read());

addEventListener("hashchange", () => {
  route.value = read();
});

/** The address of a page, for a link. */
export function link(page, ...rest) {
  return `#/${[page, ...rest].map(encodeURIComponent).join("/")}`;
}

/** Go to a page. `replace`: without a step in the history. */
export function go(address, { replace = false } = {}) {
  if (replace) {
    history.replaceState(null, "", address);
    route.value = read();
  } else {
    location.hash = address;
  }
}
