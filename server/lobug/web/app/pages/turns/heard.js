// What was heard last, and why some of it was ignored.

import { get } from "../../api.js";
import { Card, Empty, Fault, Loading, Tag, When } from "../../components/basics.js";
import { useLive, useTopics } from "../../live.js";
import { html, useSignal } from "../../preact.js";
import { has, t } from "../../sentences.js";

const KEPT = 100;

function outcome({ outcome: name, reason }) {
  if (name !== "ignore") return has(`turns.outcomes.${name}`) ? t(`turns.outcomes.${name}`) : name;
  return has(`turns.reasons.${reason}`) ? t(`turns.reasons.${reason}`) : t("turns.ignored_otherwise", { reason });
}

export function HeardList() {
  const heard = useSignal(null);
  const kept = useSignal(KEPT);
  const error = useSignal(null);
  const refresh = async () => {
    try {
      const answer = await get("/web/heard", { limit: KEPT });
      kept.value = answer.kept;
      heard.value = answer.heard;
      error.value = null;
    } catch (fault) {
      error.value = fault;
    }
  };
  useTopics(["memory"], refresh); // what was forgotten must not stay on the screen
  useLive("heard", (one) => (heard.value = [one, ...(heard.value ?? [])].slice(0, Math.min(KEPT, kept.value))));
  if (error.value) return html`<${Fault} error=${error.value} retry=${refresh} />`;
  if (!heard.value) return html`<${Loading} />`;
  return html`<${Card} about=${t("turns.heard_more")} title=${t("turns.tabs.heard")}>
    ${heard.value.length
      ? html`<ul class="rows">
          ${heard.value.map(
            (one) => html`<li key=${`${one.at} ${one.text}`}>
              <div class="row-main">
                <p class=${one.text ? "row-title" : "muted"}>${one.text || t("turns.no_words")}</p>
                <p class="muted small">
                  <${When} at=${one.at} /> · ${one.user}${one.device && ` · ${one.device}`}
                </p>
              </div>
              <${Tag} kind=${one.outcome === "respond" ? "good" : one.outcome === "failed" ? "bad" : "plain"}>
                ${outcome(one)}
              <//>
            </li>`,
          )}
        </ul>`
      : html`<${Empty} icon="talk" title=${t(kept.value ? "turns.heard_none" : "turns.heard_off")} />`}
  <//>`;
}
