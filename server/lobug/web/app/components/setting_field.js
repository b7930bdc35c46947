// One setting that may be changed: its control, its default, and whether it was saved.

import { html, useEffect, useId, useRef, useSignal } from "../preact.js";
import { has, language, number, t } from "../sentences.js";
import { Field, IconButton, Switch, Tag } from "./basics.js";

const SAVED_MS = 3_000;
/** Steps of a number are sent once nobody has stepped for so long. */
const STEPPED_MS = 500;

/** A value as words: of a default. Pure but for the catalogue. */
export function inWords(setting, value) {
  if (value === null || value === "" || (Array.isArray(value) && !value.length)) return "";
  if (typeof value === "boolean") return t(value ? "settings.on" : "settings.off");
  if (typeof value === "number") {
    const shown = number(value);
    return setting.unit ? t("settings.in_unit", { value: shown, unit: setting.unit }) : shown;
  }
  if (setting.kind === "choice") return choiceLabel(setting, value);
  return Array.isArray(value) ? value.join(", ") : String(value.name ?? value);
}

/** The step of a number between its limits. Pure. */
export function stepOf(setting) {
  const whole = Number.isInteger(setting.default) && /whole/.test(setting.type);
  if (whole || setting.unit === "days" || setting.minimum === null) return 1;
  return setting.maximum !== null && setting.maximum <= 5 ? 0.1 : 1;
}

const languages = new Intl.DisplayNames([language], { type: "language", fallback: "code" });

function choiceLabel(setting, value) {
  if (setting.name === "stt.language") {
    return value === "auto" ? t("settings.languages.auto") : languages.of(value === "jw" ? "jv" : value);
  }
  return has(`settings.choices.${value}`) ? t(`settings.choices.${value}`) : value;
}

/** `change` sends a value (null: back to the default); it throws ApiError. */
export function SettingField({ setting, change }) {
  const state = useSignal({ kind: "idle", text: "" });
  const sent = useRef(0);
  const save = async (value) => {
    const turn = ++sent.current;
    if (state.value.kind !== "saving" && JSON.stringify(value) === JSON.stringify(setting.value)) {
      // Back at what holds after a value that was refused.
      state.value = { kind: "idle", text: "" };
      return;
    }
    state.value = { kind: "saving", text: t("settings.saving") };
    try {
      await change(value);
      if (turn === sent.current) state.value = { kind: "saved", text: t("settings.saved") };
    } catch (error) {
      if (turn === sent.current) state.value = { kind: "fault", text: error.message };
    }
  };
  useEffect(() => {
    if (state.value.kind !== "saved") return undefined;
    const timer = setTimeout(() => (state.value = { kind: "idle", text: "" }), SAVED_MS);
    return () => clearTimeout(timer);
  }, [state.value]);
  const named = setting.kind === "text" && setting.choices.length > 0;
  const Control = named ? Named : (CONTROLS[setting.kind] ?? Text);
  const fixed = !setting.changeable;
  const fault = state.value.kind === "fault" ? state.value.text : "";
  const words = inWords(setting, setting.default);
  return html`<div class="setting" data-name=${setting.name}>
    <${Control}
      setting=${setting}
      hint=${aboutOf(setting)}
      fault=${fault}
      disabled=${fixed}
      save=${save}
    />
    <div class="setting-foot small">
      ${fixed
        ? html`<p class="muted">
            ${t(`settings.fixed.${setting.source}`, { variable: setting.variable })}
          </p>`
        : html`<p class="muted">
              ${words ? t("settings.default_value", { value: words }) : t("settings.default_empty")}
            </p>
            ${setting.source === "page" &&
            html`<${Tag} kind="accent">${t("settings.changed")}<//>
              <button
                class="button button-small button-quiet"
                aria-label=${t("settings.to_default_of", { label: setting.label })}
                onClick=${() => save(null)}
              >${t("settings.to_default")}</button>`}`}
      <p class=${`setting-state setting-${state.value.kind}`} role="status">
        ${state.value.kind === "fault" ? "" : state.value.text}
      </p>
    </div>
  </div>`;
}

/** What a setting is for: in the page's words, else in those of the documentation. */
function aboutOf(setting) {
  const key = `settings.about_of.${setting.name.replace(".", "_")}`;
  return has(key) ? t(key) : setting.description.replaceAll("`", "");
}

/** A draft of the value that follows the server's unless somebody is editing it. */
function useDraft(value) {
  const draft = useSignal(value);
  const known = useRef(value);
  const same = JSON.stringify(value) === JSON.stringify(known.current);
  useEffect(() => {
    if (same) return;
    known.current = value;
    draft.value = value;
  }, [same]);
  return draft;
}

