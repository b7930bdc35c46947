// Memory as a whole: switched on or off, taken away as a file, brought back, erased.

import { Card, Fault, Field, Switch } from "../../components/basics.js";
import { Confirm } from "../../components/dialog.js";
import { Icon } from "../../components/icons.js";
import { attempt, toast } from "../../components/toasts.js";
import { html, useState } from "../../preact.js";
import { isOwner, shownUser } from "../../session.js";
import { moment, t } from "../../sentences.js";
import * as memory from "./client.js";
import { EraseOlder, EraseSession } from "./erase.js";
import { ForgetDialog } from "./forget.js";
import { upload } from "./import_file.js";
import { Loaded, useMemoryData } from "./loading.js";
import { goneText } from "./parts.js";
import { memorySwitch, switchMemory } from "./switch.js";

const SESSIONS = 50;

export function ManageView() {
  return html`
    <${MasterSwitch} />
    <${TakeAway} />
    <${ForgetByWords} />
    <${EraseMore} />
  `;
}

function MasterSwitch() {
  const known = memorySwitch.value;
  const title = t("memory.switch_title");
  if (!known) return html`<${Card} title=${title}><p class="muted">${t(isOwner.value ? "memory.switch_unknown" : "memory.switch_owner")}</p><//>`;
  return html`<${Card} title=${title} about=${t(known.on ? "memory.switch_on_means" : "memory.switch_off_means")}>
    <${Switch}
      label=${t("memory.switch_label")}
      checked=${known.on}
      disabled=${!known.changeable}
      change=${(on) => attempt(async () => {
        await switchMemory(on);
        toast(t(on ? "memory.switched_on" : "memory.switched_off"));
      })}
    />
    ${!known.changeable && html`<p class="hint">${t("memory.switch_fixed")}</p>`}
  <//>`;
}

function TakeAway() {
  const [progress, setProgress] = useState(null);
  const [result, setResult] = useState("");
  const [fault, setFault] = useState(null);
  const chosen = async (event) => {
    const [file] = event.currentTarget.files;
    event.currentTarget.value = "";
    if (!file) return;
    setResult("");
    setFault(null);
    setProgress(0);
    try {
      const brought = await upload(memory.address("import"), file, setProgress);
      const parts = ["entries", "messages", "sessions", "projects", "tasks"];
      const counts = parts.filter((name) => brought[name]).map((name) => t(`memory.brought.${name}`, { n: brought[name] }));
      setResult(counts.length
        ? t("memory.imported", { what: counts.join(", "), skipped: brought.skipped })
        : t("memory.imported_nothing"));
    } catch (error) {
      setFault(error);
    } finally {
      setProgress(null);
    }
  };
  return html`<${Card} title=${t("memory.export_title")} about=${t("memory.export_about")}>
    <div class="actions">
      <a class="button" href=${memory.address("export")} download><${Icon} name="download" />${t("memory.export_json")}</a>
      <a class="button" href=${memory.address("export", { format: "markdown" })} download><${Icon} name="download" />${t("memory.export_markdown")}</a>
      <label class="button file-button" data-busy=${progress !== null}>
        <${Icon} name="upload" />${t("memory.import")}
        <input class="visually-hidden" type="file" accept=".json,application/json" disabled=${progress !== null} onChange=${chosen} />
      </label>
    </div>
    ${progress !== null &&
    html`<p class="import-progress" role="status">
      <progress max="1" value=${progress < 1 ? progress : undefined} aria-label=${t("memory.importing")}></progress>
      ${t(progress < 1 ? "memory.importing" : "memory.import_read")}
    </p>`}
    ${result && html`<p role="status">${result}</p>`}
    ${fault && html`<${Fault} error=${fault} />`}
  <//>`;
}

