// Adding a device: which one, how it finds this server, and letting it in when it shows its code.

import { get } from "../../api.js";
import { Fault } from "../../components/basics.js";
import { useFetched } from "../../components/fetched.js";
import { FormFault } from "../../components/form.js";
import { CopyButton } from "../../components/handing.js";
import { Icon } from "../../components/icons.js";
import { nameOf } from "../devices/condition.js";
import { Inviting } from "../devices/invitation.js";
import { WaitingDevices } from "../devices/waiting.js";
import { html, useSignal } from "../../preact.js";
import { go, link } from "../../router.js";
import { t } from "../../sentences.js";
import { session } from "../../session.js";

const KINDS = [
  { name: "empty", icon: "download", href: link("flash") },
  { name: "lobug", icon: "devices" },
  { name: "other", icon: "chip" },
  { name: "phone", icon: "qr" },
];

/** `kind`: "lobug", "other", "phone", or undefined while none is chosen. */
export function AddDevice({ kind }) {
  const known = KINDS.some(({ name, href }) => name === kind && !href);
  return html`
    <h1>${t(known ? `welcome.device.${kind}.title` : "welcome.device.title")}</h1>
    ${!known && html`<${KindStep} />`}
    ${kind === "phone" && html`<${Inviting} close=${() => go(link("devices"))} />`}
    ${known && kind !== "phone" && html`<${DeviceStep} kind=${kind} />`}
    <p class="small welcome-centre">
      <a href=${known ? link("welcome", "device") : link("devices")}>
        ${t(known ? "welcome.device.another" : "welcome.device.back")}
      </a>
    </p>
  `;
}

function KindStep() {
  return html`<ul class="kinds">
    ${KINDS.map(
      ({ name, icon, href }) => html`<li key=${name}>
        <a href=${href ?? link("welcome", "device", name)}>
          <${Icon} name=${icon} />
          <span><strong>${t(`welcome.device.${name}.name`)}</strong><span class="hint">${t(`welcome.device.${name}.about`)}</span></span>
          <${Icon} name="chevron" />
        </a>
      </li>`,
    )}
  </ul>`;
}

/** Whether devices can reach the address at all. */
const isReachable = (url) => Boolean(url) && !/^https?:\/\/(localhost|127\.|\[::1\])/.test(url);

function DeviceStep({ kind }) {
  const { data, error, refresh } = useFetched(() => get("/devices"), ["devices"]);
  const approved = useSignal(null);
  const url = session.value.http_url;
  const waiting = data?.waiting ?? [];
  const now = data?.devices.find(({ id }) => id === approved.value?.id);
  return html`<div class="stack">
    ${!isReachable(url) && html`<${FormFault}>${t("welcome.device.unreachable")}<//>`}
    ${!approved.value &&
    html`<ol class="steps">
      <li>${t(`welcome.device.${kind}.step_1`)}</li>
      <li>
        ${t(`welcome.device.${kind}.step_2`)}
        ${kind === "other" &&
        url &&
        html`<div class="address">
          <code>${url}xiaozhi/ota/</code><${CopyButton} small text=${`${url}xiaozhi/ota/`} />
        </div>`}
      </li>
      <li>${t("welcome.device.step_3")}</li>
    </ol>`}
    ${error && html`<${Fault} error=${error} retry=${refresh} />`}
    ${approved.value && html`<${Arrived} device=${now ?? approved.value} />`}
    <${WaitingDevices} waiting=${waiting} approved=${(device) => {
      approved.value = device;
      refresh();
    }} />
    ${!approved.value &&
    data &&
    !waiting.length &&
    html`<p class="loading waiting-for" role="status"><span class="spinner" aria-hidden="true"></span>${t("welcome.device.waiting")}</p>`}
    ${kind === "lobug" &&
    !approved.value &&
    url &&
    html`<details class="small">
      <summary>${t("welcome.device.lobug.trouble")}</summary>
      <p>${t("welcome.device.lobug.trouble_text")}</p>
      <div class="address"><code>${url.replace(/\/$/, "")}</code><${CopyButton} small text=${url.replace(/\/$/, "")} /></div>
    </details>`}
  </div>`;
}

function Arrived({ device }) {
  const here = device.connected || device.state === "paired";
  return html`<div class="card arrived" role="status">
    <${Icon} name=${here ? "check" : "timer"} />
    <div class="row-main">
      <p class="row-title">${t(here ? "welcome.device.here" : "welcome.device.coming", { name: nameOf(device) })}</p>
      <p class="muted small">${t(here ? "welcome.device.here_more" : "welcome.device.coming_more")}</p>
    </div>
    <a class=${here ? "button button-primary" : "button"} href=${link("devices")}>${t("welcome.device.done")}</a>
  </div>`;
}
