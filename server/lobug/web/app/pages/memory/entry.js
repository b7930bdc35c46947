// One memory: what it says, where it comes from, what became of it, and what can be done with it.

import { Card, Empty, Fault, Field, PageHead, Tag, When } from "../../components/basics.js";
import { Confirm } from "../../components/dialog.js";
import { Icon } from "../../components/icons.js";
import { attempt, toast } from "../../components/toasts.js";
import { html, useEffect, useRef, useState } from "../../preact.js";
import { go, link } from "../../router.js";
import { moment, number, t } from "../../sentences.js";
import * as memory from "./client.js";
import { ForgetDialog } from "./forget.js";
import { leaveList, listAddress } from "./list.js";
import { Loaded, useMemoryData } from "./loading.js";
import { LayerTag, StatusTag, Words, said, statusText } from "./parts.js";

const MOST_RECALLS = 200;
const SHOWN_RECALLS = 8;

async function load(id, signal) {
  const [shown, history, log] = await Promise.all([
    memory.get(`entries/${id}`, {}, { signal }),
    memory.get(`entries/${id}/history`, {}, { signal }),
    memory.get("recalls", { limit: MOST_RECALLS }, { signal }),
  ]);
  const ids = new Set(history.entries.map((one) => one.id));
  const of = (hit) => hit.kind === "memory" && ids.has(hit.id);
  const recalls = log.recalls.filter((recall) => recall.hits.some(of));
  return { ...shown, versions: history.entries, recalls: recalls.map((recall) => ({ recall, hit: recall.hits.find(of) })) };
}

