// Days: the summaries of the timeline, the sessions, and what was said in them.

import { Card, Empty, Loading } from "../../components/basics.js";
import { Icon } from "../../components/icons.js";
import { attempt } from "../../components/toasts.js";
import { html, useRef, useState } from "../../preact.js";
import { link } from "../../router.js";
import { date, t, time } from "../../sentences.js";
import * as memory from "./client.js";
import { EraseSession } from "./erase.js";
import { Loaded, useMemoryData } from "./loading.js";
import { Words } from "./parts.js";

const SESSIONS = 20;
const MOST_SUMMARIES = 200;
const MOST_TURNS = 100;
/** Times are told in whole milliseconds, and the end of a range is not included. */
const SPARE_MS = 1_000;
const moved = (at, ms) => new Date(new Date(at).getTime() + ms).toISOString();

async function load(pages, signal) {
  const sessions = [];
  let before;
  for (let page = 0; page < pages; page++) {
    const answer = await memory.get("sessions", { limit: SESSIONS, before }, { signal });
    sessions.push(...answer.sessions);
    before = answer.next;
    if (!before) break;
  }
  const since = before ? moved(sessions.at(-1).started_at, -SPARE_MS) : undefined;
  const query = { category: "timeline", order: "newest", limit: MOST_SUMMARIES, since };
  const { entries } = await memory.get("entries", query, { signal });
  return { sessions, summaries: entries, more: Boolean(before) };
}

export function TimelineView() {
  const pages = useRef(1);
  const [busy, setBusy] = useState(false);
  const data = useMemoryData((signal) => load(pages.current, signal));
  const more = async () => {
    setBusy(true);
    pages.current++;
    await data.reload();
    setBusy(false);
  };
  return html`<${Loaded} data=${data}>
    ${(known) => {
      const days = byDay(known);
      if (!days.length) return html`<${Empty} icon="history" title=${t("memory.timeline_none")} />`;
      return html`
        ${days.map(([day, { summaries, sessions }]) => html`<${Card} key=${day} title=${day}>
          <ul class="day">
            ${summaries.map((entry) => html`<li key=${`e${entry.id}`} class="summary">
              <span class="small muted numbers">${time(entry.said_at)}</span>
              <a href=${link("memory", "entry", entry.id)}><${Words}>${entry.content}<//></a>
            </li>`)}
            ${sessions.map((session) => html`<li key=${`s${session.id}`}><${Session} session=${session} /></li>`)}
          </ul>
        <//>`)}
        ${known.more && html`<button class="button" disabled=${busy} onClick=${more}>${t("memory.earlier")}</button>`}
      `;
    }}
  <//>`;
}

function byDay({ sessions, summaries }) {
  const days = new Map();
  const at = (moment) => {
    const key = new Date(moment).toDateString();
    if (!days.has(key)) days.set(key, { moment, sessions: [], summaries: [] });
    return days.get(key);
  };
  for (const session of sessions) at(session.started_at).sessions.push(session);
  for (const entry of summaries) at(entry.said_at).summaries.push(entry);
  return [...days.values()]
    .sort((a, b) => new Date(b.moment) - new Date(a.moment))
    .map((day) => [date(day.moment), day]);
}

function Session({ session }) {
  const [turns, setTurns] = useState(null);
  const [waits, setWaits] = useState(false);
  const [asking, setAsking] = useState(false);
  const open = async (event) => {
    if (!event.currentTarget.open || turns) return;
    const [since, until] = [moved(session.started_at, -SPARE_MS), moved(session.last_active_at, SPARE_MS)];
    const query = { since, until, turns: true, status: "all", limit: MOST_TURNS };
    setWaits(true);
    const answer = await attempt(() => memory.get("search", query));
    setWaits(false);
    if (!answer) return;
    const said = answer.hits.filter((hit) => hit.kind === "turn");
    setTurns(said.sort((a, b) => new Date(a.said_at) - new Date(b.said_at) || a.id - b.id));
  };
  return html`<details class="session" onToggle=${open}>
    <summary>
      <span class="numbers">${time(session.started_at)} – ${time(session.last_active_at)}</span>
      <span class="muted small">
        ${" "}${t(`memory.channels.${session.channel}`)} · ${t("memory.messages", { n: session.messages })}
      </span>
      ${session.summary && html`<span class="session-summary"><${Words}>${session.summary}<//></span>`}
    </summary>
    ${waits && html`<${Loading} />`}
    ${turns?.length === 0 && html`<p class="muted">${t("memory.nothing_said")}</p>`}
    ${turns?.length > 0 &&
    html`<ol class="turns">
      ${turns.map((turn) => html`<li key=${turn.id} class=${`turn turn-${turn.role}`}>
        <span class="small muted">${turn.speaker || t(`memory.roles.${turn.role}`)}, ${time(turn.said_at)}</span>
        <${Words}>${turn.content}<//>
      </li>`)}
    </ol>`}
    ${turns && turns.length < session.messages && html`<p class="hint">${t("memory.not_all_said")}</p>`}
    ${turns &&
    html`<button class="button button-quiet button-small button-forget" onClick=${() => setAsking(true)}>
      <${Icon} name="trash" />${t("memory.forget_session")}
    </button>`}
    ${asking && html`<${EraseSession} session=${session} close=${() => setAsking(false)} erased=${() => {}} />`}
  </details>`;
}
