// Short messages at the edge of the page: what was done, with a way back, or what went wrong.

import { html, signal } from "../preact.js";
import { t } from "../sentences.js";
import { Icon } from "./icons.js";

const SHOWN_MS = 6_000;
const toasts = signal([]);
let last = 0;

function dismiss(id) {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Show a message. kind: "done" or "bad"; action: `{label, run}`. What is bad stays until dismissed. */
export function toast(text, { kind = "done", action = null } = {}) {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-3), { id, text, kind, action }];
  if (kind !== "bad") setTimeout(() => dismiss(id), action ? 2 * SHOWN_MS : SHOWN_MS);
}

/** Run a request; show the sentence of what it failed with. Returns its result, or undefined. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name !== "AbortError") toast(error.message, { kind: "bad" });
    return undefined;
  }
}

export function Toasts() {
  return html`<div class="toasts" role="status" aria-live="polite">
    ${toasts.value.map(
      ({ id, text, kind, action }) => html`<div class="toast toast-${kind}" key=${id}>
        <p>${text}</p>
        ${action &&
        html`<button class="button button-small" onClick=${() => {
          dismiss(id);
          action.run();
        }}>${action.label}</button>`}
        <button class="icon-button" aria-label=${t("shell.dismiss")} onClick=${() => dismiss(id)}>
          <${Icon} name="close" />
        </button>
      </div>`,
    )}
  </div>`;
}
