// The people whom Lo-Bug knows, each with what talks for them.

import { get } from "../api.js";
import { Empty, Fault, Loading, When } from "../components/basics.js";
import { useFetched } from "../components/fetched.js";
import { Icon } from "../components/icons.js";
import { isName } from "../components/person_input.js";
import { html, useSignal } from "../preact.js";
import { link } from "../router.js";
import { t } from "../sentences.js";
import { seesOthers, session, viewed } from "../session.js";
import { EditDialog } from "./cards.js";
import { nameOf } from "./condition.js";

/** `devices`: those of GET /devices, for their names and to move one to another person. */
export function People({ devices, refreshDevices }) {
  const { data, error, refresh } = useFetched(
    () => get("/web/people"),
    ["devices", "browsers", "memory"],
  );
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
        (person) => html`<${Person} key=${person.user} person=${person} known=${known} move=${(device) => (moved.value = device)} />`,
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

function Person({ person, known, move }) {
  const own = person.user === session.value?.user;
  const counts = [
    person.memories != null && t("devices.people.memories", { n: person.memories }),
    person.messages != null && t("devices.people.messages", { n: person.messages }),
    person.browsers.length > 0 && t("devices.people.browsers", { n: person.browsers.length }),
    person.tokens.length > 0 && t("devices.people.tokens", { n: person.tokens.length }),
  ].filter(Boolean);
  return html`<li class="card person">
    <header class="device-head">
      <span class="avatar" aria-hidden="true">${[...person.user][0]?.toUpperCase()}</span>
      <div class="row-main">
        <h3>${person.user}${own && html` <span class="muted">${t("devices.people.you")}</span>`}</h3>
        <p class="muted small">
          ${isName(person.user)
            ? html`${t("devices.people.active")} <${When} at=${person.last_active_at} fallback=${t("devices.never")} />`
            : t("devices.people.unnamed")}
        </p>
      </div>
    </header>
    <p class="small">${counts.join(" · ") || t("devices.people.nothing")}</p>
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
        <span class="visually-hidden">${person.user}</span>
      </a>
    </footer>`}
  </li>`;
}
