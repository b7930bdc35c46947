// Health of the server and its engines, and the checks of `lobug doctor`.

import { get } from "../../api.js";
import { Banner } from "../../components/banner.js";
import { Card, Fault, Loading, Tag } from "../../components/basics.js";
import { useTopics } from "../../live.js";
import { html, useSignal } from "../../preact.js";
import { has, number, span, t } from "../../sentences.js";

const STATES = { good: "good", warning: "warning", bad: "bad" };

function Engine({ job, engine }) {
  const state = !engine.ready ? ["bad", "not_ready"] : engine.degraded ? ["warning", "degraded"] : ["good", "ready"];
  return html`<li>
    <div class="row-main">
      <p class="row-title">${has(`turns.jobs.${job}`) ? t(`turns.jobs.${job}`) : job}</p>
      <p class="muted small">${engine.name}${engine.model && engine.model !== engine.name && ` · ${engine.model}`}</p>
      ${(engine.reason || engine.chosen_because) &&
      html`<p class="muted small">${engine.reason || engine.chosen_because}</p>`}
    </div>
    <${Tag} kind=${state[0]}>${t(`turns.${state[1]}`)}<//>
  </li>`;
}

function Checks() {
  const checks = useSignal(null);
  const error = useSignal(null);
  const busy = useSignal(false);
  const run = async () => {
    busy.value = true;
    try {
      checks.value = (await get("/web/doctor")).checks;
      error.value = null;
    } catch (fault) {
      error.value = fault;
    } finally {
      busy.value = false;
    }
  };
  return html`<${Card}
    title=${t("turns.checks")}
    about=${t("turns.checks_about")}
    actions=${html`<button class="button" disabled=${busy.value} onClick=${run}>${t("turns.check")}</button>`}
  >
    ${busy.value && html`<${Loading} />`}
    ${error.value && html`<${Fault} error=${error.value} />`}
    ${checks.value &&
    html`<ul class="rows">
      ${checks.value.map(
        (check) => html`<li key=${check.name}>
          <div class="row-main">
            <p class="row-title">${check.name}</p>
            <p class="small">${check.message}</p>
            ${check.advice && html`<p class="muted small">${check.advice}</p>`}
          </div>
          <${Tag} kind=${STATES[check.state]}>${t(`turns.check_states.${check.state}`)}<//>
        </li>`,
      )}
    </ul>`}
  <//>`;
}

export function Health() {
  const health = useSignal(null);
  const error = useSignal(null);
  const refresh = async () => {
    try {
      health.value = await get("/health");
      error.value = null;
    } catch (fault) {
      error.value = fault;
    }
  };
  useTopics(["health"], refresh);
  if (error.value) return html`<${Fault} error=${error.value} retry=${refresh} />`;
  if (!health.value) return html`<${Loading} />`;
  const { degraded, engines, memory, uptime_s: uptime, version } = health.value;
  const counted = (value) => (memory.counted ? number(value) : "…");
  const numbers = [
    ["version", version],
    ["uptime", span(uptime)],
    ["messages", counted(memory.messages)],
    ["facts", counted(memory.facts)],
    ["people", counted(memory.users)],
    ["waiting_work", counted(memory.pending_tasks + memory.embedding_backlog)],
    ["parked_work", counted(memory.parked_tasks)],
  ];
  return html`
    ${degraded.length
      ? degraded.map((sentence) => html`<${Banner} kind="warning" key=${sentence}>${sentence}<//>`)
      : html`<${Banner}>${t("turns.all_well")}<//>`}
    <div class="grid">
      <${Card} title=${t("turns.engines")}>
        <ul class="rows">
          ${Object.entries(engines).map(([job, engine]) => html`<${Engine} key=${job} job=${job} engine=${engine} />`)}
        </ul>
      <//>
      <${Card} title=${t("turns.server")}>
        <dl class="facts numbers">
          ${numbers.map(([name, value]) => html`<dt key=${name}>${t(`turns.${name}`)}</dt><dd>${value}</dd>`)}
        </dl>
      <//>
    </div>
    <${Checks} />
  `;
}
