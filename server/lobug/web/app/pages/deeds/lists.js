// Lists: shopping, to do, and whatever else; the person's own and the household's.

import { del, get, patch, post, withQuery } from "../../api.js";
import { Card, Empty, Fault, Field, IconButton, Loading, Tag } from "../../components/basics.js";
import { Confirm, Dialog } from "../../components/dialog.js";
import { Icon } from "../../components/icons.js";
import { attempt, toast } from "../../components/toasts.js";
import { useTopics } from "../../live.js";
import { html, useSignal } from "../../preact.js";
import { language, t } from "../../sentences.js";
import { shownUser, userQuery } from "../../session.js";

const pathOf = (list) => `/lists/${encodeURIComponent(list.name)}`;
const queryOf = (list) => ({ ...userQuery(), scope: list.scope });

/** The things in a text with several of them: one a line, or with commas. */
export const things = (text) => text.split(/[\n,;]+/).map((thing) => thing.trim()).filter(Boolean);

function AddItems({ list, refresh }) {
  const text = useSignal("");
  const add = async (event) => {
    event.preventDefault();
    const items = things(text.value);
    if (!items.length) return;
    const came = await attempt(() => post(`${pathOf(list)}/items`, { items }, { query: queryOf(list) }));
    if (!came) return;
    text.value = "";
    if (came.present.length) {
      const present = new Intl.ListFormat(language).format(came.present.map((item) => item.content));
      toast(t("deeds.already_there", { items: present }));
    }
    refresh();
  };
  return html`<form class="add-item" onSubmit=${add}>
    <input
      class="input"
      autocomplete="off"
      enterkeyhint="done"
      aria-label=${t("deeds.add_to", { list: list.name })}
      placeholder=${t("deeds.add_to", { list: list.name })}
      title=${t("deeds.add_hint")}
      value=${text.value}
      onInput=${(event) => (text.value = event.currentTarget.value)}
    />
    <button class="icon-button" aria-label=${t("deeds.add")}><${Icon} name="plus" /></button>
  </form>`;
}

function Item({ list, item, refresh }) {
  const path = `${pathOf(list)}/items/${item.id}`;
  const ticked = useSignal(null); // what was chosen here, until the server's list has it
  const tick = async (event) => {
    const done = event.currentTarget.checked;
    ticked.value = done;
    await attempt(() => patch(path, { done }, { query: queryOf(list) }));
    await refresh();
    if (ticked.value === done) ticked.value = null; // else it was ticked again meanwhile
  };
  const remove = async () => {
    const gone = await attempt(() => del(path, { query: queryOf(list) }));
    if (gone) {
      toast(t("deeds.taken_off", { item: item.content }), {
        action: {
          label: t("shell.undo"),
          run: async () => {
            await attempt(() =>
              post(`${pathOf(list)}/items`, { items: [item.content] }, { query: queryOf(list) }),
            );
            refresh();
          },
        },
      });
    }
    refresh();
  };
  return html`<li class="item">
    <label>
      <input type="checkbox" checked=${ticked.value ?? item.done} onChange=${tick} />
      <span class=${item.done ? "item-done" : undefined}>${item.content}</span>
    </label>
    <${IconButton} icon="close" label=${t("deeds.take_off", { item: item.content })} onClick=${remove} />
  </li>`;
}