function Toggle({ setting, hint, fault, disabled, save }) {
  return html`<div class="setting-toggle">
    <${Switch} label=${setting.label} checked=${setting.value} disabled=${disabled} change=${save} />
    <p class=${fault ? "fault-text" : "hint"} role=${fault ? "alert" : undefined}>${fault || hint}</p>
  </div>`;
}

function Numbers({ setting, hint, fault, disabled, save }) {
  const draft = useDraft(setting.value);
  const timer = useRef(0);
  const step = stepOf(setting);
  const send = (text) => {
    clearTimeout(timer.current);
    if (String(text).trim() === "") return;
    save(Number.isFinite(Number(text)) ? Number(text) : text);
  };
  const move = (by) => {
    const wanted = Math.round((Number(draft.value) + by * step) / step) * step;
    const low = setting.minimum ?? -Infinity;
    const high = setting.maximum ?? Infinity;
    draft.value = Number(Math.min(high, Math.max(low, wanted)).toFixed(4));
    clearTimeout(timer.current);
    timer.current = setTimeout(() => send(draft.value), STEPPED_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return html`<${Field} label=${setting.label} hint=${hint} fault=${fault}>
    ${(names) => html`<div class="setting-number">
      <${IconButton}
        icon="minus"
        label=${t("settings.less", { label: setting.label })}
        disabled=${disabled || Number(draft.value) <= (setting.minimum ?? -Infinity)}
        onClick=${() => move(-1)}
      />
      <input
        ...${names}
        type="number"
        inputmode="decimal"
        step="any"
        min=${setting.minimum ?? undefined}
        max=${setting.maximum ?? undefined}
        disabled=${disabled}
        value=${draft.value}
        onInput=${(event) => (draft.value = event.currentTarget.value)}
        onChange=${(event) => send(event.currentTarget.value)}
      />
      <${IconButton}
        icon="plus"
        label=${t("settings.more", { label: setting.label })}
        disabled=${disabled || Number(draft.value) >= (setting.maximum ?? Infinity)}
        onClick=${() => move(1)}
      />
      ${setting.unit && html`<span class="muted">${setting.unit}</span>`}
    </div>`}
  <//>`;
}

function Choice({ setting, hint, fault, disabled, save }) {
  return html`<${Field} label=${setting.label} hint=${hint} fault=${fault}>
    ${(names) => html`<select
      ...${names}
      disabled=${disabled}
      value=${setting.value}
      onChange=${(event) => save(event.currentTarget.value)}
    >
      ${setting.choices.map(
        (one) => html`<option key=${one} value=${one} selected=${one === setting.value}>
          ${choiceLabel(setting, one)}
        </option>`,
      )}
    </select>`}
  <//>`;
}

/** Any number of choices that are switched off; a switch shows what is on. */
function Choices({ setting, hint, fault, disabled, save }) {
  const id = useId();
  const off = new Set(setting.value);
  const toggle = (name, on) =>
    save(setting.choices.filter((one) => (one === name ? !on : off.has(one))));
  return html`<fieldset class="setting-choices" aria-describedby=${id} disabled=${disabled}>
    <legend class="label">${t("settings.skills_on")}</legend>
    <p id=${id} class=${fault ? "fault-text" : "hint"} role=${fault ? "alert" : undefined}>${fault || hint}</p>
    ${setting.choices.map(
      (one) => html`<${Switch}
        key=${one}
        label=${has(`settings.skills.${one}`) ? t(`settings.skills.${one}`) : one}
        checked=${!off.has(one)}
        disabled=${disabled}
        change=${(on) => toggle(one, on)}
      />`,
    )}
  </fieldset>`;
}

/** One of the names that the server knows, or none. A name that is set and not known stays there. */
function Named({ setting, hint, fault, disabled, save }) {
  const names = [...new Set(["", setting.value, ...setting.choices])];
  return html`<${Field} label=${setting.label} hint=${hint} fault=${fault}>
    ${(props) => html`<select
      ...${props}
      disabled=${disabled}
      value=${setting.value}
      onChange=${(event) => save(event.currentTarget.value)}
    >
      ${names.map(
        (one) => html`<option key=${one} value=${one} selected=${one === setting.value}>
          ${one || t("settings.server_chooses")}
        </option>`,
      )}
    </select>`}
  <//>`;
}

function Text({ setting, hint, fault, disabled, save }) {
  const draft = useDraft(setting.value);
  return html`<${Field} label=${setting.label} hint=${hint} fault=${fault}>
    ${(names) => html`<input
      ...${names}
      type="text"
      autocomplete="off"
      spellcheck="false"
      disabled=${disabled}
      value=${draft.value}
      onInput=${(event) => (draft.value = event.currentTarget.value)}
      onChange=${(event) => save(event.currentTarget.value.trim())}
    />`}
  <//>`;
}

function LongText({ setting, hint, fault, disabled, save }) {
  const draft = useDraft(setting.value);
  const changed = draft.value !== setting.value;
  return html`<${Field} label=${setting.label} hint=${hint} fault=${fault}>
      ${(names) => html`<textarea
        ...${names}
        rows="4"
        disabled=${disabled}
        value=${draft.value}
        onInput=${(event) => (draft.value = event.currentTarget.value)}
      />`}
    <//>
    ${changed &&
    html`<div class="actions">
      <button class="button button-primary" onClick=${() => save(draft.value)}>
        ${t("settings.save")}
      </button>
      <button class="button" onClick=${() => (draft.value = setting.value)}>${t("shell.cancel")}</button>
    </div>`}`;
}

function TimeRange({ setting, hint, fault, disabled, save }) {
  const [begin = "", end = ""] = (setting.value || "").split("-");
  const draft = useDraft({ begin, end });
  const on = Boolean(setting.value);
  const set = (part, value) => {
    draft.value = { ...draft.value, [part]: value };
    if (draft.value.begin && draft.value.end) save(`${draft.value.begin}-${draft.value.end}`);
  };
  return html`<fieldset class="setting-range" disabled=${disabled}>
    <legend class="label">${setting.label}</legend>
    <${Switch}
      label=${t("settings.ranges.enabled")}
      checked=${on}
      disabled=${disabled}
      change=${(wanted) => save(wanted ? `${begin || "22:00"}-${end || "07:00"}` : "")}
    />
    ${on &&
    html`<div class="setting-times">
      ${["begin", "end"].map(
        (part) => html`<${Field}
          key=${part}
          label=${t(part === "begin" ? "settings.ranges.from" : "settings.ranges.until")}
        >
          ${(names) => html`<input
            ...${names}
            type="time"
            required
            value=${draft.value[part]}
            onChange=${(event) => set(part, event.currentTarget.value)}
          />`}
        <//>`,
      )}
    </div>`}
    <p class=${fault ? "fault-text" : "hint"} role=${fault ? "alert" : undefined}>${fault || hint}</p>
  </fieldset>`;
}

function TimeZone({ setting, hint, fault, disabled, save }) {
  const draft = useDraft(setting.value);
  const list = useId();
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return html`<${Field} label=${setting.label} hint=${hint} fault=${fault}>
      ${(names) => html`<input
        ...${names}
        type="text"
        list=${list}
        autocomplete="off"
        spellcheck="false"
        placeholder=${t("settings.zone_unset")}
        disabled=${disabled}
        value=${draft.value}
        onInput=${(event) => (draft.value = event.currentTarget.value)}
        onChange=${(event) => save(event.currentTarget.value.trim())}
      />`}
    <//>
    <datalist id=${list}>
      ${(Intl.supportedValuesOf?.("timeZone") ?? []).map((zone) => html`<option key=${zone} value=${zone} />`)}
    </datalist>
    ${!disabled &&
    here &&
    here !== setting.value &&
    html`<div class="actions">
      <button class="button button-small" onClick=${() => save(here)}>
        ${t("settings.zone_here", { zone: here })}
      </button>
    </div>`}`;
}

const NOWHERE = { name: "", latitude: "", longitude: "" };

function Place({ setting, hint, fault, disabled, save }) {
  const draft = useDraft(setting.value ?? NOWHERE);
  const changed = JSON.stringify(draft.value) !== JSON.stringify(setting.value ?? NOWHERE);
  const whole = Object.values(draft.value).every((part) => String(part).trim() !== "");
  const set = (part, value) => (draft.value = { ...draft.value, [part]: value });
  return html`<fieldset class="setting-place" disabled=${disabled}>
    <legend class="label">${setting.label}</legend>
    <div class="setting-times">
      ${Object.keys(NOWHERE).map(
        (part) => html`<${Field} key=${part} label=${t(`settings.place.${part}`)}>
          ${(names) => html`<input
            ...${names}
            type=${part === "name" ? "text" : "number"}
            step="any"
            autocomplete="off"
            value=${draft.value[part]}
            onInput=${(event) =>
              set(part, part === "name" || event.currentTarget.value === "" ? event.currentTarget.value : Number(event.currentTarget.value))}
          />`}
        <//>`,
      )}
    </div>
    <p class=${fault ? "fault-text" : "hint"} role=${fault ? "alert" : undefined}>${fault || hint}</p>
    ${changed &&
    html`<div class="actions">
      <button class="button button-primary" disabled=${!whole} onClick=${() => save(draft.value)}>
        ${t("settings.save")}
      </button>
    </div>`}
  </fieldset>`;
}

const CONTROLS = {
  switch: Toggle,
  number: Numbers,
  choice: Choice,
  choices: Choices,
  text: Text,
  long_text: LongText,
  time_range: TimeRange,
  time_zone: TimeZone,
  place: Place,
};
