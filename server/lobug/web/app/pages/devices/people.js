// The people whom Lo-Bug knows, each with what talks for them.

import { get } from "../../api.js";
import { Empty, Fault, Loading, When } from "../../components/basics.js";
import { useFetched } from "../../components/fetched.js";
import { Icon } from "../../components/icons.js";
import { isName } from "../../components/person_input.js";
import { html, useSignal } from "../../preact.js";
import { link } from "../../router.js";
import { t } from "../../sentences.js";
import { seesOthers, session, viewed } from "../../session.js";
import { EditDialog } from "./cards.js";
import { nameOf } from "./condition.js";

/** `devices`: those of GET /devices, for their names and to move one to another person. */
export function People({ devices, refreshDevices }) {
  const { data, error, refresh } = useFetched(async () => {
    const [{ people }, { tokens }] = await Promise.all([get("/web/people"), get("/tokens")]);
    return { people, tokens: new Map(tokens.map((token) => [token.id, token.name])) };
  }, ["devices", "browsers", "tokens", "memory"]);
  const moved = useSignal(null);
  if (error && !data) return html`<${Fault} error=${error} retry=${refresh} />`;
  if (!data) return html`<${Loading} />`;
  if (!data.people.length) {
    return html`<${Empty} icon="people" title=${t("devices.people.none")}>${t("devices.people.none_more")}<//>`;
  }
  const known = new Map(devices.map((device) => [device.id, device]));
  return html`
    <p class="muted">${t("devices.people.about")}</p>
    <ul class="grid">
      ${data.people.map(
        (person) => html`<${Person} key=${person.user} person=${person} known=${known} tokens=${data.tokens} move=${(device) => (moved.value = device)} />`,
      )}
    </ul>
    ${moved.value &&
    html`<${EditDialog}
      device=${moved.value}
      close=${() => (moved.value = null)}
      refresh=${() => {
        refresh();
        refreshDevices();
      }}
    />`}
  `;
}

/** What to call somebody whom nobody has named: by the device, token or computer that talks. */
function callNameless(person, known, tokens) {
  const [device] = person.devices.map((id) => known.get(id)).filter(Boolean);
  if (device) return nameOf(device);
  const token = person.tokens.map((id) => tokens.get(id)).find(Boolean);
  if (token) return token;
  return /^address:(127\.|::1)/.test(person.user) ? t("devices.people.this_computer") : person.user;
}

function Person({ person, known, tokens, move }) {
  const named = isName(person.user);
  const name = named ? person.user : callNameless(person, known, tokens);
  const own = person.user === session.value?.user;
  const counts = [
    person.memories != null && t("devices.people.memories", { n: person.memories }),
    person.messages != null && t("devices.people.messages", { n: person.messages }),
    person.browsers.length > 0 && t("devices.people.browsers", { n: person.browsers.length }),
    person.tokens.length > 0 && t("devices.people.tokens", { n: person.tokens.length }),
  ].filter(Boolean);
  return html`<li class="card person-card">
    <header class="device-head">
      <span class="avatar" aria-hidden="true">
        ${named ? [...name][0].toUpperCase() : html`<${Icon} name="chip" />`}
      </span>
      <div class="row-main">
        <h2>${name}${own && html` <span class="muted">${t("devices.people.you")}</span>`}</h2>
        <p class="muted small">
          ${person.last_active_at
            ? html`${t("devices.people.active")} <${When} at=${person.last_active_at} />`
            : t("devices.people.silent")}
        </p>
        ${!named && html`<p class="muted small">${t("devices.people.unnamed")}</p>`}
      </div>
    </header>
    ${counts.length > 0 && html`<p class="small">${counts.join(" · ")}</p>`}
    ${person.devices.length > 0 &&
    html`<ul class="rows small">
      ${person.devices.map((id) => {
        const device = known.get(id);
        return html`<li key=${id}>
          <${Icon} name="devices" />
          <span class="row-main">${device ? nameOf(device) : id}</span>
          ${device &&
          html`<button class="button button-small button-quiet" onClick=${() => move(device)}>
            ${t("devices.people.move")}<span class="visually-hidden">: ${nameOf(device)}</span>
          </button>`}
        </li>`;
      })}
    </ul>`}
    ${(seesOthers.value || own) &&
    html`<footer class="actions">
      <a class="button button-small" href=${link("memory")} onClick=${() => (viewed.value = own ? null : person.user)}>
        <${Icon} name="memory" />${t("devices.people.memory")}
        <span class="visually-hidden">${name}</span>
      </a>
    </footer>`}
  </li>`;
}
