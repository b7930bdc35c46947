// An invitation for a phone or another browser: made here, read off there.

import { del, get, post } from "../../api.js";
import { Countdown, useNow } from "../../components/countdown.js";
import { Dialog } from "../../components/dialog.js";
import { Choices, FormFault, NameField, useSending } from "../../components/form.js";
import { CopyButton, Digits, QrCode } from "../../components/handing.js";
import { Icon } from "../../components/icons.js";
import { PersonInput, personMeant } from "../../components/person_input.js";
import { useTopics } from "../../live.js";
import { html, useSignal } from "../../preact.js";
import { t } from "../../sentences.js";
import { session } from "../../session.js";

/** A dialog that makes an invitation and shows it; `shown`: one that was made before. */
export function InvitationDialog({ shown = null, close }) {
  return html`<${Dialog} title=${t("devices.invite.title")} close=${close} wide>
    <${Inviting} shown=${shown} close=${close} />
  <//>`;
}

/** The same without a dialog around it. */
export function Inviting({ shown = null, close }) {
  const made = useSignal(shown);
  return made.value
    ? html`<${Invitation} invitation=${made.value} close=${close} again=${() => (made.value = null)} />`
    : html`<${InvitationForm} done=${(invitation) => (made.value = invitation)} />`;
}

function InvitationForm({ done }) {
  const user = useSignal(session.value?.user ?? "");
  const role = useSignal("person");
  const name = useSignal("");
  const { submit, busy, fault } = useSending(async () =>
    done(
      await post("/web/invitations", {
        user: personMeant(user.value),
        role: role.value,
        name: name.value.trim(),
      }),
    ),
  );
  return html`<form class="stack" onSubmit=${submit}>
    <p>${t("devices.invite.about")}</p>
    <${PersonInput}
      label=${t("devices.invite.person")}
      hint=${t("devices.invite.person_hint")}
      required
      autofocus
      value=${user.value}
      change=${(value) => (user.value = value)}
    />
    <${Choices}
      legend=${t("devices.invite.role")}
      value=${role.value}
      change=${(value) => (role.value = value)}
      options=${["person", "owner"].map((value) => ({
        value,
        label: t(`devices.invite.${value}_title`),
        about: t(`devices.invite.${value}_about`),
      }))}
    />
    <${NameField} label=${t("devices.invite.name")} hint=${t("devices.invite.name_hint")} name=${name} />
    <${FormFault}>${fault}<//>
    <footer class="actions">
      <button class="button button-primary" disabled=${busy}><${Icon} name="qr" />${t("devices.invite.action")}</button>
    </footer>
  </form>`;
}

function Invitation({ invitation, close, again }) {
  const state = useSignal("open");
  useTopics(["browsers"], async () => {
    const { invitations } = await get("/web/invitations").catch(() => ({}));
    const gone = invitations && !invitations.some(({ id }) => id === invitation.id);
    if (!gone || state.value !== "open") return;
    state.value = new Date(invitation.expires_at) > Date.now() ? "used" : "over";
  });
  const over = useNow() >= new Date(invitation.expires_at).getTime();
  if (state.value === "used") {
    return html`<div class="empty" role="status">
      <${Icon} name="check" />
      <p class="empty-title">${t("devices.invite.used", { user: invitation.user })}</p>
      ${close && html`<button class="button button-primary" onClick=${close}>${t("devices.invite.close")}</button>`}
    </div>`;
  }
  if (state.value === "over" || over) {
    return html`<div class="empty" role="status">
      <${Icon} name="timer" />
      <p class="empty-title">${t("devices.invite.over")}</p>
      <button class="button button-primary" onClick=${again}>${t("devices.invite.again")}</button>
    </div>`;
  }
  return html`<div class="invitation">
    ${invitation.qr && html`<${QrCode} svg=${invitation.qr} label=${t("devices.invite.qr")} />`}
    <div class="stack">
      <div>
        <${Digits} code=${invitation.code} />
        <p class="small muted">
          ${t("devices.invite.for", { user: invitation.user, role: t(`devices.role.${invitation.role}`) })} ·${" "}
          <${Countdown} until=${invitation.expires_at} /> ${t("devices.let_in.left")}
        </p>
      </div>
      ${invitation.url
        ? html`<ol class="steps">
              <li>${t("devices.invite.step_scan")}</li>
              <li>${t("devices.invite.step_warning")}</li>
              <li>${t("devices.invite.step_confirm")}</li>
            </ol>
            <p class="small">${t("devices.invite.by_hand")}</p>
            <div class="address">
              <code>${invitation.url.replace(/#.*$/, "")}</code>
              <${CopyButton} small text=${invitation.url} label=${t("devices.invite.copy")} />
            </div>
            ${!invitation.url.startsWith("https:") &&
            html`<${FormFault}>${t("devices.invite.plain")}<//>`}`
        : html`<${FormFault}>${t("devices.invite.unreachable")}<//>`}
      <footer class="actions">
        <button
          class="button button-small"
          onClick=${async () => {
            await del(`/web/invitations/${encodeURIComponent(invitation.id)}`).catch(() => {});
            close ? close() : again();
          }}
        >
          ${t("devices.invite.withdraw")}
        </button>
      </footer>
    </div>
  </div>`;
}
