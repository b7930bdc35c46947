// Why something was said: the last recalls, what they found and what went to the prompt.

import { Card, Empty, When } from "../../components/basics.js";
import { html } from "../../preact.js";
import { route } from "../../router.js";
import { number, t } from "../../sentences.js";
import * as memory from "./client.js";
import { Loaded, useMemoryData } from "./loading.js";
import { Words } from "./parts.js";
import { Hit } from "./search.js";

const SHOWN = 50;

export function WhyView() {
  const { message } = route.value.query;
  const data = useMemoryData(
    async (signal) =>
      message
        ? { recalls: [await memory.get("why", { message_id: message }, { signal })] }
        : memory.get("recalls", { limit: SHOWN }, { signal }),
    [message],
  );
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
    ${recall.hits.length
      ? html`<ol class="hits">
          ${recall.hits.map((hit) => html`<li key=${`${hit.kind}:${hit.id}`}><${Hit} hit=${hit} injected=${used.has(`${hit.kind}:${hit.id}`)} /></li>`)}
        </ol>`
      : html`<p class="muted">${t("memory.found_nothing")}</p>`}
  </details>`;
}
