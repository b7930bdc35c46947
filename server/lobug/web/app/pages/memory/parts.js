// Parts that several views of memory show.

import { Tag } from "../../components/basics.js";
import { html } from "../../preact.js";
import { has, moment, number, t } from "../../sentences.js";

/** In the order in which they are offered. */
export const LAYERS = ["identity", "knowledge", "archive"];
const LAYER_KINDS = { identity: "accent", knowledge: "good", archive: "plain" };
const STATUS_KINDS = { past: "warning", inactive: "bad" };

/** Words that somebody said or wrote: data, whatever they hold. Their direction stays their own. */
export function Words({ children, clamped = false }) {
  return html`<bdi dir="auto" class=${clamped ? "words words-clamped" : "words"}>${children}</bdi>`;
}

export function LayerTag({ layer }) {
  return html`<${Tag} kind=${LAYER_KINDS[layer]}>${t(`memory.layers.${layer}`)}<//>`;
}

/** The state of an entry that is not believed any more. */
export function StatusTag({ entry }) {
  if (entry.status === "active") return null;
  return html`<${Tag} kind=${STATUS_KINDS[entry.status]}>${statusText(entry)}<//>`;
}

/** Why an entry is not active any more, in a word or two. */
export function statusText(entry) {
  const reason = `memory.reasons.${entry.reason}`;
  return has(reason) ? t(reason) : t(`memory.statuses.${entry.status}`);
}

/** A share of 0 to 1 as a bar with its number in words. */
export function ShareBar({ label, share, text }) {
  const width = `${Math.round(100 * Math.min(1, Math.max(0, share)))}%`;
  return html`<span class="share">
    <span class="share-label">${label}</span>
    <span class="share-track" aria-hidden="true"><span class="share-fill" style=${{ width }}></span></span>
    <span class="share-text numbers">${text}</span>
  </span>`;
}

/** How well a hit fits; for the owner also of what its score consists. */
export function Scores({ hit }) {
  const parts = Object.entries(hit.parts);
  const largest = Math.max(0.001, ...parts.map(([, value]) => Math.abs(value)));
  return html`<div class="scores">
    <${ShareBar}
      label=${t("memory.confidence")}
      share=${hit.confidence}
      text=${t("memory.percent", { n: Math.round(100 * hit.confidence) })}
    />
    ${parts.length > 0 &&
    html`<details class="score-parts">
      <summary>${t("memory.score", { score: number(hit.score) })}</summary>
      ${parts.map(
        ([name, value]) => html`<${ShareBar}
          key=${name}
          label=${has(`memory.parts.${name}`) ? t(`memory.parts.${name}`) : name}
          share=${Math.abs(value) / largest}
          text=${number(value)}
        />`,
      )}
    </details>`}
  </div>`;
}

export const said = (at) => html`<time datetime=${at}>${moment(at)}</time>`;

/** What an erasure takes, as counts. */
export function goneText({ entries, messages, derived }) {
  return t("memory.gone", {
    entries: t("memory.versions", { n: entries.length }),
    messages: t("memory.messages", { n: messages }),
    derived: t("memory.derived", { n: derived }),
  });
}
