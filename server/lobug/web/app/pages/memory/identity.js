// What is always in mind: the text that is at the beginning of every prompt.

import { Banner } from "../../components/banner.js";
import { Card, Empty, Field } from "../../components/basics.js";
import { Icon } from "../../components/icons.js";
import { toast } from "../../components/toasts.js";
import { html, useEffect, useRef, useState } from "../../preact.js";
import { link } from "../../router.js";
import { t } from "../../sentences.js";
import * as memory from "./client.js";
import { Loaded, useMemoryData } from "./loading.js";
import { Words } from "./parts.js";

export function IdentityView() {
  const data = useMemoryData((signal) => memory.get("identity", {}, { signal }));
  const [editing, setEditing] = useState(false);
  return html`<${Loaded} data=${data}>
    ${(identity) => html`<${Card}
      title=${t("memory.views.identity")}
      about=${t("memory.identity_about")}
      actions=${!editing && html`<button class="button" onClick=${() => setEditing(true)}><${Icon} name="edit" />${t("memory.edit_text")}</button>`}
    >
      <${Fullness} characters=${identity.characters} limit=${identity.limit} />
      ${editing
        ? html`<${IdentityForm} identity=${identity} close=${() => setEditing(false)} saved=${data.reload} />`
        : identity.entries.length
          ? html`<${Sections} entries=${identity.entries} />`
          : html`<${Empty} icon="pin" title=${t("memory.identity_none")}>${t("memory.identity_none_more")}<//>`}
    <//>`}
  <//>`;
}

function Fullness({ characters, limit }) {
  const text = t("memory.fullness", { characters, limit });
  return html`<div class="fullness">
    <meter min="0" max=${limit} high=${0.9 * limit} value=${characters} aria-label=${t("memory.full")}>${text}</meter>
    <span class="small muted numbers">${text}</span>
  </div>`;
}

function Sections({ entries }) {
  const sections = Map.groupBy(entries, (entry) => entry.section ?? "");
  return html`<div class="identity">
    ${[...sections].map(
      ([section, lines]) => html`<section key=${section}>
        <h3><${Words}>${section}<//></h3>
        <ul>
          ${lines.map((entry) => html`<li key=${entry.id}><a href=${link("memory", "entry", entry.id)}><${Words}>${entry.content}<//></a></li>`)}
        </ul>
      </section>`,
    )}
  </div>`;
}

function IdentityForm({ identity, close, saved }) {
  const [text, setText] = useState(identity.text);
  const [version, setVersion] = useState(identity.version);
  const [theirs, setTheirs] = useState(null);
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const form = useRef(null);
  useEffect(() => form.current?.querySelector("textarea").focus(), []);
  const save = async (event) => {
    event.preventDefault();
    setBusy(true);
    setFault("");
    try {
      await memory.put("identity", { text }, { headers: { "If-Match": `"${version}"` } });
      toast(t("memory.saved"));
      close();
      saved();
    } catch (error) {
      if (error.status === 412) {
        const now = await memory.get("identity").catch(() => null);
        setTheirs(now);
        if (!now) setFault(error.message);
      } else setFault(error.detail ? `${error.message} (${error.detail})` : error.message);
      setBusy(false);
    }
  };
  return html`<form class="stack" onSubmit=${save} ref=${form}>
    ${theirs &&
    html`<div class="stack">
      <${Banner} kind="warning" action=${{
        label: t("memory.take_theirs"),
        run: () => {
          setText(theirs.text);
          setVersion(theirs.version);
          setTheirs(null);
        },
      }}>${t("memory.identity_changed")}<//>
      <pre class="code identity-text">${theirs.text || t("memory.identity_none")}</pre>
      <button class="button" type="button" onClick=${() => {
        setVersion(theirs.version);
        setTheirs(null);
      }}>${t("memory.keep_mine")}</button>
    </div>`}
    <${Field} label=${t("memory.identity_text")} hint=${t("memory.identity_hint")} fault=${fault}>
      ${(props) => html`<textarea ...${props} class="identity-text" dir="auto" rows="14" value=${text} onInput=${(event) => setText(event.currentTarget.value)} />`}
    <//>
    <p class=${text.length > identity.limit ? "fault-text numbers" : "hint numbers"}>${t("memory.fullness", { characters: [...text].length, limit: identity.limit })}</p>
    <div class="actions">
      <button class="button button-primary" disabled=${busy || theirs !== null}>${t("shell.save")}</button>
      <button class="button" type="button" onClick=${close}>${t("shell.cancel")}</button>
    </div>
  </form>`;
}
