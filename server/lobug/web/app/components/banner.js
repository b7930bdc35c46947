// A line across the page about the state of things.

import { html } from "../preact.js";
import { Icon } from "./icons.js";

/** kind: "note", "warning" or "bad"; action: `{label, run}`, a button behind the words. */
export function Banner({ kind = "note", action, children }) {
  return html`<div class="banner banner-${kind}" role=${kind === "note" ? "status" : "alert"}>
    <${Icon} name=${kind === "note" ? "info" : "warning"} />
    <p>${children}</p>
    ${action && html`<button class="button button-small" onClick=${action.run}>${action.label}</button>`}
  </div>`;
}
