// Welcome: the first run, and adding a device (#/welcome/device).

import { html } from "../preact.js";
import { route } from "../router.js";
import { isOwner } from "../session.js";
import { AddDevice } from "./welcome/add_device.js";
import { FirstRun } from "./welcome/first_run.js";

/** Letting a device or a phone in is a part of the page of devices. */
export const uses = ["devices"];

export default function Page() {
  const [what, kind] = route.value.rest;
  return html`<div class="welcome">
    <img class="welcome-face" src="web/app/icon.svg" alt="" width="112" height="112" />
    ${what === "device" && isOwner.value ? html`<${AddDevice} kind=${kind} />` : html`<${FirstRun} />`}
  </div>`;
}
