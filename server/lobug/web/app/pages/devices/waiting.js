// Devices that show a code and wait to be let in.

import { post } from "../../api.js";
import { Countdown } from "../../components/countdown.js";
import { FormFault, NameField, useSending } from "../../components/form.js";
import { Digits } from "../../components/handing.js";
import { Icon } from "../../components/icons.js";
import { PersonInput, personMeant } from "../../components/person_input.js";
import { toast } from "../../components/toasts.js";
import { html, useSignal } from "../../preact.js";
import { t } from "../../sentences.js";
import { session } from "../../session.js";

/** Those that wait, each with the fields to let it in. `approved` gets the device. */
export function WaitingDevices({ waiting, approved }) {
  return html`<div class="stack waiting" aria-live="polite">
    ${waiting.map((device) => html`<${WaitingDevice} key=${device.code} device=${device} approved=${approved} />`)}
  </div>`;
}

function WaitingDevice({ device, approved }) {
  const name = useSignal("");
  const user = useSignal(session.value?.user ?? "");
  const { submit, busy, fault } = useSending(async () => {
    const person = personMeant(user.value);
    const let_in = await post("/devices/approve", {
      code: device.code,
      name: name.value.trim() || null,
      user: person || null,
    });
    toast(t("devices.let_in.done", { name: let_in.name || t("devices.let_in.it") }));
    approved(let_in);
  });
  return html`<section class="card waiting-device" aria-label=${t("devices.let_in.title")}>
    <div class="waiting-code">
      <h2>${t("devices.let_in.title")}</h2>
      <${Digits} code=${device.code} />
      <p class="small muted">${t("devices.let_in.compare")}</p>
      <p class="small">
        <${Icon} name="chip" />
        <span>${device.description || t("devices.let_in.silent")} · ${device.address}</span>
      </p>
      <p class="small muted">
        <${Icon} name="timer" />
        <span><${Countdown} until=${device.expires_at} over=${t("devices.let_in.expired")} /> ${t("devices.let_in.left")}</span>
      </p>
    </div>
    <form class="stack" onSubmit=${submit}>
      ${device.replaces &&
      html`<div class="banner banner-warning">
        <${Icon} name="warning" />
        <p>${t("devices.let_in.replaces")}</p>
      </div>`}
      <${NameField} label=${t("devices.name")} name=${name} placeholder=${t("devices.name_example")} />
      <${PersonInput}
        label=${t("devices.person")}
        hint=${t("devices.person_hint")}
        value=${user.value}
        change=${(value) => (user.value = value)}
      />
      <${FormFault}>${fault}<//>
      <button class=${device.replaces ? "button" : "button button-primary"} disabled=${busy}>
        <${Icon} name="check" />${t("devices.let_in.action")}
      </button>
    </form>
  </section>`;
}
