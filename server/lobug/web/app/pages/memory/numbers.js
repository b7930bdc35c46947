// Memory in numbers: how it grew, and how long recall takes. Each plot also as words and as a table.

import { Card, Empty } from "../../components/basics.js";
import { AsTable, Plot } from "../../components/plot.js";
import { html } from "../../preact.js";
import { date, number, t } from "../../sentences.js";
import * as memory from "./client.js";
import { Loaded, useMemoryData } from "./loading.js";

const MOST_RECALLS = 200;
const DAY_S = 86_400;
const ALL_DAYS = 36_600;
const FEW_DAYS = 3;
const LAYERS = ["identity", "knowledge", "archive"];

export function NumbersView() {
  const data = useMemoryData(async (signal) => {
    const [stats, history, log] = await Promise.all([
      memory.get("stats", {}, { signal }),
      memory.get("history", { days: ALL_DAYS, recalls: 0 }, { signal }).catch((error) => {
        if (error.status === 404) return { days: [] }; // a server without this route
        throw error;
      }),
      memory.get("recalls", { limit: MOST_RECALLS }, { signal }),
    ]);
    return { stats, growth: growthOf(history.days), recalls: recallTimes(log.recalls) };
  });
  return html`<${Loaded} data=${data}>
    ${({ stats, growth, recalls }) => html`
      <${Card} title=${t("memory.counts")}><${Counts} stats=${stats} /><//>
      <${Card} title=${t("memory.growth")}>
        ${growth
          ? html`
              <${Plot} kind="growth" label=${growth.summary} data=${[growth.times, growth.totals]} series=${[{ label: t("memory.memories"), fill: true }]} />
              <h3>${t("memory.per_week")}</h3>
              <${Plot} kind="weeks" label=${growth.summary} data=${[growth.weeks, growth.added]} series=${[{ label: t("memory.new_memories"), bars: true }]} />
              <p>${growth.summary}</p>
              <${AsTable} head=${[t("memory.week_of"), t("memory.new_memories"), t("memory.total")]} rows=${growth.rows} />
            `
          : html`<${Empty} icon="memory" title=${t("memory.growth_none")} />`}
      <//>
      <${Card} title=${t("memory.recall_times")}>
        ${recalls
          ? html`
              <${Plot} kind="recalls" label=${recalls.summary} unit=${t("memory.ms")} data=${recalls.data} series=${recalls.series} />
              <p>${recalls.summary}</p>
              <${AsTable} head=${[t("memory.day"), t("memory.recalls"), "p50", "p95"]} rows=${recalls.rows} />
            `
          : html`<${Empty} icon="turns" title=${t("memory.why_none")} />`}
      <//>
    `}
  <//>`;
}

function Counts({ stats }) {
  const rows = [
    ...LAYERS.map((layer) => [t(`memory.layers.${layer}`), stats.entries[layer]?.active ?? 0]),
    [t("memory.counted.messages"), stats.messages],
    [t("memory.counted.sessions"), stats.sessions],
    [t("memory.counted.recalls"), stats.recalls],
  ];
  return html`<dl class="counts">
    ${rows.map(([name, count]) => html`<div key=${name}><dt>${name}</dt><dd class="numbers">${number(count)}</dd></div>`)}
  </dl>`;
}

/** `days`: `[{date, memories}]`, memories new on that day. null: nothing to be plotted. */
export function growthOf(days) {
  if (!days.length) return null;
  const times = [];
  const totals = [];
  const weeks = new Map();
  let total = 0;
  for (const day of days) {
    const at = Date.parse(`${day.date}T00:00:00`) / 1000;
    total += day.memories;
    times.push(at);
    totals.push(total);
    const monday = at - ((new Date(at * 1000).getDay() + 6) % 7) * DAY_S;
    const week = weeks.get(monday) ?? { added: 0, total: 0 };
    weeks.set(monday, { added: week.added + day.memories, total });
  }
  const sorted = [...weeks].sort(([a], [b]) => a - b);
  const busiest = sorted.reduce((most, one) => (one[1].added > most[1].added ? one : most));
  return {
    times,
    totals,
    weeks: sorted.map(([at]) => at),
    added: sorted.map(([, week]) => week.added),
    summary: t("memory.growth_summary", { total, since: date(times[0] * 1000), most: busiest[1].added, week: date(busiest[0] * 1000) }),
    rows: sorted.toReversed().map(([at, week]) => [date(at * 1000), number(week.added), number(week.total)]),
  };
}

/** The share `q` of sorted values lies at or below the one that is returned. */
const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)];

/** p50 and p95 of each day on which something was recalled; for a few days, which would be a few
 * points, each recall of its own. null: never. */
export function recallTimes(recalls) {
  if (!recalls.length) return null;
  const days = new Map();
  for (const recall of recalls) {
    const day = new Date(recall.created_at).setHours(0, 0, 0, 0) / 1000;
    days.set(day, [...(days.get(day) ?? []), recall.took_ms]);
  }
  const ascending = (values) => values.toSorted((a, b) => a - b);
  const sorted = [...days].sort(([a], [b]) => a - b).map(([at, took]) => [at, ascending(took)]);
  const all = ascending(recalls.map((recall) => recall.took_ms));
  const ms = (value) => t("memory.took", { ms: number(Math.round(value)) });
  const each = recalls.map((recall) => [Date.parse(recall.created_at) / 1000, recall.took_ms]).sort(([a], [b]) => a - b);
  const plotted =
    sorted.length < FEW_DAYS
      ? { data: [each.map(([at]) => at), each.map(([, took]) => took)], series: [{ label: t("memory.recalls") }] }
      : {
          data: [sorted.map(([at]) => at), sorted.map(([, took]) => quantile(took, 0.5)), sorted.map(([, took]) => quantile(took, 0.95))],
          series: [{ label: "p50" }, { label: "p95", dash: true }],
        };
  return {
    ...plotted,
    summary: t("memory.recall_summary", { n: recalls.length, p50: ms(quantile(all, 0.5)), p95: ms(quantile(all, 0.95)) }),
    rows: sorted.toReversed().map(([at, took]) => [date(at * 1000), number(took.length), ms(quantile(took, 0.5)), ms(quantile(took, 0.95))]),
  };
}