function ListCard({ list, refresh }) {
  const asked = useSignal("");
  const open = list.items.filter((item) => !item.done);
  const done = list.items.filter((item) => item.done);
  const clearDone = async () => {
    for (const item of done) {
      if (!(await attempt(() => del(`${pathOf(list)}/items/${item.id}`, { query: queryOf(list) })))) break;
    }
    refresh();
  };
  const after = async (work, words) => {
    await work();
    toast(t(words, { list: list.name }));
    refresh();
  };
  const file = (format) => withQuery(pathOf(list), { ...queryOf(list), format });
  return html`<${Card}
    title=${list.name}
    about=${t("deeds.open", { n: open.length })}
    actions=${list.scope === "household" && html`<${Tag} kind="accent">${t("deeds.household")}<//>`}
  >
    <ul class="items">
      ${open.map((item) => html`<${Item} key=${item.id} list=${list} item=${item} refresh=${refresh} />`)}
    </ul>
    ${!list.items.length && html`<p class="muted">${t("deeds.nothing_on_it")}</p>`}
    <${AddItems} list=${list} refresh=${refresh} />
    ${done.length > 0 &&
    html`<details>
      <summary>${t("deeds.done_items", { n: done.length })}</summary>
      <ul class="items">
        ${done.map((item) => html`<${Item} key=${item.id} list=${list} item=${item} refresh=${refresh} />`)}
      </ul>
      <button class="button button-small" onClick=${clearDone}>${t("deeds.clear_done")}</button>
    </details>`}
    <details>
      <summary class="muted small">${t("deeds.more")}</summary>
      <div class="actions">
        <a class="button button-small" href=${file("ics")} download=${`${list.name}.ics`}>${t("deeds.export_ics")}</a>
        <a class="button button-small" href=${file("markdown")} download=${`${list.name}.md`}>${t("deeds.export_markdown")}</a>
        <button class="button button-small" disabled=${!list.items.length} onClick=${() => (asked.value = "clear")}>
          ${t("deeds.clear")}
        </button>
        <button class="button button-small" onClick=${() => (asked.value = "delete")}>${t("deeds.delete")}</button>
      </div>
    </details>
    ${asked.value === "clear" &&
    html`<${Confirm}
      title=${t("deeds.clear_title", { list: list.name })}
      action=${t("deeds.clear")}
      dangerous
      close=${() => (asked.value = "")}
      run=${() => after(() => del(`${pathOf(list)}/items`, { query: queryOf(list) }), "deeds.was_cleared")}
    ><p>${t("deeds.clear_text", { n: list.items.length })}</p><//>`}
    ${asked.value === "delete" &&
    html`<${Confirm}
      title=${t("deeds.delete_title", { list: list.name })}
      action=${t("deeds.delete")}
      dangerous
      close=${() => (asked.value = "")}
      run=${() => after(() => del(pathOf(list), { query: queryOf(list) }), "deeds.was_deleted")}
    ><p>${t("deeds.delete_text")}</p><//>`}
  <//>`;
}

function NewList({ close, refresh }) {
  const name = useSignal("");
  const fault = useSignal("");
  const make = async (event) => {
    event.preventDefault();
    try {
      await post("/lists", { name: name.value }, { query: userQuery() });
      close();
      refresh();
    } catch (error) {
      fault.value = error.message;
    }
  };
  return html`<${Dialog} title=${t("deeds.new_list")} close=${close}>
    <form class="stack" onSubmit=${make}>
      <${Field} label=${t("deeds.list_name")} fault=${fault.value}>
        ${(more) => html`<input
          ...${more}
          type="text"
          required
          autocomplete="off"
          value=${name.value}
          onInput=${(event) => (name.value = event.currentTarget.value)}
        />`}
      <//>
      <footer>
        <button type="button" class="button" onClick=${close}>${t("shell.cancel")}</button>
        <button class="button button-primary">${t("deeds.make")}</button>
      </footer>
    </form>
  <//>`;
}

export function Lists() {
  const lists = useSignal(null);
  const error = useSignal(null);
  const making = useSignal(false);
  const refresh = async () => {
    try {
      lists.value = (await get("/lists", userQuery())).lists;
      error.value = null;
    } catch (fault) {
      error.value = fault;
    }
  };
  useTopics(["lists"], refresh, [shownUser.value]);
  return html`
    <div class="actions">
      <button class="button" onClick=${() => (making.value = true)}><${Icon} name="plus" />${t("deeds.new_list")}</button>
    </div>
    ${error.value && html`<${Fault} error=${error.value} retry=${refresh} />`}
    ${!lists.value && !error.value && html`<${Loading} />`}
    ${lists.value &&
    (lists.value.length
      ? html`<div class="grid">
          ${lists.value.map(
            (list) => html`<${ListCard} key=${`${list.scope} ${list.name}`} list=${list} refresh=${refresh} />`,
          )}
        </div>`
      : html`<${Card}><${Empty} icon="list" title=${t("deeds.no_lists")}>${t("deeds.no_lists_more")}<//><//>`)}
    ${making.value && html`<${NewList} close=${() => (making.value = false)} refresh=${refresh} />`}
  `;
}
