// The form in which an alert is set or changed.

import { patch, post } from "../../api.js";
import { Field } from "../../components/basics.js";
import { Dialog } from "../../components/dialog.js";
import { html, useSignal } from "../../preact.js";
import { t } from "../../sentences.js";
import { userQuery } from "../../session.js";

const DAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
const MINUTE_MS = 60_000;
const REPEATS = ["none", "daily", "weekdays", "weekly"];

/** A moment as a field for date and time holds it, on the clock of this browser. */
function localField(at) {
  const moment = new Date(at);
  return new Date(moment - moment.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** The recurrence rule of a choice; undefined: none. */
function ruleOf(repeat, at) {
  if (repeat === "daily") return "FREQ=DAILY";
  if (repeat === "weekdays") return "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR";
  if (repeat === "weekly") return `FREQ=WEEKLY;BYDAY=${DAYS[new Date(at).getDay()]}`;
  return undefined;
}

/** The choice that stands for a recurrence rule; "other": none of them does. */
function repeatOf(rule, at) {
  return REPEATS.find((name) => ruleOf(name, at) === (rule ?? undefined)) ?? "other";
}

const whole = (text) => Math.max(0, Math.floor(Number(text) || 0));

/** `alert`: the one to be changed, or `{kind}` of a new one; `done(alert, words)` after success. */
export function AlertForm({ alert, close, done }) {
  const { kind, id } = alert;
  const isTimer = kind === "timer";
  const label = useSignal(alert.label ?? "");
  const length = useSignal({ hours: "", minutes: "", seconds: "" });
  const at = useSignal(alert.due_at && !isTimer ? localField(alert.due_at) : "");
  const known = id ? repeatOf(alert.rule, alert.due_at) : "none";
  const repeat = useSignal(known);
  const fault = useSignal("");
  const busy = useSignal(false);

  const save = async (event) => {
    event.preventDefault();
    const { hours, minutes, seconds } = length.value;
    const inSeconds = 3_600 * whole(hours) + 60 * whole(minutes) + whole(seconds);
    const isTimed = isTimer ? inSeconds > 0 : Boolean(at.value);
    if (!isTimed && !id) fault.value = t(isTimer ? "deeds.no_length" : "deeds.no_time");
    else if (kind === "reminder" && !label.value.trim()) fault.value = t("deeds.no_label");
    else {
      const body = { label: label.value.trim() };
      if (isTimed && isTimer) body.in_s = inSeconds;
      else if (isTimed && at.value !== (id && localField(alert.due_at))) {
        body.at = new Date(at.value).toISOString();
      }
      const rule = ruleOf(repeat.value, at.value);
      // "Every week" is every week on the day of the date.
      if (!isTimer && repeat.value !== "other" && rule !== (alert.rule ?? undefined)) body.rule = rule ?? null;
      busy.value = true;
      try {
        const answer = id
          ? await patch(`/alerts/${id}`, body, { query: userQuery() })
          : await post("/alerts", { kind, ...body }, { query: userQuery() });
        close();
        done(answer, id ? "deeds.was_changed" : "deeds.was_set");
      } catch (error) {
        fault.value = error.message;
      } finally {
        busy.value = false;
      }
    }
  };

  const lengthField = (unit) => html`<${Field} label=${t(`deeds.${unit}`)}>
    ${(more) => html`<input
      ...${more}
      type="number"
      inputmode="numeric"
      min="0"
      max="9999"
      value=${length.value[unit]}
      onInput=${(event) => (length.value = { ...length.value, [unit]: event.currentTarget.value })}
    />`}
  <//>`;

  const title = id ? t("deeds.edit_one", { what: alert.label || t(`deeds.kinds.${kind}`) }) : t(`deeds.add_kind.${kind}`);
  return html`<${Dialog} title=${title} close=${close}>
    <form class="stack" onSubmit=${save} novalidate>
      ${isTimer
        ? html`<fieldset class="length">
            <legend class="label">${t("deeds.length")}</legend>
            <div>${["hours", "minutes", "seconds"].map(lengthField)}</div>
          </fieldset>`
        : html`<${Field} label=${t("deeds.when")}>
            ${(more) => html`<input
              ...${more}
              type="datetime-local"
              value=${at.value}
              onInput=${(event) => (at.value = event.currentTarget.value)}
            />`}
          <//>`}
      ${!isTimer &&
      html`<${Field} label=${t("deeds.repeat")}>
        ${(more) => html`<select
          ...${more}
          value=${repeat.value}
          onChange=${(event) => (repeat.value = event.currentTarget.value)}
        >
          ${(known === "other" ? ["other", ...REPEATS] : REPEATS).map((name) => html`<option key=${name} value=${name}>${t(`deeds.repeat_${name}`)}</option>`)}
        </select>`}
      <//>`}
      <${Field}
        label=${t(`deeds.label_${kind}`)}
        hint=${kind === "reminder" ? undefined : t("deeds.label_hint")}
      >
        ${(more) => html`<input
          ...${more}
          type="text"
          autocomplete="off"
          maxlength="1000"
          placeholder=${kind === "reminder" ? t("deeds.label_example_reminder") : undefined}
          value=${label.value}
          onInput=${(event) => (label.value = event.currentTarget.value)}
        />`}
      <//>
      ${fault.value && html`<p class="fault" role="alert">${fault.value}</p>`}
      <footer>
        <button type="button" class="button" onClick=${close}>${t("shell.cancel")}</button>
        <button class="button button-primary" disabled=${busy.value}>
          ${id ? t("deeds.save") : t("deeds.set")}
        </button>
      </footer>
    </form>
  <//>`;
}
