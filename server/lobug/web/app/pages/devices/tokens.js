// API tokens of people and programs. A new one is shown once.

import { del, get, post } from "../../api.js";
import { Card, Empty, Fault, Loading, Tag, When } from "../../components/basics.js";
import { Confirm, Dialog } from "../../components/dialog.js";
import { useFetched } from "../../components/fetched.js";
import { Choices, FormDialog, NameField } from "../../components/form.js";
import { CopyButton, QrCode } from "../../components/handing.js";
import { Icon } from "../../components/icons.js";
import { PersonInput, personMeant } from "../../components/person_input.js";
import { toast } from "../../components/toasts.js";
import { html, useSignal } from "../../preact.js";
import { t } from "../../sentences.js";
import { session } from "../../session.js";

/** What a token may be for. */
const PURPOSES = ["talk", "owner", "announce", "metrics"];

export function Tokens() {
  const { data, error, refresh } = useFetched(() => get("/tokens"), ["tokens"]);
  const making = useSignal(false);
  const made = useSignal(null);
  if (error && !data) return html`<${Fault} error=${error} retry=${refresh} />`;
  if (!data) return html`<${Loading} />`;
  const active = data.tokens.filter((token) => !token.revoked_at);
  const revoked = data.tokens.filter((token) => token.revoked_at);
  const add = html`<button class="button" onClick=${() => (making.value = true)}>
    <${Icon} name="plus" />${t("devices.tokens.create")}
  </button>`;
  return html`
    <${Card} title=${t("devices.tokens.title")} about=${t("devices.tokens.about")} actions=${add}>
      ${active.length
        ? html`<ul class="rows">
            ${active.map((token) => html`<${Token} key=${token.id} token=${token} refresh=${refresh} />`)}
          </ul>`
        : html`<${Empty} icon="lock" title=${t("devices.tokens.none")}>${t("devices.tokens.none_more")}<//>`}
      ${revoked.length > 0 &&
      html`<details>
        <summary>${t("devices.tokens.revoked", { n: revoked.length })}</summary>
        <ul class="rows">
          ${revoked.map(
            (token) => html`<li key=${token.id}>
              <p class="row-main">${token.name}</p>
              <p class="muted small">${t("devices.browsers.was_revoked")} <${When} at=${token.revoked_at} /></p>
            </li>`,
          )}
        </ul>
      </details>`}
    <//>
    ${making.value &&
    html`<${TokenDialog}
      close=${() => (making.value = false)}
      done=${(token) => {
        made.value = token;
        refresh();
      }}
    />`}
    ${made.value && html`<${NewToken} token=${made.value} close=${() => (made.value = null)} />`}
  `;
}

function purposeOf(token) {
  if (token.scope) return token.scope.split(" ").map((scope) => t(`devices.tokens.purpose.${scope}`)).join(" · ");
  return token.owner ? t("devices.tokens.purpose.owner") : t("devices.tokens.purpose.talk");
}

function Token({ token, refresh }) {
  const revoking = useSignal(false);
  return html`<li>
    <div class="row-main">
      <p class="row-title">${token.name} ${token.owner && html`<${Tag} kind="warning">${t("devices.role.owner")}<//>`}</p>
      <p class="muted small">
        ${[token.user, purposeOf(token)].filter(Boolean).join(" · ")} · ${t("devices.browsers.used")}${" "}
        <${When} at=${token.last_used_at} fallback=${t("devices.tokens.unused")} />
      </p>
    </div>
    <button class="button button-small" onClick=${() => (revoking.value = true)}>
      ${t("devices.tokens.revoke")}<span class="visually-hidden"> ${token.name}</span>
    </button>
    ${revoking.value &&
    html`<${Confirm}
      title=${t("devices.tokens.revoke_title", { name: token.name })}
      action=${t("devices.tokens.revoke")}
      dangerous
      close=${() => (revoking.value = false)}
      run=${async () => {
        await del(`/tokens/${encodeURIComponent(token.id)}`);
        toast(t("devices.tokens.revoke_done", { name: token.name }));
        refresh();
      }}
    ><p>${t("devices.tokens.revoke_text")}</p><//>`}
  </li>`;
}

function TokenDialog({ close, done }) {
  const name = useSignal("");
  const purpose = useSignal("talk");
  const user = useSignal(session.value?.user ?? "");
  const personal = purpose.value === "talk" || purpose.value === "owner";
  return html`<${FormDialog}
    title=${t("devices.tokens.create")}
    action=${t("devices.tokens.action")}
    close=${close}
    send=${async () =>
      done(
        await post("/tokens", {
          name: name.value.trim(),
          user: (personal && personMeant(user.value)) || null,
          owner: purpose.value === "owner",
          scope: personal ? null : purpose.value,
        }),
      )}
  >
    <${NameField} label=${t("devices.name")} hint=${t("devices.tokens.name_hint")} name=${name} required autofocus />
    <${Choices}
      legend=${t("devices.tokens.may")}
      value=${purpose.value}
      change=${(value) => (purpose.value = value)}
      options=${PURPOSES.map((value) => ({
        value,
        label: t(`devices.tokens.purpose.${value}`),
        about: t(`devices.tokens.purpose_about.${value}`),
      }))}
    />
    ${personal &&
    html`<${PersonInput}
      label=${t("devices.person")}
      hint=${t("devices.tokens.person_hint")}
      value=${user.value}
      change=${(value) => (user.value = value)}
    />`}
  <//>`;
}

function NewToken({ token, close }) {
  const qr = useFetched(() => post("/web/qr", { text: token.token }));
  return html`<${Dialog} title=${t("devices.tokens.made", { name: token.name })} close=${close}>
    <p><strong>${t("devices.tokens.once")}</strong></p>
    <code class="code new-token">${token.token}</code>
    <div class="actions"><${CopyButton} text=${token.token} label=${t("devices.tokens.copy")} /></div>
    ${qr.data && html`<${QrCode} svg=${qr.data.qr} label=${t("devices.tokens.qr")} />`}
    <p class="small muted">${t("devices.tokens.use")}</p>
    <code class="code small">Authorization: Bearer …</code>
    <footer>
      <button class="button button-primary" onClick=${close}>${t("devices.tokens.kept")}</button>
    </footer>
  <//>`;
}
