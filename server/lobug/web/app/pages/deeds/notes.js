// Notes to self.

import { del, get, post } from "../../api.js";
import { Card, Empty, Fault, IconButton, Loading, When } from "../../components/basics.js";
import { attempt, toast } from "../../components/toasts.js";
import { useTopics } from "../../live.js";
import { html, useSignal } from "../../preact.js";
import { t } from "../../sentences.js";
import { shownUser, userQuery } from "../../session.js";

export function Notes() {
  const notes = useSignal(null);
  const error = useSignal(null);
  const text = useSignal("");
  const refresh = async () => {
    try {
      notes.value = (await get("/notes", userQuery())).notes;
      error.value = null;
    } catch (fault) {
      error.value = fault;
    }
  };
  useTopics(["notes"], refresh, [shownUser.value]);
  const keep = async (event) => {
    event.preventDefault();
    if (!text.value.trim()) return;
    const kept = await attempt(() => post("/notes", { content: text.value }, { query: userQuery() }));
    if (!kept) return;
    text.value = "";
    refresh();
  };
  const remove = async (note) => {
    const gone = await attempt(() => del(`/notes/${note.id}`, { query: userQuery() }));
    if (gone) {
      const run = async () => {
        await attempt(() => post("/notes", { content: note.content }, { query: userQuery() }));
        refresh();
      };
      toast(t("deeds.note_gone"), { action: { label: t("shell.undo"), run } });
    }
    refresh();
  };
  return html`
    <form class="add-item" onSubmit=${keep}>
      <input
        class="input"
        autocomplete="off"
        aria-label=${t("deeds.note")}
        placeholder=${t("deeds.note")}
        value=${text.value}
        onInput=${(event) => (text.value = event.currentTarget.value)}
      />
      <button class="button">${t("deeds.keep")}</button>
    </form>
    ${error.value && html`<${Fault} error=${error.value} retry=${refresh} />`}
    ${!notes.value && !error.value && html`<${Loading} />`}
    ${notes.value &&
    html`<${Card}>
      ${notes.value.length
        ? html`<ul class="rows">
            ${notes.value.map(
              (note) => html`<li key=${note.id}>
                <div class="row-main">
                  <p>${note.content}</p>
                  <p class="muted small"><${When} at=${note.created_at} /></p>
                </div>
                <${IconButton} icon="trash" label=${t("deeds.delete_note")} onClick=${() => remove(note)} />
              </li>`,
            )}
          </ul>`
        : html`<${Empty} icon="edit" title=${t("deeds.no_notes")}>${t("deeds.no_notes_more")}<//>`}
    <//>`}
  `;
}
