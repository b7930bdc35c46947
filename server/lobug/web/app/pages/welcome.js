// Welcome: the first run, and adding a device (#/welcome/device).

import { html, useEffect } from "../preact.js";
import { go, link, route } from "../router.js";
import { isOwner } from "../session.js";
import { AddDevice } from "./welcome/add_device.js";
import { FirstRun } from "./welcome/first_run.js";

/** Letting a device or a phone in is a part of the page of devices. */
export const uses = ["devices"];

export default function Page() {
  const { page, rest } = route.value;
  const [what, kind] = page === "welcome" ? rest : [];
  useEffect(() => {
    // Shown in place of the page to talk: it would be gone as soon as the person has a name.
    if (page !== "welcome") go(link("welcome"), { replace: true });
  }, []);
  return html`<div class="welcome">
    <img class="welcome-face" src="web/app/icon.svg" alt="" width="112" height="112" />
    ${what === "device" && isOwner.value ? html`<${AddDevice} kind=${kind} />` : html`<${FirstRun} />`}
  </div>`;
}
