// Coming in from another browser, by the six digits or the QR code of an invitation.

import { Field } from "../components/basics.js";
import { FormFault, NameField, useSending } from "../components/form.js";
import { Icon } from "../components/icons.js";
import { html, useSignal } from "../preact.js";
import { go, link, route } from "../router.js";
import { t } from "../sentences.js";
import { isInsecure, pair, session } from "../session.js";
import { thisBrowser } from "../this_browser.js";

const CODE_LENGTH = 6;
const digitsOf = (text) => text.replace(/\D/g, "").slice(0, CODE_LENGTH);

/** What this browser calls itself if its person does not name it: "Chrome on Android". */
function ownName() {
  const { browser, system } = thisBrowser();
  if (browser && system) return t("pair.browser_on", { browser, system });
  return browser ?? system ?? "";
}

export default function Page() {
  const { role, user } = session.value;
  return html`<div class="pair">
    <img src="web/app/icon.svg" alt="" width="88" height="88" />
    <h1>${t("pair.title")}</h1>
    ${role !== "stranger" &&
    html`<div class="card stack">
      <p>${user ? t("pair.already", { user }) : t("pair.already_owner")}</p>
      <a class="button button-primary" href=${link("talk")}>${t("pair.talk")}</a>
    </div>`}
    ${isInsecure() ? html`<${OverHttps} />` : html`<${PairForm} />`}
    <p class="small muted pair-more">
      ${session.value.https_url || session.value.fingerprint
        ? html`<a href=${link("trust")}>${t("pair.trust")}</a>`
        : null}
    </p>
  </div>`;
}

const scanned = () => (route.value.page === "pair" ? digitsOf(route.value.rest[0] ?? "") : "");

/** Where this page is served over HTTPS, with the code that is there already; null: nowhere. */
function secureAddress() {
  const { https_url: url } = session.value;
  return url && `${url}#/pair/${scanned()}`;
}

function OverHttps() {
  const address = secureAddress();
  return html`<div class="card stack">
    <p><strong>${t("pair.insecure")}</strong></p>
    <p>${t("pair.insecure_why")}</p>
    ${address
      ? html`<a class="button button-primary button-wide" href=${address}>
            <${Icon} name="lock" />${t("pair.open_secure")}
          </a>
          <p class="small muted">${t("pair.warning_follows")}</p>`
      : html`<${FormFault}>${t("pair.no_https")}<//>`}
  </div>`;
}

function PairForm() {
  const given = scanned();
  const code = useSignal(given);
  const name = useSignal(ownName());
  const failed = useSignal(null);
  const byScan = given.length === CODE_LENGTH && code.value === given && !failed.value;
  const { submit, busy } = useSending(async () => {
    failed.value = null;
    try {
      await pair(code.value, name.value.trim());
      go(link("talk"), { replace: true });
    } catch (error) {
      failed.value = error;
    }
  });
  const known = ["invitation_unknown", "too_many_attempts", "https_required", "host_unknown"];
  const fault = failed.value &&
    (known.includes(failed.value.code) ? t(`pair.faults.${failed.value.code}`) : failed.value.message);
  return html`<form class="card stack" onSubmit=${submit}>
    ${byScan ? html`<p>${t("pair.scanned")}</p>` : html`<p>${t("pair.about")}</p>`}
    <${Field} label=${t("pair.code")} hint=${byScan ? "" : t("pair.code_hint")}>
      ${(field) => html`<input
        ...${field}
        class="pair-code"
        type="text"
        inputmode="numeric"
        autocomplete="one-time-code"
        pattern="[0-9]{6}"
        title=${t("pair.code_hint")}
        required
        autofocus=${!given}
        value=${code.value}
        onInput=${(event) => {
          code.value = digitsOf(event.currentTarget.value);
          event.currentTarget.value = code.value;
        }}
      />`}
    <//>
    <${NameField} label=${t("pair.name")} hint=${t("pair.name_hint")} name=${name} />
    ${fault &&
    html`<div class="fault" role="alert">
      <${Icon} name="warning" />
      <p>
        ${fault}
        ${failed.value.code === "https_required" &&
        secureAddress() &&
        html` <a href=${secureAddress()}>${t("pair.open_secure")}</a>`}
      </p>
    </div>`}
    <button class="button button-primary button-wide" disabled=${busy || code.value.length !== CODE_LENGTH}>
      ${t("pair.action")}
    </button>
  </form>`;
}
