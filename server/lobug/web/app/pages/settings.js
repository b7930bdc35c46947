// Settings: what may change while the server runs, each in its own field; the others as a list.

import { get, patch } from "../api.js";
import { Card, Empty, Fault, IconButton, Loading, PageHead, Tag } from "../components/basics.js";
import { Banner } from "../components/banner.js";
import { SettingField } from "../components/setting_field.js";
import { attempt, toast } from "../components/toasts.js";
import { useTopics } from "../live.js";
import { html, useMemo, useSignal } from "../preact.js";
import { t } from "../sentences.js";
import { isOwner, session, signOut } from "../session.js";

/** Cards, in their order, with the settings in them. What may change and stands nowhere is in "more". */
const GROUPS = {
  talk: [
    "conversation.persona",
    "conversation.time_zone",
    "conversation.ignore_and_react",
    "chat.max_sentences",
    "chat.max_tokens",
    "chat.temperature",
  ],
  voice: [
    "tts.wyoming_voice",
    "tts.openai_voice",
    "tts.speed",
    "stt.language",
    "listening.end_silence_s",
    "listening.unfinished_silence_s",
    "listening.finished_silence_s",
    "listening.speculate",
  ],
  quiet: ["skills.quiet_hours", "skills.ring_seconds", "skills.reminder_hour"],
  memory: [
    "memory.enabled",
    "memory.enable_user_memories",
    "memory.enable_summarization",
    "memory.retrieval_top_k",
    "memory.recall_turns",
    "memory.log_retention_days",
    "memory.timeline_retention_days",
    "memory.recall_log_days",
  ],
  skills: ["skills.off", "skills.weather_place", "skills.weather_units", "skills.weather_url"],
  devices: ["access.pairing"],
};

/** The setting of the voice, by the engine that speaks. Others have no effect. */
const VOICES = { wyoming: "tts.wyoming_voice", openai: "tts.openai_voice" };

/** The settings without those that would have no effect with the voice in use. Pure. */
export function inEffect(settings) {
  const engine = settings.find((one) => one.name === "tts.engine")?.value;
  const without = Object.entries(VOICES).filter(([of]) => of !== engine).map(([, name]) => name);
  return settings.filter((one) => !without.includes(one.name));
}

/** What is said where the voice cannot be chosen: a key of the sentences; null: it can. Pure. */
export function voiceNote(settings) {
  const engine = settings.find((one) => one.name === "tts.engine")?.value;
  return { hibari: "settings.one_voice", none: "settings.no_voice" }[engine] ?? null;
}

/** `[group, settings]` for each card that has any, and the settings that are in none. Pure. */
export function grouped(settings) {
  const byName = new Map(settings.map((one) => [one.name, one]));
  const cards = Object.entries(GROUPS).map(([group, names]) => [
    group,
    names.map((name) => byName.get(name)).filter(Boolean),
  ]);
  const placed = new Set(Object.values(GROUPS).flat());
  const rest = settings.filter((one) => !placed.has(one.name));
  cards.push(["more", rest.filter((one) => one.changeable)]);
  return [cards.filter(([, rows]) => rows.length), rest.filter((one) => !one.changeable)];
}

/** The settings that have all words of a search in what is known of them. Pure. */
export function matching(settings, search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return settings.filter((one) => {
    const text = `${one.variable} ${one.name} ${one.description} ${one.value}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export default function Page() {
  return isOwner.value ? html`<${OwnersPage} />` : html`<${GuestsPage} />`;
}

function GuestsPage() {
  return html`<${PageHead} title=${t("shell.pages.settings")} />
    <${Card} title=${t("settings.signed_in", { user: session.value?.user ?? "" })}>
      <p class="muted">${t("settings.owner_only")}</p>
      <div class="actions">
        <button class="button" onClick=${() => attempt(signOut)}>${t("settings.sign_out")}</button>
      </div>
    <//>`;
}

function OwnersPage() {
  const answer = useSignal(null);
  const error = useSignal(null);
  const load = async () => {
    try {
      answer.value = await get("/settings");
      error.value = null;
    } catch (fault) {
      error.value = fault;
    }
  };
  useTopics(["settings"], load);
  const change = async (name, value) => {
    answer.value = await patch("/settings", { [name]: value });
  };
  const head = html`<${PageHead} title=${t("shell.pages.settings")} about=${t("settings.about")} />`;
  if (!answer.value) {
    const rest = error.value ? html`<${Fault} error=${error.value} retry=${load} />` : html`<${Loading} />`;
    return html`${head}${rest}`;
  }
  const note = voiceNote(answer.value.settings);
  const [cards, others] = grouped(inEffect(answer.value.settings));
  return html`${head}
    ${answer.value.faults.map((fault) => html`<${Banner} key=${fault} kind="warning">${fault}<//>`)}
    <div class="settings-cards">
      ${cards.map(
        ([group, rows]) => html`<${Card} key=${group} title=${t(`settings.groups.${group}`)}>
          ${group === "voice" && note && html`<p class="muted settings-note">${t(note)}</p>`}
          <div class="settings-fields">
            ${rows.map(
              (row) => html`<${SettingField}
                key=${row.name}
                setting=${row}
                change=${(value) => change(row.name, value)}
              />`,
            )}
          </div>
        <//>`,
      )}
    </div>
    <${Others} settings=${others} />`;
}

function Others({ settings }) {
  const search = useSignal("");
  const found = useMemo(() => matching(settings, search.value), [settings, search.value]);
  return html`<details class="card settings-others">
    <summary><h2>${t("settings.others")}</h2></summary>
    <p class="muted">${t("settings.others_about")}</p>
    <div class="field">
      <label for="settings-search">${t("settings.search")}</label>
      <input
        id="settings-search"
        type="search"
        autocomplete="off"
        spellcheck="false"
        onInput=${(event) => (search.value = event.currentTarget.value)}
      />
    </div>
    <p class="small muted" role="status">${t("settings.found", { n: found.length })}</p>
    ${found.length
      ? html`<ul class="rows">${found.map((one) => html`<${Other} key=${one.variable} setting=${one} />`)}</ul>`
      : html`<${Empty} icon="search" title=${t("settings.none_found")} />`}
  </details>`;
}

function Other({ setting }) {
  const line = `${setting.variable}=${setting.value}`;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(line);
      toast(t("settings.copied", { text: line }));
    } catch {
      toast(t("settings.not_copied"), { kind: "bad" });
    }
  };
  return html`<li class="settings-other">
    <div class="row-main">
      <p class="settings-line">
        <code>${setting.variable}</code>
        ${setting.source !== "default" &&
        html`<${Tag} kind="accent">${t(`settings.sources.${setting.source}`)}<//>`}
      </p>
      <p class="settings-value">
        ${setting.value === "" ? html`<em>${t("settings.empty_value")}</em>` : html`<code>${String(setting.value)}</code>`}
      </p>
      <p class="small muted">${setting.description.replaceAll("`", "")} (${setting.type})</p>
    </div>
    <${IconButton} icon="copy" label=${t("settings.copy", { text: setting.variable })} onClick=${copy} />
  </li>`;
}
