// Starts the page: who are we, which page is asked for, and the frame around it.

import { Banner } from "./components/banner.js";
import { del } from "./api.js";
import { attempt, Toasts } from "./components/toasts.js";
import { Icon } from "./components/icons.js";
import { connect, connection, disconnect, outdated, on, reconnect } from "./live.js";
import { html, render, signal, useEffect, useRef } from "./preact.js";
import { link, route } from "./router.js";
import { loadSentences, t } from "./sentences.js";
import { isOwner, loadSession, session, shownUser } from "./session.js";

/** Pages with a place in the navigation, in its order; `owner`: for the owner alone. */
const PLACES = [
  { name: "talk", icon: "talk" },
  { name: "memory", icon: "memory" },
  { name: "deeds", icon: "deeds" },
  { name: "devices", icon: "devices", owner: true },
  { name: "turns", icon: "turns", owner: true },
  { name: "settings", icon: "settings" },
];
/** All pages: those with a place, the first run, devices over USB, the door for other browsers, and
 * trust for HTTPS. */
const PAGES = new Set([...PLACES.map((place) => place.name), "welcome", "flash", "pair", "trust"]);
const OWNER_PAGES = new Set(["flash", ...PLACES.filter((place) => place.owner).map((place) => place.name)]);

const shown = signal(null);
/** The alert that rings for the person; null: none does. */
const ringing = signal(null);
/** Pages that tell of it themselves. */
const RINGING_PAGES = new Set(["talk", "deeds"]);
/** What kept a page from being loaded. */
const failure = signal(null);

const stylesheets = new Map();
/** Load styles; done when they are in use. */
function stylesheet(name) {
  if (!stylesheets.has(name)) {
    if (document.querySelector(`style[data-name="${name}"]`)) return null; // stands in the page
    const element = document.createElement("link");
    element.rel = "stylesheet";
    element.href = `web/app/styles/${name}.css`;
    const loading = new Promise((resolve, reject) => {
      element.onload = resolve;
      element.onerror = () => {
        stylesheets.delete(name);
        element.remove();
        reject(new Error(element.href));
      };
    });
    stylesheets.set(name, loading);
    document.head.append(element);
  }
  return stylesheets.get(name);
}

/** A page's module, once its sentences and styles are there too. */
async function load(name) {
  const [module] = await Promise.all([import(`./pages/${name}.js`), loadSentences(name), stylesheet(name)]);
  return module;
}

/** The page that may be shown for an address: strangers pair first, a new owner says who it is. */
function allowed(name) {
  if (!PAGES.has(name)) return "talk";
  const { role, user } = session.value;
  if (role === "stranger") return name === "trust" ? name : "pair";
  if (role === "owner" && !user && name === "talk") return "welcome";
  return OWNER_PAGES.has(name) && role !== "owner" ? "talk" : name;
}

/** Longest wait for the first page before the frame is drawn without it, ms. */
const FRAME_MS = 250;

let wanted = 0;
async function show(name) {
  const turn = ++wanted;
  failure.value = null;
  if (shown.value?.name === name) return;
  try {
    const module = await load(name);
    // A page may be made of parts of another one, and so of its words and styles.
    await Promise.all((module.uses ?? []).flatMap((other) => [loadSentences(other), stylesheet(other)]));
    if (turn !== wanted) return;
    shown.value = { name, Page: module.default };
    document.title = t("shell.title", { page: t(`shell.pages.${name}`) });
  } catch (error) {
    if (turn !== wanted) return;
    console.error(error);
    failure.value = name;
  }
}

function Navigation() {
  const current = shown.value?.name;
  const places = PLACES.filter((place) => !place.owner || isOwner.value);
  return html`<nav class="nav" aria-label=${t("shell.navigation")}>
    <a class="nav-home" href=${link("talk")} tabindex="-1" aria-hidden="true">
      <img loading="lazy" src="web/app/icon.svg" alt="" width="36" height="36" /><span>Lo-Bug</span>
    </a>
    <ul>
      ${places.map(
        ({ name, icon }) => html`<li key=${name}>
          <a href=${link(name)} aria-current=${current === name ? "page" : undefined}>
            <${Icon} name=${icon} />
            <span class="nav-short" aria-hidden="true">${t(`shell.short.${name}`)}</span>
            <span class="nav-long">${t(`shell.pages.${name}`)}</span>
          </a>
        </li>`,
      )}
    </ul>
    <p class="nav-person">
      ${shownUser.value && html`<${Icon} name="person" /><span>${shownUser.value}</span>`}
    </p>
  </nav>`;
}

