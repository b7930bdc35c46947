// Devices & people: who may talk, and for whom.

import { get } from "../api.js";
import { Empty, Fault, Loading, PageHead, Tabs } from "../components/basics.js";
import { useFetched } from "../components/fetched.js";
import { Icon } from "../components/icons.js";
import { Browsers } from "./devices/browsers.js";
import { DeviceCard } from "./devices/cards.js";
import { InvitationDialog } from "./devices/invitation.js";
import { People } from "./devices/people.js";
import { Tokens } from "./devices/tokens.js";
import { WaitingDevices } from "./devices/waiting.js";
import { html, useSignal } from "../preact.js";
import { go, link, route } from "../router.js";
import { t } from "../sentences.js";

const TABS = ["devices", "people", "browsers", "tokens"];

export default function Page() {
  const { data, error, refresh } = useFetched(() => get("/devices"), ["devices"]);
  const inviting = useSignal(false);
  const asked = route.value.rest[0];
  const tab = TABS.includes(asked) ? asked : "devices";
  const devices = data?.devices ?? [];
  return html`
    <${PageHead} title=${t("devices.title")} about=${t("devices.about")}>
      <div class="actions devices-actions">
        <button class="button" onClick=${() => (inviting.value = true)}>
          <${Icon} name="qr" />${t("devices.invite.open")}
        </button>
        <a class="button button-primary" href=${link("welcome", "device")}>
          <${Icon} name="plus" />${t("devices.add")}
        </a>
      </div>
    <//>
    ${data && html`<${WaitingDevices} waiting=${data.waiting} approved=${refresh} />`}
    <${Tabs}
      label=${t("devices.title")}
      current=${tab}
      choose=${(name) => go(name === "devices" ? link("devices") : link("devices", name), { replace: true })}
      tabs=${TABS.map((name) => ({ name, label: t(`devices.tabs.${name}`) }))}
    />
    <div class="stack" role="tabpanel" aria-label=${t(`devices.tabs.${tab}`)}>
      ${error && data && html`<${Fault} error=${error} retry=${refresh} />`}
      ${tab === "devices" && html`<${Devices} data=${data} error=${error} refresh=${refresh} />`}
      ${tab === "people" && html`<${People} devices=${devices} refreshDevices=${refresh} />`}
      ${tab === "browsers" && html`<${Browsers} />`}
      ${tab === "tokens" && html`<${Tokens} />`}
    </div>
    ${inviting.value && html`<${InvitationDialog} close=${() => (inviting.value = false)} />`}
  `;
}

function Devices({ data, error, refresh }) {
  if (error && !data) return html`<${Fault} error=${error} retry=${refresh} />`;
  if (!data) return html`<${Loading} />`;
  const known = data.devices.filter(({ state }) => state !== "revoked");
  const revoked = data.devices.filter(({ state }) => state === "revoked");
  const cards = (devices) => html`<ul class="grid">
    ${devices.map((device) => html`<${DeviceCard} key=${device.id} device=${device} refresh=${refresh} />`)}
  </ul>`;
  return html`
    ${known.length
      ? cards(known)
      : html`<div class="card">
          <${Empty} icon="devices" title=${t("devices.none")}>
            <p>${t("devices.none_more")}</p>
            <p><a class="button" href=${link("welcome", "device")}>${t("devices.add")}</a></p>
          <//>
        </div>`}
    ${revoked.length > 0 &&
    html`<details>
      <summary>${t("devices.revoked", { n: revoked.length })}</summary>
      ${cards(revoked)}
    </details>`}
  `;
}