export function EntryPage({ id }) {
  const data = useMemoryData((signal) => load(id, signal), [id]);
  const head = useRef(null);
  useEffect(() => {
    const heading = head.current?.querySelector("h1");
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [id]);
  return html`
    <div ref=${head}>
      <a class="back-link" href=${listAddress()}><${Icon} name="back" />${t("memory.back")}</a>
      <${PageHead} title=${t("memory.one")} />
    </div>
    ${data.error?.status === 404
      ? html`<${Empty} icon="memory" title=${t("memory.gone_already")} />`
      : html`<${Loaded} data=${data}>${(known) => html`<${Entry} ...${known} reload=${data.reload} />`}<//>`}
  `;
}

function Entry({ entry, message, message_at, derived_from, versions, recalls, reload }) {
  const [editing, setEditing] = useState(null); // "edit" or "correct"
  const [asking, setAsking] = useState(null); // "forget" or "remove"
  const active = entry.status === "active";
  const current = versions.find((version) => version.status === "active");
  const done = (changed, sentence) => {
    setEditing(null);
    toast(t(sentence));
    if (changed.id === entry.id) reload();
    else go(link("memory", "entry", changed.id), { replace: true });
  };
  const change = async (work, sentence) => {
    const changed = await attempt(work);
    if (changed) done(changed, sentence);
  };
  const place = `entries/${entry.id}`;
  const pinned = entry.layer === "identity";
  const pinnable = active && entry.scope === "user" && entry.category === "knowledge";
  return html`
    <${Card}>
      ${editing
        ? html`<${EditForm} key=${editing} entry=${entry} correcting=${editing === "correct"} done=${done} close=${() => setEditing(null)} />`
        : html`
            <p class="entry-words"><${Words}>${entry.content}<//></p>
            <div class="entry-meta"><${LayerTag} layer=${entry.layer} /><${StatusTag} entry=${entry} /></div>
            ${!active &&
            current &&
            html`<p>${t("memory.newer")} <a href=${link("memory", "entry", current.id)}><${Words}>${current.content}<//></a></p>`}
            <div class="actions entry-actions">
              ${active &&
              html`
                <button class="button button-primary" onClick=${() => setEditing("edit")}>
                  <${Icon} name="edit" />${t("memory.edit")}
                </button>
                <button class="button" onClick=${() => setEditing("correct")}>${t("memory.wrong")}</button>
              `}
              ${pinnable &&
              html`<button
                class="button"
                aria-pressed=${pinned ? "true" : "false"}
                onClick=${() =>
                  change(
                    () => memory.patch(place, { layer: pinned ? "knowledge" : "identity" }),
                    pinned ? "memory.unpinned" : "memory.pinned",
                  )}
              ><${Icon} name="pin" />${t(pinned ? "memory.unpin" : "memory.pin")}</button>`}
              ${active
                ? html`<button
                    class="button"
                    onClick=${async () => {
                      const removed = await attempt(() => memory.post(`${place}/remove`));
                      if (!removed) return;
                      toast(t("memory.removed"), {
                        action: {
                          label: t("shell.undo"),
                          run: () => change(() => memory.post(`${place}/restore`), "memory.restored"),
                        },
                      });
                      reload();
                    }}
                  ><${Icon} name="minus" />${t("memory.remove")}</button>`
                : html`<button class="button button-primary" onClick=${() => (current ? setAsking("restore") : change(() => memory.post(`${place}/restore`), "memory.restored"))}>
                    <${Icon} name="restore" />${t("memory.restore")}
                  </button>`}
              <button class="button button-quiet button-forget" onClick=${() => setAsking("forget")}>
                <${Icon} name="trash" />${t("memory.forget")}
              </button>
            </div>
            ${pinnable && html`<p class="hint">${t(pinned ? "memory.pinned_means" : "memory.pin_means")}</p>`}
          `}
    <//>
    <div class="entry-columns">
      <${Card} title=${t("memory.facts")}>
        <${Facts} entry=${entry} message=${message} message_at=${message_at} derived_from=${derived_from} />
      <//>
      <div class="stack">
        <${Card} title=${t("memory.history")}><${History} entry=${entry} versions=${versions} /><//>
        <${Card} title=${t("memory.recalled_for")}><${Recalls} recalls=${recalls} entry=${entry} /><//>
      </div>
    </div>
    ${asking === "forget" &&
    html`<${ForgetDialog}
      preview=${() => memory.del(place, { dry_run: true })}
      erase=${() => memory.del(place)}
      erased=${() => {
        leaveListErased();
      }}
      close=${() => setAsking(null)}
    />`}
    ${asking === "restore" &&
    html`<${Confirm}
      title=${t("memory.restore_title")}
      action=${t("memory.restore")}
      run=${async () => done(await memory.post(`${place}/restore`), "memory.restored")}
      close=${() => setAsking(null)}
    >
      <p>${t("memory.restore_instead")}</p>
      <blockquote><${Words}>${current.content}<//></blockquote>
    <//>`}
  `;
}

/** Back to the list, as it was left; its count has the focus. */
function leaveListErased() {
  const address = listAddress();
  go(address, { replace: true });
  leaveList(null);
}

function EditForm({ entry, correcting, done, close }) {
  const [content, setContent] = useState(entry.content);
  const [importance, setImportance] = useState(entry.importance);
  const [tags, setTags] = useState(entry.tags.join(", "));
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  // The version that the words were taken from: what is changed elsewhere meanwhile is told of.
  const [based] = useState(entry);
  const words = useRef(null);
  useEffect(() => words.current?.querySelector("textarea").focus(), []);
  const save = async (event) => {
    event.preventDefault();
    setBusy(true);
    setFault("");
    try {
      const place = `entries/${based.id}`;
      if (correcting) done(await memory.post(`${place}/correct`, { content }), "memory.corrected");
      else {
        const wanted = { content, importance, tags: tags.split(",").map((tag) => tag.trim()).filter(Boolean) };
        done(await memory.patch(place, wanted), "memory.saved");
      }
    } catch (error) {
      setFault(error.message);
      setBusy(false);
    }
  };
  return html`<form class="stack" onSubmit=${save} ref=${words}>
    ${entry.status !== "active" && html`<${Fault} error=${{ message: t("memory.changed_meanwhile") }} />`}
    ${correcting &&
    html`<div>
      <h2>${t("memory.correct_title")}</h2>
      <p class="muted">${t("memory.correct_means")}</p>
      <blockquote><${Words}>${based.content}<//></blockquote>
    </div>`}
    <${Field} label=${t(correcting ? "memory.instead" : "memory.content")} fault=${fault}>
      ${(props) => html`<textarea ...${props} rows="4" dir="auto" required value=${content} onInput=${(event) => setContent(event.currentTarget.value)} />`}
    <//>
    ${!correcting &&
    html`
      <${Field} label=${t("memory.importance")} hint=${t("memory.importance_hint", { value: number(importance) })}>
        ${(props) => html`<input ...${props} type="range" min="0" max="1" step="0.05" value=${importance} onInput=${(event) => setImportance(Number(event.currentTarget.value))} />`}
      <//>
      <${Field} label=${t("memory.tags")} hint=${t("memory.tags_hint")}>
        ${(props) => html`<input ...${props} type="text" dir="auto" value=${tags} onInput=${(event) => setTags(event.currentTarget.value)} />`}
      <//>
    `}
    <div class="actions">
      <button class="button button-primary" disabled=${busy}>${t(correcting ? "memory.correct" : "shell.save")}</button>
      <button class="button" type="button" onClick=${close}>${t("shell.cancel")}</button>
    </div>
  </form>`;
}

function Facts({ entry, message, message_at, derived_from }) {
  const rows = [
    [t("memory.said_at"), said(entry.said_at)],
    [t("memory.source"), t(`memory.sources.${entry.source}`)],
    message && [
      t("memory.words_from"),
      html`<blockquote><${Words}>${message}<//>${message_at && html`<footer class="small muted">${moment(message_at)}</footer>`}</blockquote>`,
    ],
    derived_from.length && [
      t("memory.derived_from"),
      derived_from.map((id) => html`<a class="chain" key=${id} href=${link("memory", "entry", id)}>${t("memory.number", { id: String(id) })}</a> `),
    ],
    [t("memory.scope"), t(`memory.scopes.${entry.scope}`)],
    [t("memory.importance"), number(entry.importance)],
    entry.tags.length && [t("memory.tags"), entry.tags.map((tag) => html`<${Tag} key=${tag}><${Words}>${tag}<//><//> `)],
    entry.project && [t("memory.project"), html`<${Words}>${entry.project}<//>`],
    entry.section && [t("memory.section"), html`<${Words}>${entry.section}<//>`],
    entry.valid_until && [t("memory.valid_until"), said(entry.valid_until)],
    [
      t("memory.recall_count"),
      entry.recall_count
        ? html`${t("memory.times", { n: entry.recall_count })}, ${t("memory.last")} <${When} at=${entry.last_recalled_at} />`
        : t("memory.never"),
    ],
    [t("memory.key"), html`<code class="breakable">${entry.key}</code>`],
  ];
  return html`<dl class="facts entry-facts">
    ${rows.filter(Boolean).map(([name, value]) => html`<dt key=${name}>${name}</dt><dd key=${`${name}:`}>${value}</dd>`)}
  </dl>`;
}

