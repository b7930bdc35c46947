// A field for a person's name that offers those who are known.

import { get } from "../api.js";
import { Field } from "./basics.js";
import { html, signal, useEffect, useId } from "../preact.js";

/** Names of the people whom the server knows; empty until they were fetched. */
export const knownPeople = signal([]);

/** Fetch the names of the known people; without a right to see them there are none. */
export async function loadPeople() {
  try {
    const { people } = await get("/web/people");
    knownPeople.value = people.map(({ user }) => user).filter(isName);
  } catch {
    knownPeople.value = [];
  }
}

/** Whether a user is somebody with a name, not a device, address or token that has none. */
export const isName = (user) => !/^(device|address|token|browser):/.test(user);

/** The known person whom somebody means who types a name: "ada" is "Ada" where she is known. */
export function personMeant(typed) {
  const name = typed.trim();
  return knownPeople.value.find((known) => known.toLowerCase() === name.toLowerCase()) ?? name;
}

/** A labelled field for a name. `change` gets what was typed. */
export function PersonInput({ label, hint, value, change, required = false, ...rest }) {
  const list = useId();
  useEffect(() => void loadPeople(), []);
  return html`<${Field} label=${label} hint=${hint}>
    ${(field) => html`
      <input
        ...${field}
        ...${rest}
        list=${list}
        maxlength="200"
        autocomplete="off"
        autocapitalize="words"
        required=${required}
        value=${value}
        onInput=${(event) => change(event.currentTarget.value)}
      />
      <datalist id=${list}>${knownPeople.value.map((name) => html`<option value=${name} />`)}</datalist>
    `}
  <//>`;
}
