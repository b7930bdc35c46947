// Timers, alarms and reminders.

import { del, get, patch } from "../../api.js";
import { Card, Empty, Fault, IconButton, Loading, Tag } from "../../components/basics.js";
import { Icon } from "../../components/icons.js";
import { attempt, toast } from "../../components/toasts.js";
import { useLive, useTopics } from "../../live.js";
import { html, useEffect, useSignal } from "../../preact.js";
import { date, language, span, t, time } from "../../sentences.js";
import { shownUser, userQuery } from "../../session.js";
import { AlertForm } from "./alert_form.js";

const KINDS = ["timer", "alarm", "reminder"];
const DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
const MORE_MINUTES = 5;

/** What an alert is called: its name, else its kind. */
export const called = (alert) => alert.label || t(`deeds.kinds.${alert.kind}`);

function dayName(code) {
  const at = new Date(MONDAY + DAYS.indexOf(code) * DAY_MS);
  return new Intl.DateTimeFormat(language, { weekday: "long", timeZone: "UTC" }).format(at);
}

/** A recurrence rule in words. */
export function ruleInWords(rule) {
  const parts = Object.fromEntries(rule.split(";").map((part) => part.split("=")));
  const days = parts.BYDAY?.split(",") ?? [];
  if (parts.INTERVAL > 1 || parts.BYMONTH || parts.BYSETPOS) return t("deeds.other_rule");
  if (parts.FREQ === "DAILY" && !days.length) return t("deeds.every_day");
  if (parts.FREQ !== "WEEKLY" || days.some((day) => !DAYS.includes(day))) return t("deeds.other_rule");
  if (days.length === 7) return t("deeds.every_day");
  if (days.join() === "MO,TU,WE,TH,FR") return t("deeds.weekdays");
  if (days.join() === "SA,SU") return t("deeds.weekends");
  const names = new Intl.ListFormat(language).format(days.map(dayName));
  return days.length ? t("deeds.every_days", { days: names }) : t("deeds.other_rule");
}

function moment(at, now) {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const away = Math.floor((new Date(at).setHours(0, 0, 0, 0) - midnight) / DAY_MS + 0.5);
  const day = away === 0 ? t("deeds.today") : away === 1 ? t("deeds.tomorrow") : date(at);
  return t("deeds.next", { day, time: time(at) });
}

/** The time now, once a second while `ticks`. */
function useNow(ticks) {
  const now = useSignal(Date.now());
  useEffect(() => {
    if (!ticks) return undefined;
    now.value = Date.now();
    const timer = setInterval(() => (now.value = Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [ticks]);
  return now.value;
}

function TimeLeft({ alert, now }) {
  const left = (new Date(alert.due_at) - now) / 1_000;
  const part = alert.span_s ? Math.min(1, Math.max(0, left / alert.span_s)) : 0;
  return html`<p class="timer-left numbers" role="timer" aria-live="off">
      <strong>${span(left)}</strong>
      <span class="muted">${alert.span_s ? t("deeds.of", { span: span(alert.span_s) }) : t("deeds.left")}</span>
    </p>
    <progress class="timer-bar" max="1" value=${part} aria-label=${t("deeds.left")}></progress>`;
}

function AlertRow({ alert, now, cancel, edit, refresh }) {
  const what = called(alert);
  const rings = alert.state === "ringing";
  const more = async () => {
    const left = Math.max(0, (new Date(alert.due_at) - Date.now()) / 1_000);
    await attempt(() =>
      patch(`/alerts/${alert.id}`, { in_s: left + 60 * MORE_MINUTES }, { query: userQuery() }),
    );
    refresh();
  };
  return html`<li class=${rings ? "alert-row alert-rings" : "alert-row"}>
    <${Icon} name=${alert.kind === "timer" ? "timer" : "bell"} />
    <div class="row-main">
      <p class="row-title">${what} ${rings && html`<${Tag} kind="warning">${t("deeds.ringing")}<//>`}</p>
      ${!rings &&
      (alert.kind === "timer"
        ? html`<${TimeLeft} alert=${alert} now=${now} />`
        : html`<p class="muted small">
            ${moment(alert.due_at, now)}${alert.rule && ` · ${ruleInWords(alert.rule)}`}
          </p>`)}
    </div>
    <div class="actions">
      ${rings
        ? html`<button class="button button-primary" onClick=${() => cancel(alert)}>${t("deeds.stop")}</button>`
        : html`${alert.kind === "timer" &&
            html`<button
              class="button button-small"
              onClick=${more}
            >${t("deeds.plus", { minutes: MORE_MINUTES })}<span class="visually-hidden">${t("deeds.plus_for", { what })}</span></button>`}
            <${IconButton} icon="edit" label=${t("deeds.edit_one", { what })} onClick=${() => edit(alert)} />
            <${IconButton} icon="trash" label=${t("deeds.cancel_one", { what })} onClick=${() => cancel(alert)} />`}
    </div>
  </li>`;
}

export function Alerts() {
  const alerts = useSignal(null);
  const error = useSignal(null);
  /** An alert that is changed, or `{kind}` of a new one; null: no form is open. */
  const form = useSignal(null);
  const refresh = async () => {
    try {
      alerts.value = (await get("/alerts", userQuery())).alerts;
      error.value = null;
    } catch (fault) {
      error.value = fault;
    }
  };
  useTopics(["alerts"], refresh, [shownUser.value]);
  useLive("ringing", refresh);
  const now = useNow(alerts.value?.some((alert) => alert.kind === "timer") ?? false);
  const cancel = async (alert) => {
    const gone = await attempt(() => del(`/alerts/${alert.id}`, { query: userQuery() }));
    if (gone && alert.state !== "ringing") toast(t("deeds.cancelled", { what: called(alert) }));
    refresh();
  };
  return html`
    <div class="actions">
      ${KINDS.map(
        (kind) => html`<button class="button" key=${kind} onClick=${() => (form.value = { kind })}>
          <${Icon} name="plus" />${t(`deeds.add_kind.${kind}`)}
        </button>`,
      )}
    </div>
    ${error.value && html`<${Fault} error=${error.value} retry=${refresh} />`}
    ${!alerts.value && !error.value && html`<${Loading} />`}
    ${alerts.value &&
    html`<${Card}>
      ${alerts.value.length
        ? html`<ul class="rows">
            ${alerts.value.map(
              (alert) => html`<${AlertRow}
                key=${alert.id}
                alert=${alert}
                now=${now}
                cancel=${cancel}
                refresh=${refresh}
                edit=${(one) => (form.value = one)}
              />`,
            )}
          </ul>`
        : html`<${Empty} icon="timer" title=${t("deeds.no_alerts")}>${t("deeds.no_alerts_more")}<//>`}
    <//>`}
    <p class="visually-hidden" role="alert">
      ${(alerts.value ?? [])
        .filter((alert) => alert.state === "ringing")
        .map((alert) => t("deeds.ringing_now", { what: called(alert) }))
        .join(" ")}
    </p>
    ${form.value &&
    html`<${AlertForm}
      alert=${form.value}
      close=${() => (form.value = null)}
      done=${(alert, words) => {
        toast(t(words, { what: called(alert) }));
        refresh();
      }}
    />`}
  `;
}
