// Forgetting: first what would go, then the question, then it is gone.

import { Fault, Loading } from "../../components/basics.js";
import { Dialog } from "../../components/dialog.js";
import { toast } from "../../components/toasts.js";
import { html, useEffect, useState } from "../../preact.js";
import { t } from "../../sentences.js";
import * as memory from "./client.js";
import { Words, goneText } from "./parts.js";

const SHOWN_ENTRIES = 12;

/** `preview()` and `erase()` answer as POST /memory/forget; `erased(gone)` after it is done. `about`: a
 * sentence of what stays or goes besides; `nothing`: what is said where nothing would go. */
export function ForgetDialog({
  preview,
  erase,
  erased,
  close,
  title = t("memory.forget_title"),
  about,
  nothing: nothingGoes = t("memory.nothing_says_this"),
}) {
  const [state, setState] = useState({});
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState("");
  const ask = async () => {
    try {
      const gone = await preview();
      const ids = gone.entries.slice(-SHOWN_ENTRIES).reverse();
      const shown = await Promise.allSettled(ids.map((id) => memory.get(`entries/${id}`)));
      setState({ gone, shown: shown.filter((one) => one.value).map((one) => one.value.entry) });
    } catch (error) {
      setState({ error });
    }
  };
  useEffect(() => void ask(), []);
  const { gone, shown, error } = state;
  const nothing = gone && !gone.entries.length && !gone.messages && !gone.derived;
  const run = async () => {
    setBusy(true);
    setFault("");
    try {
      const done = await erase();
      close();
      toast(t("memory.forgotten", { what: goneText(done) }));
      erased(done);
    } catch (problem) {
      setFault(problem.message);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${title} close=${close}>
    ${error && html`<${Fault} error=${error} retry=${ask} />`}
    ${!gone && !error && html`<${Loading} />`}
    ${nothing && html`<p>${nothingGoes}</p>`}
    ${gone &&
    !nothing &&
    html`<div class="dialog-text">
      <p>${t("memory.would_go", { what: goneText(gone) })}</p>
      <ul class="going">
        ${shown.map((entry) => html`<li key=${entry.id}><${Words}>${entry.content}<//></li>`)}
      </ul>
      ${gone.entries.length > shown.length && html`<p class="muted">${t("memory.and_more", { n: gone.entries.length - shown.length })}</p>`}
      ${about && html`<p>${about}</p>`}
      <p><strong>${t("memory.no_undo")}</strong></p>
    </div>`}
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    <footer>
      <button class="button" onClick=${close}>${t(nothing ? "shell.close" : "shell.cancel")}</button>
      ${gone && !nothing && html`<button class="button button-danger" disabled=${busy} onClick=${run}>${t("memory.forget_now")}</button>`}
    </footer>
  <//>`;
}
