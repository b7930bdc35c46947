// Forms that ask the server for something.

import { html, useId, useSignal } from "../preact.js";
import { t } from "../sentences.js";
import { Field } from "./basics.js";
import { Dialog } from "./dialog.js";
import { Icon } from "./icons.js";

/**
 * Hook for a form: `submit` is its handler, `busy` while `send` runs, `fault` the sentence of what
 * it failed with.
 */
export function useSending(send) {
  const busy = useSignal(false);
  const fault = useSignal("");
  const submit = async (event) => {
    event?.preventDefault();
    if (busy.value) return;
    busy.value = true;
    fault.value = "";
    try {
      await send();
    } catch (error) {
      fault.value = error.message;
    } finally {
      busy.value = false;
    }
  };
  return { submit, busy: busy.value, fault: fault.value };
}

/** The name of a device, a browser or a token. `name`: a signal; the rest is given to the input. */
export function NameField({ label, hint, name, ...rest }) {
  return html`<${Field} label=${label} hint=${hint}>
    ${(field) => html`<input
      ...${field}
      ...${rest}
      maxlength="80"
      autocomplete="off"
      value=${name.value}
      onInput=${(event) => (name.value = event.currentTarget.value)}
    />`}
  <//>`;
}

/** What a form failed with. */
export function FormFault({ children }) {
  return children
    ? html`<div class="fault" role="alert"><${Icon} name="warning" /><p>${children}</p></div>`
    : null;
}

/** A dialog with fields. It closes when `send` has succeeded, unless that returns "stay". */
export function FormDialog({ title, close, send, action, busyAction, children }) {
  const { submit, busy, fault } = useSending(async () => {
    if ((await send()) !== "stay") close();
  });
  return html`<${Dialog} title=${title} close=${close}>
    <form class="stack" onSubmit=${submit}>
      ${children}
      <${FormFault}>${fault}<//>
      <footer>
        <button type="button" class="button" onClick=${close}>${t("shell.cancel")}</button>
        <button class="button button-primary" disabled=${busy}>
          ${busy ? busyAction ?? action : action}
        </button>
      </footer>
    </form>
  <//>`;
}

/** One of several things. `options`: `[{value, label, about}]`. */
export function Choices({ legend, options, value, change }) {
  const name = useId();
  return html`<fieldset class="choices">
    <legend>${legend}</legend>
    ${options.map(
      (option) => html`<label class="choice" key=${option.value}>
        <input
          type="radio"
          name=${name}
          checked=${option.value === value}
          onChange=${() => change(option.value)}
        />
        <span><strong>${option.label}</strong>${option.about && html`<span class="hint">${option.about}</span>`}</span>
      </label>`,
    )}
  </fieldset>`;
}
