// Small parts of which pages consist.

import { html, useEffect, useId, useRef } from "../preact.js";
import { ago, moment, t } from "../sentences.js";
import { Icon } from "./icons.js";

/** The head of a page: its only h1, a sentence about it, and what can be done on all of it. */
export function PageHead({ title, about, children }) {
  return html`<header class="page-head">
    <div>
      <h1>${title}</h1>
      ${about && html`<p class="muted">${about}</p>`}
    </div>
    ${children && html`<div class="actions">${children}</div>`}
  </header>`;
}

/** A framed part of a page. */
export function Card({ title, about, actions, children, ...rest }) {
  return html`<section class="card" ...${rest}>
    ${(title || actions) &&
    html`<header class="card-head">
      <div>
        ${title && html`<h2>${title}</h2>`}
        ${about && html`<p class="muted">${about}</p>`}
      </div>
      ${actions && html`<div class="actions">${actions}</div>`}
    </header>`}
    ${children}
  </section>`;
}

/** What stands where there is nothing yet. */
export function Empty({ icon, title, children }) {
  return html`<div class="empty">
    ${icon && html`<${Icon} name=${icon} />`}
    <p class="empty-title">${title}</p>
    ${children && html`<div class="muted">${children}</div>`}
  </div>`;
}

/** While something is fetched. Shown only after a moment, so that quick answers do not flicker. */
export function Loading({ what }) {
  return html`<p class="loading" role="status"><span class="spinner" aria-hidden="true"></span>${what ?? t("shell.loading")}</p>`;
}

/** A failed request, in its own words, with a way to try again. */
export function Fault({ error, retry }) {
  return html`<div class="fault" role="alert">
    <${Icon} name="warning" />
    <p>${error.message}</p>
    ${retry && html`<button class="button button-small" onClick=${retry}>${t("shell.retry")}</button>`}
  </div>`;
}

/** A moment as "5 minutes ago", with the exact time at hand. */
export function When({ at, fallback = "" }) {
  if (!at) return fallback;
  return html`<time datetime=${new Date(at).toISOString()} title=${moment(at)}>${ago(at)}</time>`;
}

/** A labelled field: `children` gets the id that its control must have. */
export function Field({ label, hint, fault, children }) {
  const id = useId();
  const described = hint || fault ? `${id}-more` : undefined;
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${children({ id, "aria-describedby": described, "aria-invalid": fault ? "true" : undefined })}
    ${(hint || fault) &&
    html`<p id=${described} class=${fault ? "fault-text" : "hint"} role=${fault ? "alert" : undefined}>${fault || hint}</p>`}
  </div>`;
}

/** A switch. */
export function Switch({ label, checked, disabled, change, hidden = false }) {
  return html`<label class="switch">
    <input
      type="checkbox"
      role="switch"
      checked=${checked}
      disabled=${disabled}
      onChange=${(event) => change(event.currentTarget.checked)}
    />
    <span class="switch-track" aria-hidden="true"></span>
    <span class=${hidden ? "visually-hidden" : undefined}>${label}</span>
  </label>`;
}

/** Tabs that are links or buttons; `tabs`: `[{name, label, count}]`. */
export function Tabs({ label, tabs, current, choose }) {
  const move = (event) => {
    const at = tabs.findIndex((tab) => tab.name === current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs.at(to % tabs.length);
    choose(next.name);
    event.currentTarget.children[tabs.indexOf(next)].focus();
  };
  const list = useRef(null);
  useEffect(() => {
    // On a phone not all of them fit beside each other.
    const tab = list.current.querySelector('[aria-selected="true"]');
    if (tab) list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.offsetWidth) / 2;
  }, [current]);
  return html`<div class="tabs" role="tablist" ref=${list} aria-label=${label} onKeyDown=${move}>
    ${tabs.map(
      (tab) => html`<button
        key=${tab.name}
        role="tab"
        aria-selected=${tab.name === current ? "true" : "false"}
        tabindex=${tab.name === current ? 0 : -1}
        onClick=${() => choose(tab.name)}
      >${tab.label}${tab.count !== undefined && html`<span class="count">${tab.count}</span>`}</button>`,
    )}
  </div>`;
}

/** A short word in a frame: a layer, a state. kind: "plain", "good", "warning", "bad" or "accent". */
export function Tag({ kind = "plain", children }) {
  return html`<span class="tag tag-${kind}">${children}</span>`;
}

/** A button that shows an icon only. */
export function IconButton({ icon, label, ...rest }) {
  return html`<button class="icon-button" aria-label=${label} title=${label} ...${rest}>
    <${Icon} name=${icon} />
  </button>`;
}
