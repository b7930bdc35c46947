// The devices that were let in, a card each, and what can be done with one.

import { del, patch, post } from "../../api.js";
import { Field, IconButton, Tag, When } from "../../components/basics.js";
import { Confirm } from "../../components/dialog.js";
import { FormDialog, NameField } from "../../components/form.js";
import { Icon } from "../../components/icons.js";
import { Menu } from "../../components/menu.js";
import { PersonInput, personMeant } from "../../components/person_input.js";
import { toast } from "../../components/toasts.js";
import { html, useSignal } from "../../preact.js";
import { t } from "../../sentences.js";
import { bars, isAtThisServer, LOW_BATTERY, nameOf, stateOf } from "./condition.js";
import { reportRows } from "./report.js";

/** A card. `refresh` is called after each change. */
export function DeviceCard({ device, refresh }) {
  const dialog = useSignal("");
  const close = () => (dialog.value = "");
  const open = (name) => () => (dialog.value = name);
  const state = stateOf(device);
  const revoked = device.state === "revoked";
  const rest = { device, close, refresh };
  return html`<li class="card device-card" aria-labelledby=${`device-${device.id}`}>
    <header class="device-head">
      <div class="row-main">
        <h3 id=${`device-${device.id}`}>${nameOf(device)}</h3>
        <p class="muted small device-person">
          <${Icon} name="person" /><span>${device.user ?? t("devices.own_person")}</span>
        </p>
      </div>
      <${Tag} kind=${state.kind}>${state.text}<//>
    </header>
    <${Condition} device=${device} />
    <dl class="facts small">
      <dt>${t("devices.last_heard")}</dt>
      <dd><${When} at=${device.last_heard_at} fallback=${t("devices.never")} /></dd>
      ${!device.connected &&
      html`<dt>${t("devices.last_seen")}</dt>
        <dd><${When} at=${device.last_seen_at} fallback=${t("devices.never")} /></dd>`}
      ${(device.board || device.firmware) &&
      html`<dt>${t("devices.firmware")}</dt>
        <dd>${[device.board, device.firmware].filter(Boolean).join(" · ")}</dd>`}
      ${device.address && html`<dt>${t("devices.address")}</dt><dd>${device.address}</dd>`}
      ${nameOf(device) !== device.id && html`<dt>${t("devices.id")}</dt><dd>${device.id}</dd>`}
    </dl>
    ${device.update &&
    html`<p class="small device-update">
      <${Icon} name="download" />
      <span>${t("devices.update", { version: device.update })}</span>
    </p>`}
    ${device.report &&
    html`<details class="small device-report">
      <summary>${t("devices.report.title")}</summary>
      <dl class="facts">
        ${reportRows(device.report).map(({ name, text, bad }) => html`<dt>${name}</dt><dd class=${bad ? "device-low" : undefined}>${text}</dd>`)}
        <dt>${t("devices.report.at")}</dt>
        <dd><${When} at=${device.reported_at} fallback=${t("devices.never")} /></dd>
      </dl>
    </details>`}
    <footer class="actions">
      ${!revoked &&
      html`<button class="button button-small" onClick=${open("say")}>
        <${Icon} name="speaker" />${t("devices.say.open")}
      </button>`}
      <${IconButton} icon="edit" label=${t("devices.edit.of", { name: nameOf(device) })} onClick=${open("edit")} />
      ${!revoked &&
      html`<${Menu}
        label=${t("devices.more", { name: nameOf(device) })}
        items=${[
          { label: t("devices.show.open"), icon: "bell", run: open("show"), disabled: !isAtThisServer(device) },
          { label: t("devices.reboot.open"), icon: "restore", run: open("reboot"), disabled: !isAtThisServer(device) },
          { label: t("devices.revoke.open"), icon: "trash", run: open("revoke"), dangerous: true },
        ]}
      />`}
    </footer>
    ${dialog.value === "say" && html`<${SayDialog} ...${rest} />`}
    ${dialog.value === "edit" && html`<${EditDialog} ...${rest} />`}
    ${dialog.value === "show" && html`<${ShowDialog} ...${rest} />`}
    ${dialog.value === "reboot" &&
    html`<${Confirm}
      title=${t("devices.reboot.title", { name: nameOf(device) })}
      action=${t("devices.reboot.action")}
      close=${close}
      run=${async () => {
        await post(`/devices/${encodeURIComponent(device.id)}/reboot`);
        toast(t("devices.reboot.done"));
      }}
    ><p>${t("devices.reboot.text")}</p><//>`}
    ${dialog.value === "revoke" &&
    html`<${Confirm}
      title=${t("devices.revoke.title", { name: nameOf(device) })}
      action=${t("devices.revoke.action")}
      dangerous
      close=${close}
      run=${async () => {
        await del(`/devices/${encodeURIComponent(device.id)}`);
        toast(t("devices.revoke.done", { name: nameOf(device) }));
        refresh();
      }}
    ><p>${t("devices.revoke.text")}</p><//>`}
  </li>`;
}

/** Battery, signal and volume, as far as the device has told of them. */
function Condition({ device }) {
  const { battery, charging, signal_dbm: dbm, volume } = device;
  if (battery == null && dbm == null && volume == null) return null;
  return html`<ul class="device-condition small">
    ${battery != null &&
    html`<li class=${battery < LOW_BATTERY && !charging ? "device-low" : undefined}>
      <${Battery} percent=${battery} />
      ${t(charging ? "devices.charging" : "devices.battery", { percent: battery })}
    </li>`}
    ${dbm != null &&
    html`<li title=${t("devices.dbm", { dbm })}>
      <${Bars} count=${bars(dbm)} />${t(`devices.signal.${bars(dbm)}`)}
    </li>`}
    ${volume != null && html`<li><${Icon} name="speaker" />${t("devices.volume", { percent: volume })}</li>`}
  </ul>`;
}

function Battery({ percent }) {
  const width = Math.max(1, (Math.min(100, Math.max(0, percent)) / 100) * 12);
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d="M3 8h16v8H3ZM21.5 11v2" />
    <rect class="device-gauge" x="5" y="10" width=${width} height="4" />
  </svg>`;
}

