// All that is known: a filter and one long list.

import { Empty, Fault, Field, Loading } from "../../components/basics.js";
import { Icon } from "../../components/icons.js";
import { useTopics } from "../../live.js";
import { html, useEffect, useMemo, useRef, useState } from "../../preact.js";
import { go, link, route } from "../../router.js";
import { shownUser } from "../../session.js";
import { ago, date, t } from "../../sentences.js";
import * as memory from "./client.js";
import { EntryPages } from "./entry_pages.js";
import { LAYERS, LayerTag, StatusTag, Words } from "./parts.js";
import { VirtualList } from "./virtual_list.js";

const FIRST_ROWS = 20;
const STATUSES = ["active", "past", "inactive", "all"];
const NAMES = ["layer", "status", "project", "tags", "since", "until"];

/** Where the list was left: its address, how far it was scrolled, and what was opened. */
let left = null;

/** Say that an entry of the list is opened, or was erased (`null`). */
export function leaveList(id) {
  left = { address: location.hash, user: shownUser.value, scroll: scrollY, id };
}

/** The address of the list as it was left. */
export const listAddress = () => left?.address ?? link("memory");

export function EntryList() {
  const query = route.value.query;
  const filter = Object.fromEntries(NAMES.filter((name) => query[name]).map((name) => [name, query[name]]));
  const key = JSON.stringify([shownUser.value, filter]);
  const pages = useMemo(() => new EntryPages(asked(filter)), [key]);
  const seen = useRef({ first: 0, end: FIRST_ROWS });
  const back = useRef(left?.user === shownUser.value && left.address === location.hash ? left : null);
  const [restored, setRestored] = useState(!back.current);
  const heading = useRef(null);
  left = null;
  useTopics(["memory"], () => pages.refresh(seen.current.first, seen.current.end), [key]);
  const total = pages.total.value;
  const version = pages.arrivals.value;
  useEffect(() => {
    if (restored || total === null) return;
    // The list is high enough to be scrolled to only after it was drawn.
    requestAnimationFrame(() => {
      scrollTo(0, back.current.scroll);
      if (back.current.id === null) heading.current?.focus({ preventScroll: true });
      setRestored(true);
    });
  }, [total === null]);
  useEffect(() => {
    if (!restored || !back.current?.id) return;
    const row = document.querySelector(`[data-entry="${back.current.id}"]`);
    if (!row) return;
    back.current = null;
    row.focus({ preventScroll: true });
  });
  return html`
    <${Filters} filter=${filter} />
    <p class="list-count" role="status" tabindex="-1" ref=${heading}>
      ${total !== null && t("memory.count", { n: total })}
    </p>
    ${pages.error.value &&
    html`<${Fault}
      error=${pages.error.value}
      retry=${() => pages.refresh(seen.current.first, seen.current.end)}
    />`}
    ${total === null && !pages.error.value && html`<${Loading} />`}
    ${total === 0 &&
    html`<${Empty} icon="memory" title=${t(Object.keys(filter).length ? "memory.none_fit" : "memory.none")}>
      ${t(Object.keys(filter).length ? "memory.none_fit_more" : "memory.none_more")}
    <//>`}
    ${total > 0 &&
    html`<${VirtualList}
      key=${key}
      label=${t("memory.list")}
      total=${total}
      version=${version}
      keyOf=${(place) => pages.at(place)?.id}
      placeOf=${(id) => pages.placeOf(id)}
      need=${(first, end) => {
        seen.current = { first, end };
        pages.need(first, end);
      }}
      row=${(place) => html`<${EntryRow} entry=${pages.at(place)} />`}
    />`}
  `;
}

/** The filter as the server takes it: `until` is a day that is still included. */
function asked(filter) {
  const until = filter.until && new Date(`${filter.until}T00:00:00`);
  until?.setDate(until.getDate() + 1);
  return {
    ...filter,
    since: filter.since && new Date(`${filter.since}T00:00:00`).toISOString(),
    until: until && until.toISOString(),
  };
}

function EntryRow({ entry }) {
  if (!entry) return html`<div class="entry-row entry-waiting" aria-busy="true"><span></span><span></span></div>`;
  return html`<a
    class="entry-row"
    href=${link("memory", "entry", entry.id)}
    data-entry=${entry.id}
    onClick=${() => leaveList(entry.id)}
  >
    <span class="entry-content"><${Words} clamped>${entry.content}<//></span>
    <span class="entry-meta">
      <${LayerTag} layer=${entry.layer} />
      <${StatusTag} entry=${entry} />
      <time class="small muted" datetime=${entry.said_at} title=${date(entry.said_at)}>${ago(entry.said_at)}</time>
      ${entry.project && html`<span class="small muted entry-label"><${Words}>${entry.project}<//></span>`}
      ${entry.tags.length > 0 &&
      html`<span class="small muted entry-label"><${Words}>${entry.tags.map((tag) => `#${tag}`).join(" ")}<//></span>`}
    </span>
  </a>`;
}

function Filters({ filter }) {
  const [projects, setProjects] = useState([]);
  const [open, setOpen] = useState(Object.keys(filter).length > 0);
  useEffect(() => {
    memory.get("projects").then(({ projects: found }) => setProjects(found), () => {});
  }, [shownUser.value]);
  const set = (name, value) => {
    const next = { ...filter, [name]: value };
    const text = new URLSearchParams(Object.entries(next).filter(([, one]) => one)).toString();
    go(text ? `${link("memory")}?${text}` : link("memory"), { replace: true });
  };
  const select = (name, label, options) => html`<${Field} label=${label}>
    ${(props) => html`<select ...${props} value=${filter[name] ?? ""} onChange=${(event) => set(name, event.currentTarget.value)}>
      ${options.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}
    </select>`}
  <//>`;
  const day = (name, label) => html`<${Field} label=${label}>
    ${(props) => html`<input ...${props} type="date" value=${filter[name] ?? ""} onChange=${(event) => set(name, event.currentTarget.value)} />`}
  <//>`;
  const number = Object.keys(filter).length;
  return html`<details class="filters card" open=${open} onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary>
      <${Icon} name="filter" />
      <span>${t("memory.filter")}</span>
      ${number > 0 && html`<span class="count">${number}</span>`}
    </summary>
    <div class="filter-fields">
      ${select("layer", t("memory.layer"), [["", t("memory.any")], ...LAYERS.map((one) => [one, t(`memory.layers.${one}`)])])}
      ${select("status", t("memory.status"), STATUSES.map((one) => [one === "active" ? "" : one, t(`memory.statuses.${one}`)]))}
      ${select("project", t("memory.project"), [
        ["", t("memory.any")],
        ...[...new Set([...projects.map((one) => one.name), ...(filter.project ? [filter.project] : [])])].map((one) => [one, one]),
      ])}
      <${Field} label=${t("memory.tag")}>
        ${(props) => html`<input ...${props} type="text" maxlength="64" value=${filter.tags ?? ""} onChange=${(event) => set("tags", event.currentTarget.value.trim())} />`}
      <//>
      ${day("since", t("memory.since"))} ${day("until", t("memory.until"))}
    </div>
    ${number > 0 &&
    html`<button class="button button-quiet button-small" onClick=${() => go(link("memory"), { replace: true })}>
      ${t("memory.clear_filter")}
    </button>`}
  </details>`;
}