/** What a banner says of an alert that rings. */
function ringsWords({ kind, label }) {
  return label && kind !== "reminder" ? t("shell.rings.named", { name: label }) : t(`shell.rings.${kind}`);
}

function Banners() {
  const rings = RINGING_PAGES.has(shown.value?.name) ? null : ringing.value;
  return html`
    ${rings &&
    html`<${Banner}
      kind="warning"
      action=${{ label: t("shell.stop"), run: () => attempt(() => del(`/alerts/${rings.id}`)) }}
    >
      ${ringsWords(rings)}
    <//>`}
    ${connection.value === "lost" &&
    session.value.role !== "stranger" &&
    html`<${Banner} kind="warning" action=${{ label: t("shell.retry"), run: reconnect }}>
      ${t("shell.lost")}
    <//>`}
    ${outdated.value &&
    html`<${Banner} kind="note" action=${{ label: t("shell.reload"), run: () => location.reload() }}>
      ${t("shell.outdated")}
    <//>`}
  `;
}

function App() {
  const main = useRef(null);
  const first = useRef(true);
  const name = allowed(route.value.page);
  useEffect(() => void show(name), [name]);
  const page = shown.value;
  useEffect(() => {
    if (!page) return;
    if (first.current) {
      first.current = false;
      return;
    }
    // A screen reader reads the heading of the page that was navigated to.
    const heading = main.current?.querySelector("h1") ?? main.current;
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [page?.name]);
  const bare = name === "welcome" || name === "flash" || name === "pair" || name === "trust";
  return html`
    <a class="skip" href="#content" onClick=${(event) => {
      event.preventDefault();
      main.current?.focus();
    }}>${t("shell.skip")}</a>
    <div class=${bare ? "frame frame-bare" : "frame"}>
      ${!bare && html`<${Navigation} />`}
      <main id="content" ref=${main} tabindex="-1" aria-busy=${page ? undefined : "true"}>
        <${Banners} />
        ${failure.value
          ? html`<div class="empty" role="alert">
              <h1>${t("shell.page_failed")}</h1>
              <button class="button" onClick=${() => show(name)}>${t("shell.retry")}</button>
            </div>`
          : page && html`<${page.Page} key=${page.name} />`}
      </main>
    </div>
    <${Toasts} />
  `;
}

/** Open the stream of events as whoever this browser is now; a stranger is told of nothing. */
function follow() {
  if (session.value.role !== "stranger") reconnect();
  else disconnect();
}

async function start() {
  // Most visitors get the page they ask for: it need not wait for who they are. `show` tells of failures.
  if (PAGES.has(route.value.page)) load(route.value.page).catch(() => {});
  let asking = loadSession();
  asking.catch(() => {}); // Told of below, once there are sentences.
  await loadSentences("shell");
  const root = document.getElementById("app");
  for (let wait = 1_000; ; wait = Math.min(2 * wait, 15_000)) {
    try {
      await asking;
      break;
    } catch (error) {
      if (globalThis.firstView) globalThis.firstView.say(t("shell.lost"));
      else {
        render(
          html`<main class="empty" role="alert"><h1>${t("shell.lost")}</h1><p>${error.message}</p></main>`,
          root,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, wait));
      asking = loadSession();
    }
  }
  // A page that comes quickly is drawn at once, with its frame; for a slow one the frame does not wait.
  const showing = show(allowed(route.value.page));
  if (globalThis.firstView) await showing;
  else await Promise.race([showing, new Promise((resolve) => setTimeout(resolve, FRAME_MS))]);
  if (shown.value?.name !== "talk") globalThis.firstView?.remove();
  render(html`<${App} />`, root);
  globalThis.firstView?.handOver();
  session.subscribe((who) => (who.role === "stranger" ? undefined : connect()));
  on("ringing", ({ alert }) => (ringing.value = alert));
  on("hello", () => (ringing.value = null)); // what rings is told after it
  on("signed_out", () => loadSession().then(follow, () => {}));
}

start().catch((error) => {
  console.error(error);
  globalThis.firstView?.fail();
});

