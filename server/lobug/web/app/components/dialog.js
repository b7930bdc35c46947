// Dialogs: a box in front of the page, and a question whether something shall really be done.

import { html, signal, useEffect, useId, useRef } from "../preact.js";
import { t } from "../sentences.js";
import { Icon } from "./icons.js";

/** A dialog that is open while it is rendered. `close` is called for Escape, the cross and the backdrop. */
export function Dialog({ title, close, children, wide = false }) {
  const element = useRef(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      // It is out of the document by now, so the browser gives the focus back to nobody.
      if (opener?.isConnected) opener.focus();
    };
  }, []);
  return html`<dialog
    ref=${element}
    class=${wide ? "dialog dialog-wide" : "dialog"}
    aria-labelledby=${id}
    onCancel=${(event) => {
      event.preventDefault();
      close();
    }}
    onClick=${(event) => event.target === element.current && close()}
  >
    <div class="dialog-box">
      <header>
        <h2 id=${id}>${title}</h2>
        <button class="icon-button" aria-label=${t("shell.close")} onClick=${close}>
          <${Icon} name="close" />
        </button>
      </header>
      ${children}
    </div>
  </dialog>`;
}

/**
 * A question with two answers. `run` is awaited while the button is busy; when it throws, its
 * sentence is shown and the dialog stays open.
 */
export function Confirm({ title, children, action, dangerous = false, run, close }) {
  const busy = signalOf(false);
  const fault = signalOf("");
  return html`<${Dialog} title=${title} close=${close}>
    <div class="dialog-text">${children}</div>
    ${fault.value && html`<p class="fault" role="alert">${fault.value}</p>`}
    <footer>
      <button class="button" onClick=${close}>${t("shell.cancel")}</button>
      <button
        class=${dangerous ? "button button-danger" : "button button-primary"}
        disabled=${busy.value}
        onClick=${async () => {
          busy.value = true;
          fault.value = "";
          try {
            await run();
            close();
          } catch (error) {
            fault.value = error.message;
          } finally {
            busy.value = false;
          }
        }}
      >${action}</button>
    </footer>
  <//>`;
}

function signalOf(value) {
  const held = useRef(null);
  held.current ??= signal(value);
  return held.current;
}
