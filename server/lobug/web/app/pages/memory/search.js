// Search as recall does it, with how well each hit fits.

import { Empty, Field } from "../../components/basics.js";
import { Icon } from "../../components/icons.js";
import { html, useEffect, useState } from "../../preact.js";
import { go, link, route } from "../../router.js";
import { t } from "../../sentences.js";
import * as memory from "./client.js";
import { Loaded, useMemoryData } from "./loading.js";
import { LAYERS, LayerTag, Scores, StatusTag, Words, said } from "./parts.js";

const MOST_HITS = 30;

export function SearchView() {
  const { q = "", layer = "", turns = "1", status = "" } = route.value.query;
  // What was said is in no layer.
  const withTurns = turns === "1" && !layer;
  const [words, setWords] = useState(q);
  useEffect(() => setWords(q), [q]);
  const search = (changed) => {
    const query = { q: words.trim(), layer, turns, status, ...changed };
    go(`${link("memory", "search")}?${new URLSearchParams(Object.entries(query).filter(([, value]) => value))}`, { replace: !q });
  };
  return html`
    <form class="search-form" role="search" onSubmit=${(event) => {
      event.preventDefault();
      search({});
    }}>
      <label class="visually-hidden" for="memory-search">${t("memory.search_for")}</label>
      <input
        id="memory-search"
        class="input"
        type="search"
        dir="auto"
        placeholder=${t("memory.search_example")}
        value=${words}
        onInput=${(event) => setWords(event.currentTarget.value)}
      />
      <button class="button button-primary" disabled=${!words.trim()}><${Icon} name="search" />${t("memory.search")}</button>
      <div class="search-options">
        <${Field} label=${t("memory.layer")}>
          ${(props) => html`<select ...${props} value=${layer} onChange=${(event) => search({ layer: event.currentTarget.value })}>
            <option value="">${t("memory.any")}</option>
            ${LAYERS.map((one) => html`<option key=${one} value=${one}>${t(`memory.layers.${one}`)}</option>`)}
          </select>`}
        <//>
        <label class="check">
          <input
            type="checkbox"
            checked=${withTurns}
            disabled=${Boolean(layer)}
            onChange=${(event) => search({ turns: event.currentTarget.checked ? "1" : "0" })}
          />
          ${t("memory.also_said")}
        </label>
        <label class="check">
          <input type="checkbox" checked=${status === "all"} onChange=${(event) => search({ status: event.currentTarget.checked ? "all" : "" })} />
          ${t("memory.also_past")}
        </label>
      </div>
    </form>
    ${q
      ? html`<${Results} q=${q} layer=${layer} turns=${withTurns} status=${status} />`
      : html`<${Empty} icon="search" title=${t("memory.search_hint")} />`}
  `;
}

function Results({ q, layer, turns, status }) {
  const data = useMemoryData(
    (signal) => memory.get("search", { q, layer, turns, status, limit: MOST_HITS }, { signal }),
    [q, layer, turns, status],
  );
  return html`<${Loaded} data=${data}>
    ${({ hits }) => html`
      <p class="muted" role="status">${t("memory.hits", { n: hits.length })}</p>
      ${hits.length > 0 &&
      html`<ol class="hits card">
        ${hits.map((hit) => html`<li key=${`${hit.kind}:${hit.id}`}><${Hit} hit=${hit} /></li>`)}
      </ol>`}
    `}
  <//>`;
}

/** A memory or former words that a search found. */
export function Hit({ hit, injected }) {
  const who = hit.speaker || t(`memory.roles.${hit.role ?? "user"}`);
  return html`<div class="hit">
    <div class="row-main">
      <p>
        ${hit.kind === "memory"
          ? html`<a href=${link("memory", "entry", hit.id)}><${Words}>${hit.content}<//></a>`
          : html`<q><${Words}>${hit.content}<//></q>`}
      </p>
      <p class="entry-meta small muted">
        ${hit.entry && html`<${LayerTag} layer=${hit.entry.layer} /><${StatusTag} entry=${hit.entry} />`}
        ${hit.kind === "turn" && html`<span class="tag">${t("memory.was_said", { who })}</span>`}
        ${injected && html`<span class="tag tag-accent">${t("memory.injected")}</span>`}
        ${said(hit.said_at)}
      </p>
    </div>
    <${Scores} hit=${hit} />
  </div>`;
}
