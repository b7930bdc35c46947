// How a browser comes to trust the certificate of this server, and what that means.

import { request } from "../api.js";
import { Card } from "../components/basics.js";
import { useFetched } from "../components/fetched.js";
import { Icon } from "../components/icons.js";
import { html } from "../preact.js";
import { link } from "../router.js";
import { has, t } from "../sentences.js";
import { isInsecure, session } from "../session.js";
import { systemOf } from "../this_browser.js";

const SYSTEMS = ["ios", "android", "macos", "windows", "linux"];
const MOST_STEPS = 8;
/** Bytes of the fingerprint that stand together, so that it can be compared by eye. */
const GROUP_BYTES = 4;

/** "AB:CD:EF:..." in groups of bytes. */
function groupsOf(fingerprint) {
  const bytes = fingerprint.split(":");
  return Array.from({ length: Math.ceil(bytes.length / GROUP_BYTES) }, (_, at) =>
    bytes.slice(at * GROUP_BYTES, (at + 1) * GROUP_BYTES).join(" "),
  );
}

export default function Page() {
  const { secure, fingerprint, https_url: address, at_this_computer: here, role } = session.value;
  const certificate = useFetched(() => request("GET", "/web/certificate", { raw: true }));
  const brought = certificate.error?.code === "certificate_missing";
  const own = systemOf();
  const order = [own, ...SYSTEMS.filter((name) => name !== own)].filter(Boolean);
  return html`<div class="trust stack">
    <header>
      <h1>${t("trust.title")}</h1>
      ${!brought && html`<p class="muted">${t("trust.about")}</p>`}
    </header>
    ${secure && html`<${State} kind="good" icon="check">${t("trust.secure")}<//>`}
    ${!secure && here && html`<${State} kind="note" icon="info">${t("trust.here")}<//>`}
    ${isInsecure() && html`<${State} kind="warning" icon="lock">${t("trust.insecure")}<//>`}
    ${address && brought && html`<${State} kind="note" icon="info">${t("trust.own")}<//>`}
    ${!address && html`<${State} kind="warning" icon="warning">${t("trust.off")}<//>`}
    ${address && !brought
      ? html`
          <${Card} title=${t("trust.steps")} about=${t("trust.steps_about")}>
            <div class="stack">
              <div class="actions">
                <a class="button button-primary" href="web/certificate" download="lobug-ca.crt">
                  <${Icon} name="download" />${t("trust.download")}
                </a>
                ${!secure &&
                !here &&
                html`<a class="button" href=${address}><${Icon} name="lock" />${t("trust.open")}</a>`}
              </div>
              <div>
                ${order.map((name, at) => html`<${System} key=${name} name=${name} open=${at === 0 && Boolean(own)} />`)}
              </div>
            </div>
          <//>
          <${Fingerprint} fingerprint=${fingerprint} here=${here} />
        `
      : null}
    <${Card} title=${t("trust.need")}>
      <ul class="trust-list">
        ${["microphone", "sign_in", "listeners"].map((name) => html`<li key=${name}>${t(`trust.needs.${name}`)}</li>`)}
      </ul>
    <//>
    ${!brought &&
    html`<${Card} title=${t("trust.means")}>
      <div class="dialog-text">
        <p>${t("trust.means_1")}</p>
        <p>${t("trust.means_2")}</p>
        <p>${t("trust.means_3")}</p>
      </div>
    <//>`}
    <p class="actions">
      <a class="button" href=${role === "stranger" ? link("pair") : link("talk")}>
        <${Icon} name="back" />${t(role === "stranger" ? "trust.to_pair" : "trust.to_talk")}
      </a>
    </p>
  </div>`;
}

function State({ kind, icon, children }) {
  return html`<div class=${`banner banner-${kind}`} role="status"><${Icon} name=${icon} /><p>${children}</p></div>`;
}

function System({ name, open }) {
  const steps = Array.from({ length: MOST_STEPS }, (_, at) => `trust.systems.${name}.step_${at + 1}`);
  return html`<details open=${open} class="trust-system">
    <summary>${t(`trust.systems.${name}.title`)}</summary>
    <ol class="steps">
      ${steps.filter((key) => has(key)).map((key) => html`<li key=${key}>${t(key)}</li>`)}
    </ol>
    ${has(`trust.systems.${name}.more`) && html`<p class="small muted">${t(`trust.systems.${name}.more`)}</p>`}
  </details>`;
}

function Fingerprint({ fingerprint, here }) {
  if (!fingerprint) return null;
  return html`<${Card} title=${t("trust.fingerprint")} about=${t(here ? "trust.fingerprint_here" : "trust.fingerprint_about")}>
    <ul class="fingerprint" aria-label=${t("trust.fingerprint")}>
      ${groupsOf(fingerprint).map((group) => html`<li key=${group}>${group}</li>`)}
    </ul>
  <//>`;
}
