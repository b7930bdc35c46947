// Welcome: the first run, and adding a device (#/welcome/device).

import { html, signal, useEffect } from "../preact.js";
import { addressed, go, link, route } from "../router.js";
import { isOwner } from "../session.js";
import { AddDevice } from "./welcome/add_device.js";
import { Face } from "./talk/face.js";
import { FirstRun } from "./welcome/first_run.js";

/** Letting a device or a phone in is a part of the page of devices. */
export const uses = ["devices"];

/** The face does not speak here, so its mouth follows no sound. */
const SILENCE = signal(0);

export default function Page() {
  const { page, rest } = route.value;
  const [what, kind] = page === "welcome" ? rest : [];
  useEffect(() => {
    // Shown in place of the page to talk: it would be gone as soon as the person has a name. The
    // address is read again, because this runs later: the person may have asked for another page.
    if (addressed().page === "talk") go(link("welcome"), { replace: true });
  }, []);
  return html`<div class="welcome">
    <div class="welcome-face">
      <${Face} look="happy" glow="speaking" lively=${false} pulse=${false} asleep=${false} level=${SILENCE} />
    </div>
    ${what === "device" && isOwner.value ? html`<${AddDevice} kind=${kind} />` : html`<${FirstRun} />`}
  </div>`;
}