function Bars({ count }) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    ${[0, 1, 2, 3].map(
      (at) => html`<rect
        class=${at < count ? "device-bar-on" : "device-bar-off"}
        x=${3 + 5 * at}
        y=${15 - 4 * at}
        width="3.4"
        height=${5 + 4 * at}
        rx="1"
      />`,
    )}
  </svg>`;
}

/** Name and person of a device, and its volume while it is connected. */
export function EditDialog({ device, close, refresh }) {
  const name = useSignal(device.name);
  const user = useSignal(device.user ?? "");
  const volume = useSignal(device.volume);
  const hasVolume = isAtThisServer(device) && device.volume != null;
  return html`<${FormDialog}
    title=${t("devices.edit.title", { name: nameOf(device) })}
    action=${t("shell.save")}
    close=${close}
    send=${async () => {
      await patch(`/devices/${encodeURIComponent(device.id)}`, {
        name: name.value.trim(),
        user: personMeant(user.value),
        ...(volume.value !== device.volume && { volume: volume.value }),
      });
      refresh();
    }}
  >
    <${NameField} label=${t("devices.name")} name=${name} autofocus placeholder=${t("devices.name_example")} />
    <${PersonInput}
      label=${t("devices.person")}
      hint=${t("devices.edit.person_hint")}
      value=${user.value}
      change=${(value) => (user.value = value)}
    />
    ${hasVolume &&
    html`<${Field} label=${t("devices.volume", { percent: volume.value })}>
      ${(field) => html`<input
        ...${field}
        type="range"
        min="0"
        max="100"
        step="5"
        value=${volume.value}
        onInput=${(event) => (volume.value = event.currentTarget.valueAsNumber)}
      />`}
    <//>`}
  <//>`;
}

const MAX_SAID_CHARS = 500;

function SayDialog({ device, close }) {
  const text = useSignal("");
  const name = nameOf(device);
  return html`<${FormDialog}
    title=${t("devices.say.title", { name })}
    action=${t("devices.say.action")}
    busyAction=${t("devices.say.busy")}
    close=${close}
    send=${async () => {
      const { status } = await post("/announce", { text: text.value.trim(), device: device.id });
      toast(t(status === "said" ? "devices.say.said" : "devices.say.waits", { name }));
    }}
  >
    <${Field} label=${t("devices.say.text")} hint=${t("devices.say.hint")}>
      ${(field) => html`<textarea
        ...${field}
        required
        autofocus
        maxlength=${MAX_SAID_CHARS}
        placeholder=${t("devices.say.example")}
        value=${text.value}
        onInput=${(event) => (text.value = event.currentTarget.value)}
      />`}
    <//>
  <//>`;
}

function ShowDialog({ device, close }) {
  const message = useSignal("");
  return html`<${FormDialog}
    title=${t("devices.show.title", { name: nameOf(device) })}
    action=${t("devices.show.action")}
    close=${close}
    send=${async () => {
      await post(`/devices/${encodeURIComponent(device.id)}/alert`, { message: message.value.trim() });
      toast(t("devices.show.done"));
    }}
  >
    <${Field} label=${t("devices.show.text")} hint=${t("devices.show.hint")}>
      ${(field) => html`<textarea
        ...${field}
        required
        autofocus
        maxlength=${MAX_SAID_CHARS}
        value=${message.value}
        onInput=${(event) => (message.value = event.currentTarget.value)}
      />`}
    <//>
  <//>`;
}