function History({ entry, versions }) {
  return html`<ol class="history">
    ${versions
      .toReversed()
      .map(
        (version) => html`<li key=${version.id} aria-current=${version.id === entry.id ? "true" : undefined}>
          <p class="small muted">${said(version.updated_at)} · ${t(`memory.sources.${version.source}`)}</p>
          <p>
            ${version.id === entry.id
              ? html`<${Words}>${version.content}<//>`
              : html`<a href=${link("memory", "entry", version.id)}><${Words}>${version.content}<//></a>`}
          </p>
          <p class="small">${version.status === "active" ? t("memory.holds") : statusText(version)}</p>
        </li>`,
      )}
  </ol>`;
}

function Recalls({ recalls, entry }) {
  if (!recalls.length) return html`<p class="muted">${t(entry.recall_count ? "memory.recalled_long_ago" : "memory.never_recalled")}</p>`;
  return html`<ul class="rows">
    ${recalls.slice(0, SHOWN_RECALLS).map(
      ({ recall, hit }) => html`<li key=${recall.id}>
        <div class="row-main">
          <p><${Words}>${recall.query}<//></p>
          <p class="small muted">
            <${When} at=${recall.created_at} /> ·
            ${" "}${t("memory.fits", { n: Math.round(100 * hit.confidence) })} ·
            ${" "}${t(recall.injected.includes(`memory:${hit.id}`) ? "memory.injected" : "memory.not_injected")}
          </p>
        </div>
      </li>`,
    )}
  </ul>`;
}
