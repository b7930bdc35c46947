// Why something was said: the last recalls, what they found and what went to the prompt.

import { Card, Empty, When } from "../../components/basics.js";
import { html } from "../../preact.js";
import { link, route } from "../../router.js";
import { number, t } from "../../sentences.js";
import * as memory from "./client.js";
import { Loaded, useMemoryData } from "./loading.js";
import { Words } from "./parts.js";
import { Hit } from "./search.js";

const SHOWN = 50;

export function WhyView() {
  const { message } = route.value.query;
  return /^\d+$/.test(message ?? "") ? html`<${OneReply} key=${message} message=${message} />` : html`<${LastRecalls} />`;
}

/** What was looked for and found for the reply to one message, in sentences. */
function OneReply({ message }) {
  const data = useMemoryData((signal) => memory.get("why", { message_id: message }, { signal }), [message]);
  const all = html`<p><a href=${link("memory", "why")}>${t("memory.why_all")}</a></p>`;
  if (data.error?.status === 404) {
    return html`<${Empty} icon="info" title=${t("memory.why_no_search")}>${t("memory.why_no_search_more")}<//>${all}`;
  }
  return html`<${Loaded} data=${data}>
    ${(recall) => html`<${Card} title=${t("memory.why_reply")}>
      <div class="stack">
        <blockquote><${Words}>${recall.query}<//></blockquote>
        <p>${inSentences(recall)}</p>
        <${Hits} recall=${recall} />
        <p>${t("memory.why_also")} <a href=${link("memory", "identity")}>${t("memory.views.identity")}</a></p>
      </div>
    <//>${all}`}
  <//>`;
}

/** How many were found and used, as sentences. Pure but for the catalogue. */
export function inSentences({ hits, injected, took_ms }) {
  if (!hits.length) return t("memory.why_nothing");
  const found = t("memory.why_found", { n: hits.length, ms: number(Math.round(took_ms)) });
  const only = hits.length === 1 ? "_only" : "";
  const used = injected.length ? t(`memory.why_used${only}`, { n: injected.length }) : t(`memory.why_used${only}_none`);
  return t("memory.why_searched", { found: `${found} ${used}` });
}

function LastRecalls() {
  const data = useMemoryData((signal) => memory.get("recalls", { limit: SHOWN }, { signal }));
  return html`<${Loaded} data=${data}>
    ${({ recalls }) =>
      recalls.length
        ? html`<${Card} title=${t("memory.views.why")} about=${t("memory.why_about")}>
            ${recalls.map((recall, place) => html`<${Recall} key=${recall.id} recall=${recall} open=${place === 0} />`)}
          <//>`
        : html`<${Empty} icon="info" title=${t("memory.why_none")}>${t("memory.why_none_more")}<//>`}
  <//>`;
}

function Recall({ recall, open }) {
  const used = new Set(recall.injected);
  return html`<details class="recall" open=${open}>
    <summary>
      <span class="row-title"><${Words}>${recall.query}<//></span>
      <span class="small muted">
        ${" "}<${When} at=${recall.created_at} /> · ${t("memory.found_used", { found: recall.hits.length, used: used.size })} ·
        ${" "}${t("memory.took", { ms: number(Math.round(recall.took_ms)) })}
      </span>
    </summary>
    ${recall.hits.length ? html`<${Hits} recall=${recall} />` : html`<p class="muted">${t("memory.found_nothing")}</p>`}
  </details>`;
}

function Hits({ recall }) {
  if (!recall.hits.length) return null;
  const used = new Set(recall.injected);
  return html`<ol class="hits">
    ${recall.hits.map((hit) => html`<li key=${`${hit.kind}:${hit.id}`}><${Hit} hit=${hit} injected=${used.has(`${hit.kind}:${hit.id}`)} /></li>`)}
  </ol>`;
}
