// A button that opens a list of further actions.

import { html, useId, useRef } from "../preact.js";
import { Icon } from "./icons.js";

/**
 * `items`: `[{label, icon, run, dangerous, disabled}]`; what is false is left out. The browser
 * closes the list on Escape, with the focus back on the button, and on a click beside it.
 */
export function Menu({ label, items }) {
  const id = `menu${useId()}`;
  const button = useRef(null);
  const list = useRef(null);
  const place = (event) => {
    if (event.newState !== "open") return;
    const at = button.current.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = list.current;
    const below = at.bottom + height + 12 < innerHeight;
    list.current.style.left = `${Math.max(8, Math.min(at.right - width, innerWidth - width - 8))}px`;
    list.current.style.top = `${Math.max(8, below ? at.bottom + 4 : at.top - height - 4)}px`;
    list.current.querySelector("button:enabled")?.focus();
  };
  const move = (event) => {
    // The browser takes the focus back to the button, and goes on from there.
    if (event.key === "Tab") return list.current.hidePopover();
    const enabled = [...list.current.querySelectorAll("button:enabled")];
    const at = enabled.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    enabled.at(to % enabled.length).focus();
  };
  return html`
    <button
      ref=${button}
      type="button"
      class="icon-button menu-button"
      popovertarget=${id}
      aria-haspopup="menu"
      aria-label=${label}
      title=${label}
    >
      <${Icon} name="more" />
    </button>
    <ul ref=${list} id=${id} class="menu" role="menu" aria-label=${label} popover="auto" onToggle=${place} onKeyDown=${move}>
      ${items.filter(Boolean).map(
        (item) => html`<li key=${item.label} role="none">
          <button
            type="button"
            role="menuitem"
            tabindex="-1"
            class=${item.dangerous ? "menu-dangerous" : undefined}
            disabled=${item.disabled}
            onClick=${() => {
              list.current.hidePopover();
              item.run();
            }}
          >
            <${Icon} name=${item.icon} />${item.label}
          </button>
        </li>`,
      )}
    </ul>
  `;
}
