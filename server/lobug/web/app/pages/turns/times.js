// Stage times of the last turns: percentiles, a line of the newest, and a waterfall for each.

import { get } from "../../api.js";
import { Card, Empty, Fault, Loading, Tag, When } from "../../components/basics.js";
import { AsTable, Plot } from "../../components/plot.js";
import { connections, useLive } from "../../live.js";
import { html, useEffect, useSignal } from "../../preact.js";
import { has, moment, number, t } from "../../sentences.js";
import { firstSound, percentile, segments, STAGES, TOLD } from "./stages.js";

const KEPT = 200;
const LISTED = 60;
const ANSWERED = new Set(["respond", "interrupted"]);
const KINDS = { respond: "good", react: "plain", ignore: "plain", interrupted: "warning", failed: "bad", cancelled: "plain" };
const GROUPS = ["hearing", "memory", "thinking", "voice", "playing"];

const seconds = (value) => t("turns.seconds", { s: number(Math.round(value * 100) / 100) });
const word = (key, fallback) => (has(key) ? t(key) : fallback);

function Summary({ turns }) {
  const answered = turns.filter((turn) => ANSWERED.has(turn.outcome));
  const rows = TOLD.map((stage) => [
    stage,
    answered.map((turn) => turn.timings[stage]).filter((value) => value !== undefined),
  ]).filter(([, values]) => values.length);
  if (!rows.length) return null;
  return html`<${Card} title=${t("turns.summary", { n: answered.length })} about=${t("turns.clock")}>
    <div class="table-scroll" tabindex="0" role="region" aria-label=${t("turns.summary", { n: answered.length })}>
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">${t("turns.stage")}</th>
            <th scope="col">${t("turns.p50")}</th>
            <th scope="col">${t("turns.p95")}</th>
            <th scope="col">${t("turns.turns")}</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ([stage, values]) => html`<tr key=${stage}>
              <th scope="row">${t(`turns.stages.${stage}`)}</th>
              <td>${seconds(percentile(values, 0.5))}</td>
              <td>${seconds(percentile(values, 0.95))}</td>
              <td>${values.length}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
  <//>`;
}

function Waterfall({ timings, longest }) {
  const x = (value) => (100 * value) / longest;
  return html`<svg class="waterfall" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    ${segments(timings).map(
      ({ group, from, to }) => html`<rect
        key=${group}
        class=${`stage-${group}`}
        x=${x(from)}
        width=${Math.max(0.6, x(to) - x(from))}
        y="0"
        height="10"
      />`,
    )}
  </svg>`;
}

function Stages({ turn }) {
  const known = STAGES.filter((stage) => turn.timings[stage] !== undefined);
  return html`<dl class="facts numbers">
    ${known.map((stage) => {
      const at = turn.timings[stage];
      return html`<dt key=${stage}>${t(`turns.stages.${stage}`)}</dt>
        <dd>${at < 0 ? t("turns.before", { s: number(-at) }) : seconds(at)}</dd>`;
    })}
    ${turn.counts.wasted_s > 0 &&
    html`<dd class="wide muted">${t("turns.wasted", { s: number(turn.counts.wasted_s) })}</dd>`}
    ${turn.error && html`<dd class="wide">${t("turns.error", { code: turn.error })}</dd>`}
  </dl>`;
}

function TurnRow({ turn, longest }) {
  const sound = firstSound(turn.timings);
  return html`<li>
    <details class="turn">
      <summary>
        <span class="turn-when small"><${When} at=${1_000 * turn.finished_at} /></span>
        <span class="turn-door">${turn.device || word(`turns.doors.${turn.door}`, turn.door)}</span>
        <${Tag} kind=${KINDS[turn.outcome]}>${t(`turns.outcomes.${turn.outcome}`)}<//>
        <${Waterfall} timings=${turn.timings} longest=${longest} />
        <span class="turn-total numbers">${sound === null ? "" : seconds(sound)}</span>
      </summary>
      <${Stages} turn=${turn} />
    </details>
  </li>`;
}

export function Times() {
  const turns = useSignal(null);
  const error = useSignal(null);
  const refresh = async () => {
    try {
      turns.value = (await get("/turns", { limit: KEPT })).turns;
      error.value = null;
    } catch (fault) {
      error.value = fault;
    }
  };
  useEffect(() => {
    refresh();
    return connections.subscribe((count) => count > 1 && refresh());
  }, []);
  useLive("turn", (turn) => {
    const others = (turns.value ?? []).filter((one) => one.id !== turn.id);
    turns.value = [turn, ...others].slice(0, KEPT);
  });
  if (error.value) return html`<${Fault} error=${error.value} retry=${refresh} />`;
  if (!turns.value) return html`<${Loading} />`;
  if (!turns.value.length) {
    return html`<${Card}><${Empty} icon="turns" title=${t("turns.none")}>${t("turns.none_more")}<//><//>`;
  }
  const listed = turns.value.slice(0, LISTED);
  const longest = Math.max(0.5, ...listed.map((turn) => segments(turn.timings).at(-1)?.to ?? 0));
  const heard = turns.value.filter((turn) => ANSWERED.has(turn.outcome) && firstSound(turn.timings) !== null).reverse();
  const values = heard.map((turn) => firstSound(turn.timings));
  const label = () =>
    t("turns.plot_alt", {
      n: values.length,
      low: number(Math.min(...values)),
      high: number(Math.max(...values)),
      last: number(values.at(-1)),
    });
  return html`
    <${Summary} turns=${turns.value} />
    ${values.length > 2 &&
    html`<${Card} title=${t("turns.plot")}>
      <${Plot}
        kind="total"
        label=${label()}
        unit="s"
        data=${[heard.map((turn) => turn.finished_at), values]}
        series=${[{ label: t("turns.columns.total") }]}
      />
      <p class="muted small">${label()}</p>
      <${AsTable}
        head=${[t("shell.time"), t("turns.columns.total")]}
        rows=${heard.map((turn, at) => [moment(1_000 * turn.finished_at), seconds(values[at])]).reverse()}
      />
    <//>`}
    <${Card} title=${t("turns.latest")}>
      <ul class="legend" aria-label=${t("turns.legend")}>
        ${GROUPS.map((group) => html`<li key=${group}><span class=${`swatch stage-${group}`}></span>${t(`turns.groups.${group}`)}</li>`)}
      </ul>
      <ul class="turns">
        ${listed.map((turn) => html`<${TurnRow} key=${turn.id} turn=${turn} longest=${longest} />`)}
      </ul>
    <//>
  `;
}