function ForgetByWords() {
  const [words, setWords] = useState("");
  const [asking, setAsking] = useState(false);
  return html`<${Card} title=${t("memory.forget_words_title")} about=${t("memory.forget_words_about")}>
    <form class="inline-form" onSubmit=${(event) => {
      event.preventDefault();
      setAsking(true);
    }}>
      <${Field} label=${t("memory.forget_words")}>
        ${(props) => html`<input ...${props} type="text" dir="auto" placeholder=${t("memory.forget_example")} value=${words} onInput=${(event) => setWords(event.currentTarget.value)} />`}
      <//>
      <button class="button" disabled=${!words.trim()}>${t("memory.show_what_goes")}</button>
    </form>
    ${asking &&
    html`<${ForgetDialog}
      preview=${() => memory.post("forget", { text: words, dry_run: true })}
      erase=${() => memory.post("forget", { text: words, confirm: true })}
      erased=${() => setWords("")}
      close=${() => setAsking(false)}
    />`}
  <//>`;
}

function EraseMore() {
  const [asking, setAsking] = useState(null);
  const [session, setSession] = useState("");
  const [days, setDays] = useState("90");
  const data = useMemoryData(async (signal) => {
    const [{ sessions }, stats] = await Promise.all([
      memory.get("sessions", { limit: SESSIONS }, { signal }),
      memory.get("stats", {}, { signal }),
    ]);
    return { sessions, stats };
  });
  return html`<${Card} title=${t("memory.erase_title")} about=${t("memory.erase_about")}>
    <${Loaded} data=${data}>
      ${({ sessions, stats }) => html`<div class="stack">
        <form class="inline-form" onSubmit=${(event) => {
          event.preventDefault();
          const one = sessions.find((known) => String(known.id) === session);
          if (one) setAsking({ Box: EraseSession, session: one });
        }}>
          <${Field} label=${t("memory.erase_session")}>
            ${(props) => html`<select ...${props} value=${session} onChange=${(event) => setSession(event.currentTarget.value)}>
              <option value="">${t(sessions.length ? "memory.choose_session" : "memory.no_sessions")}</option>
              ${sessions.map((one) => html`<option key=${one.id} value=${String(one.id)}>${moment(one.started_at)}, ${t("memory.messages", { n: one.messages })}</option>`)}
            </select>`}
          <//>
          <button class="button" disabled=${!session}>${t("memory.erase")}</button>
        </form>
        <form class="inline-form" onSubmit=${(event) => {
          event.preventDefault();
          setAsking({ Box: EraseOlder, days: Number(days) });
        }}>
          <${Field} label=${t("memory.erase_older")}>
            ${(props) => html`<input ...${props} type="number" inputmode="numeric" min="1" max="36500" required value=${days} onInput=${(event) => setDays(event.currentTarget.value)} />`}
          <//>
          <button class="button">${t("memory.erase")}</button>
        </form>
        <div>
          <button class="button button-danger" onClick=${() =>
            setAsking({ Box: EraseAll, person: shownUser.value ?? stats.user, what: t("memory.erase_all_what", allOf(stats)) })}>
            <${Icon} name="trash" />${t("memory.erase_all")}
          </button>
        </div>
        ${asking && html`<${asking.Box} ...${asking} close=${() => setAsking(null)} erased=${() => {
          setSession("");
          data.reload();
        }} />`}
      </div>`}
    <//>
  <//>`;
}

function allOf(stats) {
  const versions = Object.values(stats.entries).flatMap((counts) => Object.values(counts));
  return {
    entries: t("memory.versions", { n: versions.reduce((sum, n) => sum + n, 0) }),
    messages: t("memory.messages", { n: stats.messages }),
    sessions: t("memory.sessions", { n: stats.sessions }),
  };
}

function EraseAll({ what, person, erased, close }) {
  const [name, setName] = useState("");
  return html`<${Confirm}
    title=${t("memory.erase_sure")}
    action=${t("memory.erase_now")}
    dangerous
    close=${close}
    run=${async () => {
      if (name.trim() !== person) throw new Error(t("memory.type_name", { name: person }));
      const gone = await memory.post("purge", { user: true, confirm: true });
      toast(t("memory.erased", { what: goneText(gone) }));
      erased();
    }}
  >
    <p>${what}</p>
    <p><strong>${t("memory.no_undo")}</strong></p>
    <${Field} label=${t("memory.type_name", { name: person })}>
      ${(props) => html`<input ...${props} type="text" autocomplete="off" autocapitalize="off" spellcheck="false" value=${name} onInput=${(event) => setName(event.currentTarget.value)} />`}
    <//>
  <//>`;
}
