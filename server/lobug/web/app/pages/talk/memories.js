// The memories that a reply used, and what a person does about a wrong one.

import { get, post, del } from "../../api.js";
import { Field, Loading } from "../../components/basics.js";
import { Confirm, Dialog } from "../../components/dialog.js";
import { Icon } from "../../components/icons.js";
import { toast } from "../../components/toasts.js";
import { html, useEffect, useState } from "../../preact.js";
import { date, t } from "../../sentences.js";
import { ownMemory } from "../../session.js";
import { dropMemory, replaceMemory } from "./talker.js";

/** Other memories that a dialog names before they go. */
const NAMED = 5;

function Correct({ memory, close }) {
  const [words, setWords] = useState(memory.content);
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const save = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const entry = await post(`/memory/entries/${memory.id}/correct`, { content: words.trim() });
      replaceMemory(memory.id, { id: entry.id, content: entry.content });
      toast(t("talk.correct_done"));
      close();
    } catch (error) {
      setFault(error.message);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${t("talk.correct_title")} close=${close}>
    <form class="stack" onSubmit=${save}>
      <${Field} label=${t("talk.correct_label")} hint=${t("talk.correct_hint")} fault=${fault}>
        ${(field) => html`<textarea ...${field} required value=${words} onInput=${(event) => setWords(event.currentTarget.value)} />`}
      <//>
      <footer>
        <button type="button" class="button" onClick=${close}>${t("shell.cancel")}</button>
        <button class="button button-primary" disabled=${busy || !words.trim() || words.trim() === memory.content}>
          ${t("shell.save")}
        </button>
      </footer>
    </form>
  <//>`;
}

/** What would go: by its words, if they find it; else the entry alone. */
async function whatGoes(memory) {
  const found = await post("/memory/forget", { text: memory.content, dry_run: true });
  if (!found.entries.includes(memory.id)) return { byWords: false, others: [], entries: [memory.id] };
  const others = found.entries.filter((id) => id !== memory.id).slice(0, NAMED);
  const read = await Promise.all(others.map((id) => get(`/memory/entries/${id}`).catch(() => null)));
  return { ...found, byWords: true, others: read.filter(Boolean) };
}

function Forget({ memory, close }) {
  const [goes, setGoes] = useState(null);
  const [fault, setFault] = useState("");
  useEffect(() => {
    whatGoes(memory).then(setGoes, (error) => setFault(error.message));
  }, []);
  if (!goes) {
    return html`<${Dialog} title=${t("talk.forget_title")} close=${close}>
      ${fault ? html`<p class="fault" role="alert">${fault}</p>` : html`<${Loading} what=${t("talk.forget_looking")} />`}
    <//>`;
  }
  const run = async () => {
    const gone = goes.byWords
      ? await post("/memory/forget", { text: memory.content, confirm: true })
      : await del(`/memory/entries/${memory.id}`);
    dropMemory([memory.id, ...gone.entries]);
    toast(t("talk.forget_done"));
  };
  return html`<${Confirm} title=${t("talk.forget_title")} action=${t("talk.forget")} dangerous run=${run} close=${close}>
    <blockquote class="memory-words">${memory.content}</blockquote>
    ${goes.others.map((entry) => html`<blockquote class="memory-words" key=${entry.id}>${entry.content}</blockquote>`)}
    <p>${t("talk.forget_goes")}</p>
    <ul class="memory-goes">
      <li>${t("talk.forget_entries", { n: goes.entries.length })}${!goes.byWords && `, ${t("talk.forget_words")}`}</li>
      ${goes.messages > 0 && html`<li>${t("talk.forget_messages", { n: goes.messages })}</li>`}
      ${goes.derived > 0 && html`<li>${t("talk.forget_derived", { n: goes.derived })}</li>`}
    </ul>
  <//>`;
}

/** Times come as RFC 3339, or as seconds since the epoch. */
const saidOn = (at) => date(typeof at === "number" ? 1000 * at : at);

function Actions({ memory, ask }) {
  return html`<div class="memory-actions">
    <button class="button button-quiet button-small" onClick=${() => ask({ memory, Box: Correct })}>${t("talk.wrong")}</button>
    <button class="button button-quiet button-small" onClick=${() => ask({ memory, Box: Forget })}>${t("talk.forget")}</button>
    <a class="icon-button" href=${ownMemory("entry", { id: memory.id })} aria-label=${t("talk.more")} title=${t("talk.more")}>
      <${Icon} name="chevron" />
    </a>
  </div>`;
}

/** Memories under a reply, folded. One of kind "turn" is a former message, not yet a memory. */
export function Memories({ memories }) {
  const [asked, ask] = useState(null);
  const close = () => ask(null);
  return html`<details class="memories">
    <summary><${Icon} name="memory" />${t("talk.memories", { n: memories.length })}</summary>
    <ul>
      ${memories.map(
        (memory) => html`<li key=${`${memory.kind} ${memory.id}`}>
          <p>
            ${memory.content}${" "}
            <span class="muted small">
              ${memory.corrected ? t("talk.corrected") : memory.said_at && html`<time>${saidOn(memory.said_at)}</time>`}
              ${memory.kind === "turn" && ` · ${t("talk.from_talk")}`}
            </span>
          </p>
          ${memory.kind !== "turn" && html`<${Actions} memory=${memory} ask=${ask} />`}
        </li>`,
      )}
    </ul>
    ${asked && html`<${asked.Box} memory=${asked.memory} close=${close} />`}
  </details>`;
}
