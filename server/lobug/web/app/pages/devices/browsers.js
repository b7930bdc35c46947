// The browsers that are signed in, and the invitations that are open.

import { del, get, patch } from "../../api.js";
import { Card, Empty, Fault, Loading, Tag, When } from "../../components/basics.js";
import { Countdown } from "../../components/countdown.js";
import { Confirm } from "../../components/dialog.js";
import { useFetched } from "../../components/fetched.js";
import { FormDialog, NameField } from "../../components/form.js";
import { Icon } from "../../components/icons.js";
import { Menu } from "../../components/menu.js";
import { PersonInput, personMeant } from "../../components/person_input.js";
import { toast } from "../../components/toasts.js";
import { html, useSignal } from "../../preact.js";
import { t } from "../../sentences.js";
import { loadSession, signOut } from "../../session.js";
import { InvitationDialog } from "./invitation.js";

const isOver = ({ revoked_at, expires_at }) => Boolean(revoked_at) || new Date(expires_at) < Date.now();

export function Browsers() {
  const { data, error, refresh } = useFetched(async () => {
    const [{ browsers }, { invitations }] = await Promise.all([get("/web/browsers"), get("/web/invitations")]);
    return { browsers, invitations };
  }, ["browsers"]);
  const shown = useSignal(null);
  if (error && !data) return html`<${Fault} error=${error} retry=${refresh} />`;
  if (!data) return html`<${Loading} />`;
  const active = data.browsers.filter((browser) => !isOver(browser));
  const over = data.browsers.filter(isOver);
  return html`
    ${data.invitations.length > 0 &&
    html`<${Card} title=${t("devices.browsers.invitations")}>
      <ul class="rows">
        ${data.invitations.map(
          (invitation) => html`<li key=${invitation.id}>
            <${Icon} name="qr" />
            <div class="row-main">
              <p class="row-title">${t("devices.browsers.invited", { user: invitation.user })}</p>
              <p class="muted small">
                ${t(`devices.role.${invitation.role}`)} ·${" "}
                <${Countdown} until=${invitation.expires_at} over=${t("devices.let_in.expired")} /> ${t("devices.let_in.left")}
              </p>
            </div>
            <button class="button button-small" onClick=${() => (shown.value = invitation)}>
              ${t("devices.browsers.show")}
            </button>
          </li>`,
        )}
      </ul>
    <//>`}
    <${Card} title=${t("devices.browsers.title")} about=${t("devices.browsers.about")}>
      ${active.length
        ? html`<ul class="rows">
            ${active.map((browser) => html`<${Browser} key=${browser.id} browser=${browser} refresh=${refresh} />`)}
          </ul>`
        : html`<${Empty} icon="lock" title=${t("devices.browsers.none")}>${t("devices.browsers.none_more")}<//>`}
      ${over.length > 0 &&
      html`<details>
        <summary>${t("devices.browsers.over", { n: over.length })}</summary>
        <ul class="rows">
          ${over.map(
            (browser) => html`<li key=${browser.id}>
              <div class="row-main">
                <p>${browser.name || t("devices.browsers.nameless")} · ${browser.user}</p>
                <p class="muted small">
                  ${t(browser.revoked_at ? "devices.browsers.was_revoked" : "devices.browsers.has_expired")}${" "}
                  <${When} at=${browser.revoked_at ?? browser.expires_at} />
                </p>
              </div>
            </li>`,
          )}
        </ul>
      </details>`}
    <//>
    ${shown.value &&
    html`<${InvitationDialog}
      shown=${shown.value}
      close=${() => {
        shown.value = null;
        refresh();
      }}
    />`}
  `;
}

function Browser({ browser, refresh }) {
  const dialog = useSignal("");
  const close = () => (dialog.value = "");
  const name = browser.name || t("devices.browsers.nameless");
  return html`<li>
    <div class="row-main">
      <p class="row-title">
        ${name} ${browser.current && html`<${Tag} kind="accent">${t("devices.browsers.current")}<//>`}
      </p>
      <p class="muted small">
        ${browser.user} · ${t(`devices.role.${browser.role}`)} · ${t("devices.browsers.used")}${" "}
        <${When} at=${browser.last_used_at ?? browser.created_at} />
      </p>
    </div>
    <${Menu}
      label=${t("devices.more", { name })}
      items=${[
        { label: t("devices.edit.open"), icon: "edit", run: () => (dialog.value = "edit") },
        {
          label: t(browser.current ? "devices.browsers.sign_out" : "devices.browsers.revoke"),
          icon: "trash",
          dangerous: true,
          run: () => (dialog.value = "revoke"),
        },
      ]}
    />
    ${dialog.value === "edit" && html`<${BrowserDialog} browser=${browser} close=${close} refresh=${refresh} />`}
    ${dialog.value === "revoke" &&
    html`<${Confirm}
      title=${t(browser.current ? "devices.browsers.sign_out_title" : "devices.browsers.revoke_title", { name })}
      action=${t(browser.current ? "devices.browsers.sign_out" : "devices.browsers.revoke")}
      dangerous
      close=${close}
      run=${async () => {
        if (browser.current) await signOut();
        else await del(`/web/browsers/${encodeURIComponent(browser.id)}`);
        toast(t("devices.browsers.done", { name }));
        refresh();
      }}
    ><p>${t("devices.browsers.revoke_text")}</p><//>`}
  </li>`;
}

function BrowserDialog({ browser, close, refresh }) {
  const name = useSignal(browser.name);
  const user = useSignal(browser.user);
  return html`<${FormDialog}
    title=${t("devices.browsers.edit_title")}
    action=${t("shell.save")}
    close=${close}
    send=${async () => {
      await patch(`/web/browsers/${encodeURIComponent(browser.id)}`, {
        name: name.value.trim(),
        user: personMeant(user.value),
      });
      if (browser.current) await loadSession();
      refresh();
    }}
  >
    <${NameField} label=${t("devices.name")} name=${name} />
    <${PersonInput}
      label=${t("devices.person")}
      hint=${t("devices.browsers.person_hint")}
      required
      value=${user.value}
      change=${(value) => (user.value = value)}
    />
  <//>`;
}
